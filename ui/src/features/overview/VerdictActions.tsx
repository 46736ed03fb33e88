/** What can be done about the verdict at once. */
import { FileX, ListTree, Plus, SearchX, ShieldQuestionMark, Wrench } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "@/components";
import { useNewHook } from "@/domain/newHook/newHook";
import { t } from "@/i18n";
import type { HooksDocument, Need, StatusDoc } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { useNavigate } from "@/routes/router";
import { useLastFailure } from "./lastFailure";
import { isGuard, stateOf, targetOf } from "./needs";

interface ActionsProps {
  status: StatusDoc;
  document: HooksDocument | undefined;
  project: string;
}

/** At most two buttons. The primary one is for the first need; a hook that fails can also be explained. */
export default function VerdictActions({ status: { needs, verdict }, document, project }: ActionsProps) {
  const navigate = useNavigate();
  const [first] = needs;
  if (first === undefined && verdict.code === "no_hooks") {
    return (
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
    );
  }
  return (
    <>
      <ExplainFailing need={needs.find((need) => stateOf(need) === "failing")} document={document} project={project} />
      {first === undefined ? null : (
        <FirstNeed first={first} needs={needs} onOpen={() => navigate(targetOf(first, document))} />
      )}
    </>
  );
}

interface FirstNeedProps {
  first: Need;
  needs: readonly Need[];
  onOpen: () => void;
}

function FirstNeed({ first, needs, onOpen }: FirstNeedProps) {
  switch (first.kind) {
    case "source":
      return (
        <Button kind="primary" icon={FileX} onClick={onOpen}>
          {t("overview.showProblems")}
        </Button>
      );
    case "health": {
      const guards = isGuard(first);
      const count = needs.filter((need) => need.kind === "health" && isGuard(need) === guards).length;
      return (
        <Button kind="primary" icon={Wrench} onClick={onOpen}>
          {t(guards ? "overview.fixGuards" : "overview.fixHooks", { count })}
        </Button>
      );
    }
    case "review":
      return (
        <Button kind="primary" icon={ShieldQuestionMark} action="section.trust" onClick={onOpen}>
          {t("overview.review")}
        </Button>
      );
    case "gone":
    case "unguarded":
    case "issue":
    case "settings":
    case "engine":
      return (
        <Button kind="primary" icon={Wrench} onClick={onOpen}>
          {t("overviewParts.needs.show")}
        </Button>
      );
  }
}

interface ExplainProps extends Omit<ActionsProps, "status"> {
  need: Need | undefined;
}

/** Explains the last failure of a hook, also when it was asked for before its event is found. */
function ExplainFailing({ need, document, project }: ExplainProps) {
  const navigate = useNavigate();
  const hook = need === undefined ? undefined : document?.hooks.find((one) => one.hook === need.hook);
  const failure = useLastFailure(hook, project);
  const [isWanted, setWanted] = useState(false);
  const target = need === undefined || failure.isPending ? null : (failure.explain ?? targetOf(need, document));
  useEffect(() => {
    if (!isWanted || target === null) return;
    setWanted(false);
    navigate(target);
  }, [isWanted, target, navigate]);
  const explain = hook === undefined ? null : () => setWanted(true);
  useScreenActions({ "trace.explain": explain });
  if (explain === null) return null;
  return (
    <Button className="max-docked:hidden" icon={SearchX} action="trace.explain" busy={isWanted} onClick={explain}>
      {t("overview.explainHook")}
    </Button>
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
