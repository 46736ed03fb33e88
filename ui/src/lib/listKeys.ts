import type { KeyboardEvent } from "react";

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
