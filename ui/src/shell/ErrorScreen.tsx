import { RotateCw } from "lucide-react";
import { Button, Note } from "@/components";
import { t } from "@/i18n";
import { asFault } from "@/ipc";
import { useConnection } from "@/live/connection";

/** What stands in place of a screen that threw, or that cannot be loaded: the rest of the window goes on. */
export function ErrorScreen({ error }: { error: unknown }) {
  const { engine, line } = useConnection();
  // The engine serves the page: without it, the parts of a screen that was not opened yet do not arrive.
  const isCut = engine === "stopped" || line === "down";
  return (
    <div className="empty centred">
      <h1 className="empty-head">{t(isCut ? "shell.fault.notLoaded" : "shell.fault.crashed")}</h1>
      {isCut ? (
        <Note kind="error" lead={t("shell.fault.ui_unreachable")}>
          {t("shell.fault.ui_unreachable_hint")}
        </Note>
      ) : (
        <Note kind="error" lead={t("shell.fault.ui_unexpected", { message: asFault(error).message })}>
          {t("shell.fault.ui_unexpected_hint")}
        </Note>
      )}
      <div className="row" style={{ marginTop: "var(--s-3)" }}>
        <Button kind="primary" icon={RotateCw} onClick={() => window.location.reload()}>
          {t("shell.fault.reload")}
        </Button>
      </div>
    </div>
  );
}
