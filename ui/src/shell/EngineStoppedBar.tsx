import { useQueryClient } from "@tanstack/react-query";
import { CircleX, RotateCw } from "lucide-react";
import { Button, Icon, InlineCode, toast } from "@/components";
import { useTranslation } from "@/i18n";
import { useMessages } from "@/i18n/messages";
import { transport, useCommand } from "@/ipc";
import { useConnection } from "@/live/connection";

/** Full width, under the page bar, while the engine is gone. */
export function EngineStoppedBar() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const say = useMessages();
  const { engine, line } = useConnection();
  const start = useCommand("engine.start", {
    onError: (fault) => toast(say.fault(fault).message, null, "error"),
  });
  if (engine === "running" && line === "up") return null;
  return (
    <div className="stopped" role="alert">
      <Icon of={CircleX} size={14} />
      <span className="grow wrap">
        <b>{t("shell.stopped.lead")}</b>{" "}
        <InlineCode text={t(engine === "stopped" ? "shell.stopped.text" : "shell.stopped.unreachable")} />
      </span>
      {transport().window ? (
        <Button size="small" icon={RotateCw} busy={start.isPending} onClick={() => start.mutate({})}>
          {t("shell.stopped.own")}
        </Button>
      ) : (
        <Button size="small" icon={RotateCw} onClick={() => void client.invalidateQueries()}>
          {t("shell.stopped.start")}
        </Button>
      )}
    </div>
  );
}
