import { FolderDot } from "lucide-react";
import { useEffect, useState } from "react";
import { Icon } from "@/components";
import { useOpenProject } from "@/domain/project";
import { useRefused } from "@/domain/refused";
import { useTranslation } from "@/i18n";

/** Drop a folder on the desktop window to open it. A browser does not tell a page where a folder lies. */
export default function DropTarget() {
  const { t } = useTranslation();
  const refused = useRefused();
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
        openProject(path, false).catch(refused);
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
