import { FolderDot } from "lucide-react";
import { useEffect, useState } from "react";
import { Icon, toast } from "@/components";
import { useOpenProject } from "@/domain/project";
import { useTranslation } from "@/i18n";
import { useMessages } from "@/i18n/messages";
import { asFault } from "@/ipc";

/** Drop a folder on the desktop window to open it. A browser does not tell a page where a folder lies. */
export default function DropTarget() {
  const { t } = useTranslation();
  const say = useMessages();
  const openProject = useOpenProject();
  const [over, setOver] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: listens once, for the life of the window
  useEffect(() => {
    let stop: (() => void) | undefined;
    let gone = false;
    void import("@tauri-apps/api/webview").then(async ({ getCurrentWebview }) => {
      const unlisten = await getCurrentWebview().onDragDropEvent(({ payload }) => {
        setOver(payload.type === "enter" || payload.type === "over");
        const path = payload.type === "drop" ? payload.paths[0] : undefined;
        if (path === undefined) return;
        openProject(path, false).catch((thrown: unknown) => toast(say.fault(asFault(thrown)).message, null, "error"));
      });
      if (gone) unlisten();
      else stop = unlisten;
    });
    return () => {
      gone = true;
      stop?.();
    };
  }, []);
  if (!over) return null;
  return (
    <div className="drop">
      <div>
        <Icon of={FolderDot} size={20} />
        {t("shell.project.drop")}
      </div>
    </div>
  );
}
