import { Cable, Zap } from "lucide-react";
import type { RailStep } from "@/components";
import { Button, Empty, MiniChain } from "@/components";
import { t } from "@/i18n";
import { useNavigate } from "@/routes/router";

/** A chain as it could look, for the empty list. */
const PICTURE: readonly RailStep[] = [
  { outcome: "no_opinion" },
  { outcome: "changed" },
  { outcome: "no_opinion" },
  { outcome: "denied" },
  { outcome: "skipped", reason: "chain_ended" },
];

/** What to do before any event is recorded. */
export function EmptyHistory() {
  const navigate = useNavigate();
  return (
    <Empty title={t("history.nothing")} text={t("history.nothingText")}>
      <div className="row" style={{ marginTop: "var(--s-3)" }}>
        <Button kind="primary" icon={Zap} onClick={() => void navigate({ to: "/fire" })}>
          {t("history.fireSample")}
        </Button>
        <Button kind="ghost" icon={Cable} onClick={() => void navigate({ to: "/agents" })}>
          {t("history.connectAgent")}
        </Button>
      </div>
      <div className="row text-tiny dim" style={{ marginTop: "var(--s-4)" }}>
        <MiniChain steps={PICTURE} />
        {t("history.whatYouSee")}
      </div>
    </Empty>
  );
}
