import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { toast } from "sonner";
import { afterEach } from "vitest";
import { showLanguage } from "@/i18n";
import { askFaster } from "./fastPage";
import { forgetAll } from "./forget";

// jsdom lays nothing out: give every element the size that a virtual list needs to show rows.
for (const [name, value] of [
  ["clientHeight", 800],
  ["clientWidth", 1000],
  ["offsetHeight", 800],
  ["offsetWidth", 1000],
] as const) {
  Object.defineProperty(HTMLElement.prototype, name, { configurable: true, value });
}
Element.prototype.scrollIntoView = () => undefined;
Element.prototype.scrollTo = () => undefined;
window.scrollTo = () => undefined;
Element.prototype.setPointerCapture = () => undefined;
Element.prototype.releasePointerCapture = () => undefined;
Element.prototype.hasPointerCapture = () => false;
// The code editor measures the text around its cursor.
Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
window.matchMedia = (query) =>
  ({ matches: false, media: query, addEventListener: () => undefined, removeEventListener: () => undefined }) as never;
globalThis.ResizeObserver = class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};

askFaster();

configure({
  // A screen is loaded on demand; on a busy machine that takes longer than the usual second.
  asyncUtilTimeout: 15_000,
  // Each look that finds nothing yet makes an error, and the usual one contains the whole page as text.
  getElementError: (message) => Object.assign(new Error(message ?? ""), { name: "TestingLibraryElementError" }),
});
await showLanguage("en");
afterEach(() => {
  cleanup();
  // Toasts are kept for the whole page, and a later test would find the Undo of an earlier one.
  toast.dismiss();
  forgetAll();
  localStorage.clear();
});
