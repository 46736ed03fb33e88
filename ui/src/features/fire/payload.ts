/** The text of the payload as JSON: at once while it is short, once typing rests where parsing takes its time. */
import { useEffect, useMemo, useState } from "react";
import type { Payload } from "@/ipc";
import { readExactly } from "@/lib/jsonText";
import { findJsonError, type JsonError } from "./jsonError";
import { type Remark, remarksOf } from "./remarks";

/** Longer texts are not parsed on every key. Characters. */
export const LONG_TEXT = 128_000;
const SETTLE_MS = 150;
const SETTLE_LONG_MS = 500;

export interface Parsed {
  payload: Payload | null;
  /** Null for a payload. */
  error: PayloadError | null;
  remarks: readonly Remark[];
}

/** `object` for JSON that is none, else where the text stops being JSON; `text` where that is not known. */
export type PayloadError = "object" | "text" | JsonError;

/** The payload as an object, or what is wrong with the text. */
export function parsePayload(text: string): Parsed {
  try {
    const value = readExactly(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { payload: value as Payload, error: null, remarks: remarksOf(text) };
    }
    return { payload: null, error: "object", remarks: [] };
  } catch {
    return { payload: null, error: findJsonError(text) ?? "text", remarks: [] };
  }
}

export interface PayloadState extends Parsed {
  /** The last text that was JSON, once typing rested: what would run is asked for it. */
  settled: Payload;
}

export function usePayload(text: string, initial: Payload): PayloadState {
  const isLong = text.length > LONG_TEXT;
  const [rested, setRested] = useState(text);
  const parsed = useMemo(() => parsePayload(isLong ? rested : text), [isLong, rested, text]);
  const [settled, setSettled] = useState(parsed.payload ?? initial);
  useEffect(() => {
    if (!isLong) return undefined;
    const timer = setTimeout(() => setRested(text), SETTLE_LONG_MS);
    return () => clearTimeout(timer);
  }, [isLong, text]);
  useEffect(() => {
    const { payload } = parsed;
    if (payload === null) return undefined;
    const timer = setTimeout(() => setSettled(payload), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [parsed]);
  return { ...parsed, settled };
}
