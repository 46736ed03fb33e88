/** Asks before the desktop program ends with unsaved text. */
import { FilePenLine } from "lucide-react";
import { useEffect, useState } from "react";
import { Confirm } from "@/components";
import { t } from "@/i18n";
import { onQuitRequest, quit, tellUnsaved } from "@/ipc";
import { shortPath } from "@/lib/names";
import { useUnsaved } from "@/lib/unsaved";
import { useView } from "@/lib/view";

export default function QuitGuard() {
  const files = useUnsaved((store) => store.files);
  const project = useView((view) => view.project);
  const [isAsking, setAsking] = useState(false);
  const count = files.length;
  useEffect(() => {
    void tellUnsaved(count);
  }, [count]);
  useEffect(() => {
    const stop = onQuitRequest(() => {
      setAsking(true);
      void tellUnsaved(useUnsaved.getState().files.length);
    });
    return () => {
      stop();
      void tellUnsaved(0);
    };
  }, []);
  return (
    <Confirm
      open={isAsking}
      icon={FilePenLine}
      title={t("editor.quitTitle", { count })}
      safeLabel={t("editor.keepEditing")}
      doLabel={t("editor.quit")}
      onClose={() => setAsking(false)}
      onDo={() => void quit()}
    >
      <p>{t("editor.quitText")}</p>
      <ul className="mono text-small">
        {files.map((path) => (
          <li key={path}>{shortPath(path, project ?? "")}</li>
        ))}
      </ul>
    </Confirm>
  );
}
