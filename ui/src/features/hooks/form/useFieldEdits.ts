/** Changes of the form: each becomes a change of the text by the engine, so that comments and formatting stay. */

import { useCallback, useEffect, useRef, useState } from "react";
import { asFault, call, type EditStep, type Fault } from "@/ipc";
import { toEditable } from "@/lib/lineEndings";
import { useLatest } from "@/lib/useLatest";
import { type Draft, draftKey, fileText, useDrafts } from "../source/drafts";
import type { TextCheck } from "../source/useTextCheck";

/** A field has to rest this long before the text changes. */
const REST_MS = 200;

export interface FieldEdits {
  /** What was typed and is not in the checked text yet; undefined for a field that is removed. */
  typed: ReadonlyMap<string, unknown>;
  /** Sets a field by its dotted name; undefined removes it. */
  set(field: string, value: unknown): void;
  /** Makes several changes at once. */
  apply(steps: readonly EditStep[]): void;
  /** Why the last change was refused. */
  refusal: Fault | null;
}

const NOTHING: ReadonlyMap<string, unknown> = new Map();

function stepOf(field: string, value: unknown): EditStep {
  return value === undefined ? { do: "unset", field } : { do: "set", field, value };
}

/** `hook` is its id in the text that was checked last. */
export function useFieldEdits(draft: Draft, hook: string, check: TextCheck): FieldEdits {
  const { project, path, dialect } = draft;
  const key = draftKey(project, path);
  const type = useDrafts((store) => store.type);
  const [typed, setTyped] = useState(NOTHING);
  const [refusal, setRefusal] = useState<Fault | null>(null);
  const steps = useRef(new Map<string, EditStep>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isSending = useRef(false);
  const latestRef = useLatest({ hook, check });

  const send = useCallback(async () => {
    const { hook: id, check: known } = latestRef.current;
    const now = useDrafts.getState().drafts[key];
    // An id is only sure in the text that was checked.
    if (now === undefined || known.waiting || isSending.current || steps.current.size === 0) return;
    const sent = new Map(steps.current);
    const before = fileText(now);
    steps.current.clear();
    isSending.current = true;
    try {
      const request = { project, path, dialect, text: before, hook: id, steps: [...sent.values()] };
      const changed = await call("edit.fields", request);
      const present = useDrafts.getState().drafts[key];
      if (present !== undefined && fileText(present) === before) {
        type(key, toEditable(changed.text).text);
        setRefusal(null);
        // Nothing is checked again where nothing changed.
        if (changed.text === before && steps.current.size === 0) setTyped(NOTHING);
      } else if (present !== undefined) {
        // The text was changed meanwhile: once more, on what it is now.
        steps.current = new Map([...sent, ...steps.current]);
      }
    } catch (thrown) {
      setRefusal(asFault(thrown));
      setTyped(NOTHING);
    }
    isSending.current = false;
  }, [project, path, dialect, key, type, latestRef]);

  // What the check has seen is what the form shows.
  useEffect(() => {
    if (check.waiting) return;
    if (steps.current.size > 0) void send();
    else if (!isSending.current) setTyped(NOTHING);
  }, [check.waiting, send]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const apply = useCallback(
    (wanted: readonly EditStep[]) => {
      for (const step of wanted) {
        const name = step.do === "set" || step.do === "unset" ? step.field : step.do;
        steps.current.delete(name);
        steps.current.set(name, step);
      }
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void send(), REST_MS);
    },
    [send],
  );
  const set = useCallback(
    (field: string, value: unknown) => {
      setTyped((before) => new Map([...before, [field, value]]));
      apply([stepOf(field, value)]);
    },
    [apply],
  );
  return { typed, set, apply, refusal };
}
