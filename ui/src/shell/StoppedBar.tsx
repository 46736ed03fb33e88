import { useQueryClient } from "@tanstack/react-query";
import { CircleX, RotateCw } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button, Icon } from "@/components";
import { useLink } from "./link";

/** Full width, under the page bar, while the engine is gone. */
export function StoppedBar() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { engine, line } = useLink();
  if (engine === "running" && line === "up") return null;
  return (
    <div className="stopped" role="alert">
      <Icon of={CircleX} size={14} />
      <span className="grow wrap">
        <b>{t("shell.stopped.lead")}</b> {t(engine === "stopped" ? "shell.stopped.text" : "shell.stopped.unreachable")}
      </span>
      <Button size="small" icon={RotateCw} onClick={() => void client.invalidateQueries()}>
        {t("shell.stopped.start")}
      </Button>
    </div>
  );
}
