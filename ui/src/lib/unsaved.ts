/** Whether texts exist that closing or reloading the page would lose. */
let count = 0;

/** How many texts are changed and not saved. */
export function setUnsavedTexts(now: number): void {
  if (now > 0 !== hasUnsavedTexts()) {
    if (now > 0) window.addEventListener("beforeunload", ask);
    else window.removeEventListener("beforeunload", ask);
  }
  count = now;
}

/** For whoever is about to close the page. */
export function hasUnsavedTexts(): boolean {
  return count > 0;
}

/** A browser asks in words of its own. */
function ask(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
