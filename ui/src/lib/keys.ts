/**
 * Key presses and what is bound to them. Which action has which key is written in `commands.ts` alone.
 *
 * Letters and digits act by what they write or, where the layout has no Latin letters or writes signs in place of
 * digits, by where they lie. Single letters act only when no text field has the focus; the binding made last wins.
 */

/** Returns `false` to leave the key to the binding before it. */
export type KeyHandler = (event: KeyboardEvent) => unknown;

export interface Binding {
  keys: readonly string[];
  /** Acts while a text field has the focus, too. */
  inText: boolean;
  /** Acts while a dialog is open, too. */
  inDialog: boolean;
  run: KeyHandler;
}

const PREFIX_MS = 1500;
const bindings: Binding[] = [];
let prefix: { letter: string; until: number } | null = null;

export const isMac = typeof navigator !== "undefined" && /mac/i.test(navigator.platform);

function keyName(key: string): string {
  switch (key) {
    case " ":
      return "Space";
    case "Escape":
      return "Esc";
    default:
      return key.length === 1 ? key.toUpperCase() : key;
  }
}

const CODES: Readonly<Record<string, string>> = { BracketLeft: "[", BracketRight: "]", Slash: "/" };

/** What a key writes on a US layout, by where it lies; undefined for keys that no binding falls back to. */
function nameByPosition(code: string): string | undefined {
  return /^(?:Key([A-Z])|Digit([0-9]))$/.exec(code)?.slice(1).find(Boolean) ?? CODES[code];
}

/** The modifiers that count, in the order of the notation; null where one is held that no binding has. */
function modifiersOf(event: KeyboardEvent, name: string): string[] | null {
  const main = isMac ? event.metaKey : event.ctrlKey;
  const other = isMac ? event.ctrlKey : event.metaKey;
  // The right Alt key writes characters. Some systems report it as Ctrl and Alt.
  const writes = event.getModifierState("AltGraph");
  if (other) return null;
  const modifiers: string[] = [];
  if (main && !writes) modifiers.push("Ctrl");
  if (event.altKey && !writes) modifiers.push("Alt");
  // Shift is part of the character for `?`, `+` and the like.
  if (event.shiftKey && (/^[A-Z]$/.test(name) || name.length > 1)) modifiers.push("Shift");
  return modifiers;
}

/** What a key press is called in the notation of the bindings: by what it writes, then by where it lies. */
export function chordsOf(event: KeyboardEvent): string[] {
  const written = keyName(event.key);
  const names = [written];
  const placed = nameByPosition(event.code);
  const latin = /^[A-Z0-9]$/.test(written) || written.length > 1;
  if (!latin && placed !== undefined && placed !== written && !event.shiftKey) names.push(placed);
  return names.flatMap((name) => {
    const modifiers = modifiersOf(event, name);
    return modifiers === null ? [] : [[...modifiers, name].join(" ")];
  });
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

/** Runs the last binding of `chord` that takes the key. */
function runBinding(event: KeyboardEvent, chord: string, text: boolean, dialog: boolean): boolean {
  // Enter and Space on a focused control press that control.
  if ((chord === "Enter" || chord === "Space") && inControl(event.target)) return false;
  for (let index = bindings.length - 1; index >= 0; index -= 1) {
    const binding = bindings[index];
    if (binding === undefined || !binding.keys.includes(chord)) continue;
    if ((text && !binding.inText) || (dialog && !binding.inDialog)) continue;
    if (binding.run(event) !== false) return true;
  }
  return false;
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const text = inTextField(event.target);
  const dialog = dialogOpen();
  const letter = prefix !== null && Date.now() < prefix.until && !text ? prefix.letter : null;
  prefix = null;
  const chords = chordsOf(event);
  for (const chord of chords) {
    const wanted = letter !== null && /^[A-Z]$/.test(chord) ? `${letter} then ${chord}` : chord;
    if (!runBinding(event, wanted, text, dialog)) continue;
    event.preventDefault();
    return;
  }
  if (text || dialog) return;
  const begins = chords.find((chord) =>
    bindings.some(({ keys }) => keys.some((key) => key.startsWith(`${chord} then `))),
  );
  if (begins === undefined) return;
  prefix = { letter: begins, until: Date.now() + PREFIX_MS };
  event.preventDefault();
}

/** Adds a binding; the returned function takes it away. */
export function bindKeys(binding: Binding): () => void {
  if (bindings.length === 0) window.addEventListener("keydown", onKeyDown);
  bindings.push(binding);
  return () => {
    bindings.splice(bindings.indexOf(binding), 1);
    if (bindings.length === 0) window.removeEventListener("keydown", onKeyDown);
  };
}

/** A key as the key caps show it. */
export function keyCap(key: string): string {
  return key
    .replace(/\bCtrl\b/, isMac ? "⌘" : "Ctrl")
    .replace(/\bShift\b/, isMac ? "⇧" : "Shift")
    .replace(/\bEnter\b/, "↵")
    .replace(/\bArrowUp\b/, "↑")
    .replace(/\bArrowDown\b/, "↓")
    .replace(/\bArrowLeft\b/, "←")
    .replace(/\bArrowRight\b/, "→");
}
