/** Theme, text size and zoom of the whole page. */
import { useEffect } from "react";
import { inWindow } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { inTextSize } from "@/lib/media";
import { type Theme, useView } from "@/lib/view";

const LIGHT = "(prefers-color-scheme: light)";
const ZOOMS = [0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2] as const;

function resolved(theme: Theme): "dark" | "light" {
  if (theme !== "system") return theme;
  return window.matchMedia(LIGHT).matches ? "light" : "dark";
}

export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = resolved(theme);
}

/** Keeps the page in the chosen theme, and in the system's while that is chosen. */
export function useTheme(): void {
  const theme = useView((view) => view.theme);
  useEffect(() => {
    applyTheme(theme);
    const media = window.matchMedia(LIGHT);
    const follow = () => applyTheme(theme);
    media.addEventListener("change", follow);
    return () => media.removeEventListener("change", follow);
  }, [theme]);
}

/** The media queries of the sheets as they are written. */
const written = new WeakMap<CSSMediaRule, string>();

/** Measures the widths of all sheets in the size of text: at 125 % a page of 1280 px is laid out like one of 1024. */
function scaleQueries(rules: CSSRuleList, percent: number): void {
  for (const rule of rules) {
    if (rule instanceof CSSMediaRule) {
      const text = written.get(rule) ?? rule.media.mediaText;
      written.set(rule, text);
      rule.media.mediaText = inTextSize(text, percent);
    }
    if (rule instanceof CSSGroupingRule) scaleQueries(rule.cssRules, percent);
    else if (rule instanceof CSSStyleRule && rule.cssRules !== undefined) scaleQueries(rule.cssRules, percent);
  }
}

/** Keeps all text in the chosen size. */
export function useTextSize(): void {
  const size = useView((view) => view.textSize);
  useEffect(() => {
    document.documentElement.dataset.text = String(size);
    const scale = () => {
      for (const sheet of document.styleSheets) scaleQueries(sheet.cssRules, size);
    };
    scale();
    // The sheet of a part that is loaded later.
    if (size === 100) return undefined;
    document.head.addEventListener("load", scale, true);
    return () => document.head.removeEventListener("load", scale, true);
  }, [size]);
}

function nextZoom(now: number, by: 1 | -1): number {
  const found = by > 0 ? ZOOMS.find((zoom) => zoom > now + 0.001) : ZOOMS.findLast((zoom) => zoom < now - 0.001);
  return found ?? now;
}

async function zoomTo(zoom: number): Promise<void> {
  const { getCurrentWebview } = await import("@tauri-apps/api/webview");
  await getCurrentWebview().setZoom(zoom);
}

/** `Ctrl +`, `-`, `0` in the window; a browser zooms by itself. */
export function useZoom(): void {
  const zoom = useView((view) => view.zoom);
  const setZoom = useView((view) => view.setZoom);
  const enabled = inWindow();
  useEffect(() => {
    if (!enabled) return;
    void zoomTo(zoom);
  }, [enabled, zoom]);
  useScreenActions({
    "zoom.in": enabled ? () => setZoom(nextZoom(zoom, 1)) : null,
    "zoom.out": enabled ? () => setZoom(nextZoom(zoom, -1)) : null,
    "zoom.reset": enabled ? () => setZoom(1) : null,
  });
}
