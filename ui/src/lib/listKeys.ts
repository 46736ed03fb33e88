import type { KeyboardEvent } from "react";

/** The row that a key leads to in a list of `count` rows; null where the key leads nowhere. */
export function rowByKey(event: KeyboardEvent, selected: number | null, count: number): number | null {
  if (event.ctrlKey || event.metaKey) return null;
  const at = selected ?? -1;
  switch (event.key) {
    case "ArrowDown":
    case "j":
      return Math.min(at + 1, count - 1);
    case "ArrowUp":
    case "k":
      return Math.max(at - 1, 0);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}

/** Moves to the item above or below in a list of buttons, and chooses it. `items` selects the buttons. */
export function moveByArrows(event: KeyboardEvent<HTMLElement>, list: HTMLElement | null, items: string): void {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (by === 0) return;
  const all = [...(list?.querySelectorAll<HTMLElement>(items) ?? [])];
  const next = all[all.indexOf(event.target as HTMLElement) + by];
  event.preventDefault();
  event.stopPropagation();
  next?.focus();
  next?.click();
}

/** Moves to the item above or below in a list of links, without following it. */
export function focusByArrows(event: KeyboardEvent<HTMLElement>, list: HTMLElement | null, items: string): void {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (by === 0) return;
  const all = [...(list?.querySelectorAll<HTMLElement>(items) ?? [])];
  event.preventDefault();
  event.stopPropagation();
  all[all.indexOf(event.target as HTMLElement) + by]?.focus();
}
