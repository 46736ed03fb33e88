import type { DragDropEvent } from "@tauri-apps/api/webview";
import { FolderDot } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { Icon } from "@/components";
import { useOpenProject } from "@/domain/project";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";

/** Listens until the signal. */
async function onDrag(signal: AbortSignal, listener: (payload: DragDropEvent) => void): Promise<void> {
  const { getCurrentWebview } = await import("@tauri-apps/api/webview");
  const unlisten = await getCurrentWebview().onDragDropEvent(({ payload }) => listener(payload));
  if (signal.aborted) unlisten();
  else signal.addEventListener("abort", unlisten);
}

/** Drop a folder on the desktop window to open it. A browser does not tell a page where a folder lies. */
export default function DropTarget() {
  const openProject = useOpenProject();
  const [over, setOver] = useState(false);
  const drop = useEffectEvent((path: string) => void openProject(path, false).catch(toastFault));
  useEffect(() => {
    const stop = new AbortController();
    void onDrag(stop.signal, (payload) => {
      setOver(payload.type === "enter" || payload.type === "over");
      const path = payload.type === "drop" ? payload.paths[0] : undefined;
      if (path !== undefined) drop(path);
    });
    return () => stop.abort();
  }, []);
  if (!over) return null;
  return (
    <div className="fixed inset-0 z-30 grid place-items-center bg-scrim pointer-events-none [&>div]:flex [&>div]:gap-3 [&>div]:items-center [&>div]:py-4 [&>div]:px-6 [&>div]:rounded-3 [&>div]:bg-pop [&>div]:shadow-dialog [&>div]:[outline:2px_dashed_var(--accent)] [&>div]:-outline-offset-8">
      <div>
        <Icon of={FolderDot} size={20} />
        {t("shell.project.drop")}
      </div>
    </div>
  );
}
