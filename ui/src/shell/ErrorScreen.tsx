import { RotateCw } from "lucide-react";
import { Button, Note } from "@/components";
import { useTranslation } from "@/i18n";
import { asFault } from "@/ipc";

/** What stands in place of a screen that threw: the rest of the window goes on. */
export function ErrorScreen({ error }: { error: unknown }) {
  const { t } = useTranslation();
  return (
    <div className="empty centred">
      <h1 className="empty-head">{t("shell.fault.crashed")}</h1>
      <Note kind="error" lead={t("shell.fault.ui_unexpected", { message: asFault(error).message })}>
        {t("shell.fault.ui_unexpected_hint")}
      </Note>
      <div className="row" style={{ marginTop: "var(--s-3)" }}>
        <Button kind="primary" icon={RotateCw} onClick={() => window.location.reload()}>
          {t("shell.fault.reload")}
        </Button>
      </div>
    </div>
  );
}
