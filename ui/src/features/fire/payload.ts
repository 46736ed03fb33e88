/** The text of the payload as JSON: at once while it is short, once typing rests where parsing takes its time. */
import { useEffect, useState } from "react";
import type { Payload } from "@/ipc";
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
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { payload: value as Payload, error: null, remarks: remarksOf(text) };
    }
    return { payload: null, error: "object", remarks: [] };
  } catch {
    return { payload: null, error: findJsonError(text) ?? "text", remarks: [] };
  }
}

export interface PayloadState extends Parsed {
  /** The last text that was a payload, once typing rested: what would run is asked for it. */
  settled: string;
}

/** `initial` is a payload, for the time before `text` is one. */
export function usePayload(text: string, initial: string): PayloadState {
  const isLong = text.length > LONG_TEXT;
  const [rested, setRested] = useState(text);
  const read = isLong ? rested : text;
  const parsed = parsePayload(read);
  const isPayload = parsed.payload !== null;
  const [settled, setSettled] = useState(isPayload ? read : initial);
  useEffect(() => {
    if (!isLong) return undefined;
    const timer = setTimeout(() => setRested(text), SETTLE_LONG_MS);
    return () => clearTimeout(timer);
  }, [isLong, text]);
  useEffect(() => {
    if (!isPayload) return undefined;
    const timer = setTimeout(() => setSettled(read), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [read, isPayload]);
  return { ...parsed, settled };
}
