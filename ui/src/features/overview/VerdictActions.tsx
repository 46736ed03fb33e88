/** What can be done about the verdict at once. */
import { ListTree, Plus, SearchX, ShieldQuestionMark, TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "@/components";
import { useNewHook } from "@/domain/newHook/newHook";
import { t } from "@/i18n";
import { useScreenActions } from "@/lib/actions";
import { useNavigate } from "@/routes/router";
import { useLastFailure } from "./lastFailure";
import { targetOf } from "./targets";
import type { Judged } from "./useOverview";

interface ActionsProps {
  judged: Judged;
  project: string;
}

/** At most two buttons, one of them primary: what waits is decided, what failed is explained. */
export default function VerdictActions({ judged: { needs, counts }, project }: ActionsProps) {
  const navigate = useNavigate();
  const open = needs.find((need) => need.kind === "open");
  const waiting = needs.find((need) => need.kind === "waiting");
  const file = needs.find((need) => need.kind === "file");
  const failure = useLastFailure(open?.hook, project);
  /** It was asked for while the event is still looked up. */
  const [isWanted, setWanted] = useState(false);
  const target = open === undefined || failure.isPending ? null : (failure.explain ?? targetOf(open));
  useEffect(() => {
    if (!isWanted || target === null) return;
    setWanted(false);
    navigate(target);
  }, [isWanted, target, navigate]);
  const explain = open === undefined ? null : () => setWanted(true);
  useScreenActions({ "trace.explain": explain });
  return (
    <>
      {explain === null ? null : (
        <Button
          kind={waiting === undefined ? "primary" : "default"}
          className={waiting === undefined ? undefined : "max-docked:hidden"}
          icon={SearchX}
          action="trace.explain"
          busy={isWanted}
          onClick={explain}
        >
          {t("overview.explainGuard")}
        </Button>
      )}
      {waiting === undefined ? null : (
        <Button
          kind="primary"
          icon={ShieldQuestionMark}
          action="section.trust"
          onClick={() => navigate({ to: "/trust" })}
        >
          {t("overview.review")}
        </Button>
      )}
      {open === undefined && waiting === undefined && file !== undefined ? (
        <Button kind="primary" icon={TriangleAlert} onClick={() => navigate(targetOf(file))}>
          {t("overview.showProblems")}
        </Button>
      ) : null}
      {counts.hooks > 0 || needs.length > 0 ? null : (
        <>
          <Button
            className="max-docked:hidden"
            icon={ListTree}
            action="section.hooks"
            onClick={() => navigate({ to: "/hooks" })}
          >
            {t("overview.openHooks")}
          </Button>
          <NewHook />
        </>
      )}
    </>
  );
}

function NewHook() {
  const ask = useNewHook((store) => store.ask);
  return (
    <Button kind="primary" icon={Plus} action="hook.new" onClick={() => ask({})}>
      {t("newHook.ask")}
    </Button>
  );
}
