/**
 * Keys of DESIGN section 7.
 *
 * A binding is written as in the key sheet: `F`, `Shift T`, `Ctrl K`, `Ctrl Enter`, `[`, `/`, `?`, `Space`, `Esc`. `Ctrl` is
 * `Cmd` on macOS. Single letters act only when no text field has the focus; the binding registered last wins.
 */
import { useEffect, useRef } from "react";

export type Handler = (event: KeyboardEvent) => unknown;

interface Binding {
  chord: string;
  /** Acts while a text field has the focus, too. */
  inText: boolean;
  /** Acts while a dialog is open, too. */
  inDialog: boolean;
  run: () => Handler;
}

const bindings: Binding[] = [];
let prefix: { letter: string; until: number } | null = null;

export const isMac = typeof navigator !== "undefined" && /mac/i.test(navigator.platform);

function labelOf(key: string): string {
  switch (key) {
    case " ":
      return "Space";
    case "Escape":
      return "Esc";
    default:
      return key.length === 1 ? key.toUpperCase() : key;
  }
}

/** The chord of a key press, in the notation of the bindings. */
export function chordOf(event: KeyboardEvent): string {
  const main = isMac ? event.metaKey : event.ctrlKey;
  const name = labelOf(event.key);
  const letter = /^[A-Z]$/.test(name) || name.length > 1;
  const parts: string[] = [];
  if (main) parts.push("Ctrl");
  if (event.altKey) parts.push("Alt");
  // Shift is part of the character for `?`, `+` and the like.
  if (event.shiftKey && letter) parts.push("Shift");
  parts.push(name);
  return parts.join(" ");
}

function inTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.closest(".cm-content") !== null) return true;
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button|range|submit)$/.test(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

function inControl(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest("button, a[href], summary, [role=tab], [role=menuitem], [role=option], [role=switch]") !== null
  );
}

function dialogOpen(): boolean {
  return document.querySelector("[role=dialog], [role=alertdialog], [role=menu], [role=listbox][data-float]") !== null;
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  let chord = chordOf(event);
  const text = inTextField(event.target);
  // Enter and Space on a focused control press that control.
  if ((chord === "Enter" || chord === "Space") && inControl(event.target)) return;
  if (!text && prefix !== null && Date.now() < prefix.until && /^[A-Z]$/.test(chord))
    chord = `${prefix.letter} then ${chord}`;
  prefix = null;
  const dialog = dialogOpen();
  for (let index = bindings.length - 1; index >= 0; index -= 1) {
    const binding = bindings[index];
    if (binding === undefined || binding.chord !== chord) continue;
    if (text && !binding.inText) continue;
    if (dialog && !binding.inDialog) continue;
    if (binding.run()(event) === false) continue;
    event.preventDefault();
    return;
  }
  if (!text && !dialog && /^[A-Z]$/.test(chord) && bindings.some((one) => one.chord.startsWith(`${chord} then `))) {
    prefix = { letter: chord, until: Date.now() + 1500 };
    event.preventDefault();
  }
}

function bind(binding: Binding): () => void {
  if (bindings.length === 0) window.addEventListener("keydown", onKeyDown);
  bindings.push(binding);
  return () => {
    bindings.splice(bindings.indexOf(binding), 1);
    if (bindings.length === 0) window.removeEventListener("keydown", onKeyDown);
  };
}

interface KeyOptions {
  enabled?: boolean;
  inText?: boolean;
  inDialog?: boolean;
}

/**
 * Binds one or several chords while the component is mounted. A handler that returns `false` leaves the key to the
 * binding before it.
 */
export function useKey(chords: string | readonly string[], handler: Handler, options: KeyOptions = {}): void {
  const latest = useRef(handler);
  latest.current = handler;
  const list = typeof chords === "string" ? chords : chords.join("\n");
  const { enabled = true, inDialog = false } = options;
  const control = list.startsWith("Ctrl") || list === "F6" || list === "Esc";
  const inText = options.inText ?? control;
  useEffect(() => {
    if (!enabled) return;
    const undo = list.split("\n").map((chord) => bind({ chord, inText, inDialog, run: () => latest.current }));
    return () => {
      for (const one of undo) one();
    };
  }, [list, enabled, inText, inDialog]);
}

/** A chord as the key caps show it. */
export function keyCap(chord: string): string {
  return chord
    .replace(/\bCtrl\b/, isMac ? "⌘" : "Ctrl")
    .replace(/\bShift\b/, isMac ? "⇧" : "Shift")
    .replace(/\bEnter\b/, "↵")
    .replace(/\bArrowUp\b/, "↑")
    .replace(/\bArrowDown\b/, "↓")
    .replace(/\bArrowLeft\b/, "←")
    .replace(/\bArrowRight\b/, "→");
}
