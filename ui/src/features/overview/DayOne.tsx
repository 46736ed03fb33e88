/** Before a first event there are no figures: what to do, in order. */
import { Cable, Plus, ShieldQuestionMark, Zap } from "lucide-react";
import { Button, Empty } from "@/components";
import { useNewHook } from "@/domain/newHook/newHook";
import { t } from "@/i18n";
import { type StatusDoc, useCall } from "@/ipc";
import { useLiveRows } from "@/live/rows";
import { useNavigate } from "@/routes/router";
import { MOST_ROWS } from "./Recent";

/** Whether it is known that no event of the project was ever recorded. */
export function useDayOne(project: string): boolean {
  // The call of the list of events, so that both know at once.
  const page = useCall("history.page", { project, limit: MOST_ROWS }, { refetchOnMount: true });
  const { rows } = useLiveRows();
  const cameSince = rows.some((row) => row.project === project || row.project === null);
  return page.data?.traces.length === 0 && !cameSince;
}

/** The first step is what the others wait for: a hook, then its approval. */
export function DayOne({ status }: { status: StatusDoc | undefined }) {
  const navigate = useNavigate();
  const ask = useNewHook((store) => store.ask);
  const waits = status?.needs.some(({ kind }) => kind === "review");
  const isEmpty = status?.verdict.code === "no_hooks";
  return (
    <Empty title={t("overview.dayOne.title")} text={t("overview.dayOne.text")}>
      <ol className="column items-start gap-2 mt-3">
        {isEmpty ? (
          <li>
            <Button icon={Plus} onClick={() => ask({})}>
              {t("overview.dayOne.add")}
            </Button>
          </li>
        ) : null}
        {waits ? (
          <li>
            <Button icon={ShieldQuestionMark} onClick={() => void navigate({ to: "/trust" })}>
              {t("overview.dayOne.review")}
            </Button>
          </li>
        ) : null}
        <li>
          <Button icon={Cable} onClick={() => void navigate({ to: "/agents" })}>
            {t("overview.dayOne.connect")}
          </Button>
        </li>
        <li>
          <Button icon={Zap} onClick={() => void navigate({ to: "/fire" })}>
            {t("overview.dayOne.fire")}
          </Button>
        </li>
      </ol>
    </Empty>
  );
}
