/** The answers of a model that come one after another while a prompt is tried. */
import type { PushOf } from "./types";

type Answer = PushOf<"prompt_answer">;

const listeners = new Map<string, (push: Answer) => void>();

/** Hears the answers of one run; the returned function ends that. */
export function onPromptAnswer(run: string, listener: (push: Answer) => void): () => void {
  listeners.set(run, listener);
  return () => {
    listeners.delete(run);
  };
}

export function tellPromptAnswer(push: Answer): void {
  listeners.get(push.run)?.(push);
}
