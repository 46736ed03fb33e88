/** `?story=empty&theme=light&lang=zh-CN#/hooks` shows that state over scripted replies. */
import { QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import "@/theme/index.css";
import "@/components/styles/index.css";
import { App } from "@/app";
import { TooltipProvider } from "@/components";
import { pickLanguage, showLanguage } from "@/i18n";
import { createQueryClient } from "@/ipc";
import { replaceTransport } from "@/ipc/transport";
import { type Theme, useView } from "@/lib/view";
import { createAppRouter } from "@/routes";
import { fakeEngine, type Script } from "@/testing/fakeEngine";
import { sampleReplies } from "@/testing/sampleData";
import { applyTheme } from "@/theme/theme";
import { inChinese } from "./chinese";
import { Gallery } from "./Gallery";
import { PUSHES, STORIES } from "./stories";

const query = new URLSearchParams(window.location.search);
const theme = (query.get("theme") ?? "dark") as Theme;
const language = query.get("lang") ?? "en";

window.history.replaceState(null, "", `${window.location.pathname}${window.location.hash}`);
localStorage.clear();
const story = query.get("story") ?? "default";
const script: Script = { ...sampleReplies(), ...STORIES[story] };
const settings = script["settings.get"];
if (typeof settings === "object") settings.values.ui = { theme, language };

const engine = fakeEngine(language.startsWith("zh") ? inChinese(script) : script, {
  delayMs: query.has("slow") ? 600_000 : 0,
  pushes: PUSHES[story],
});
replaceTransport(engine);
Object.assign(window, { engine });
useView.getState().setTheme(theme);
useView.getState().setLanguage(language);
applyTheme(theme);
await showLanguage(pickLanguage(language));

const root = document.getElementById("root");
if (root !== null)
  createRoot(root).render(
    story === "gallery" ? <GalleryPage /> : <App client={createQueryClient()} router={createAppRouter()} />,
  );

function GalleryPage() {
  return (
    <QueryClientProvider client={createQueryClient()}>
      <TooltipProvider>
        <Gallery />
      </TooltipProvider>
    </QueryClientProvider>
  );
}
