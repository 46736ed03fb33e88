/** Theme and zoom of the whole page. */
import { useEffect } from "react";
import { inWindow } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
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
