import { useQueryClient } from "@tanstack/react-query";
import { CircleX, RotateCw } from "lucide-react";
import { Button, Icon, InlineCode } from "@/components";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { transport, useCommand } from "@/ipc";
import { useConnection } from "@/live/connection";

/** Full width, under the page bar, while the engine is gone. */
export function EngineStoppedBar() {
  const client = useQueryClient();
  const { engine, line } = useConnection();
  const start = useCommand("engine.start", {
    onError: toastFault,
  });
  if (engine === "running" && line !== "down") return null;
  return (
    <div
      className="stopped flex items-center gap-2 flex-none min-h-sub py-1 px-4 bg-deny-bg border-b border-deny-line text-sm/[inherit] text-ink-2 [&_.icon]:text-deny [&_b]:text-ink-1 [&_b]:font-[560]"
      role="alert"
    >
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
