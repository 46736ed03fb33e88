/** Toasts: bottom right, 6 s, at most 2, always with Undo or Open. What shows them is loaded with the first one. */
import { lazy, Suspense, useSyncExternalStore } from "react";

export interface ToastAction {
  label: string;
  run: () => void;
}

export type ToastKind = "info" | "warning" | "error";

export interface ToastRequest {
  text: string;
  action: ToastAction | null;
  kind: ToastKind;
}

let waiting: ToastRequest[] = [];
let wanted = false;
const listeners = new Set<() => void>();

export function toast(text: string, action: ToastAction | null, kind: ToastKind = "info"): void {
  waiting.push({ text, action, kind });
  wanted = true;
  for (const listener of listeners) listener();
}

export function takeToasts(): ToastRequest[] {
  const taken = waiting;
  waiting = [];
  return taken;
}

export function onToast(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

const Host = lazy(() => import("./ToastHost"));

export function Toaster() {
  const some = useSyncExternalStore(onToast, () => wanted);
  if (!some) return null;
  return (
    <Suspense fallback={null}>
      <Host />
    </Suspense>
  );
}
