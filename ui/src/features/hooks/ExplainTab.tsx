import { useState } from "react";
import { FaultNote, GateList, Note, Select, Skeleton } from "@/components";
import { eventOf, idAt } from "@/domain/hooks/facts";
import { gateBox } from "@/domain/hooks/GateBox";
import { HistoryMatch } from "@/domain/hooks/HistoryMatch";
import { Notices } from "@/domain/trace/Notices";
import { t } from "@/i18n";
import { type HookRow, useCall } from "@/ipc";
import { Link } from "@/routes/router";

interface ExplainTabProps {
  hook: HookRow;
  project: string;
  /** A text of the hook's file that is not saved; it takes the place of the file. */
  unsaved?: { path: string; text: string };
}

/** Every gate between a sample payload and this hook. Nothing is run. */
export function ExplainTab({ hook, project, unsaved }: ExplainTabProps) {
  const fixtures = useCall("fixtures", { project, dialect: hook.dialect });
  const event = eventOf(hook);
  const own = (fixtures.data?.fixtures ?? []).filter((fixture) => fixture.event === event);
  const [chosen, setChosen] = useState<string | null>(null);
  const fixture = own.find((one) => one.name === chosen) ?? own[0];
  const payload = fixture?.payload ?? {};
  const explain = useCall(
    "explain",
    { project, dialect: hook.dialect, event, payload, ...(unsaved === undefined ? {} : { unsaved }) },
    { enabled: fixtures.data !== undefined, keepPrevious: true },
  );
  const step = explain.data?.steps.find((one) => one.hook === idAt(hook, event));
  return (
    <>
      <div className="section column" style={{ gap: 8 }}>
        <p className="text-small ink-2">{t(unsaved === undefined ? "hooks.drawer.explainText" : "form.testText")}</p>
        {own.length > 0 && fixture ? (
          <Select
            label={t("hooks.drawer.explain")}
            value={fixture.name}
            options={own.map((one) => ({
              value: one.name,
              label: t("hooks.drawer.sample", { name: one.saved ? one.name : t("fire.example") }),
            }))}
            onChange={setChosen}
          />
        ) : (
          <span className="text-tiny dim">{t("hooks.drawer.emptyPayload")}</span>
        )}
      </div>
      <Notices notices={explain.data?.notices} />
      {explain.error !== null ? (
        <FaultNote fault={explain.error} onRetry={() => void explain.refetch()} />
      ) : explain.data === undefined ? (
        <Skeleton rows={6} height={48} what={t("hooks.drawer.explain")} />
      ) : step ? (
        <div className="section" style={{ paddingLeft: 0, paddingRight: 0 }}>
          <div style={{ padding: "0 var(--s-3) var(--s-2)" }}>
            <Note kind={step.would_run ? "info" : "warning"}>
              {step.would_run
                ? step.position === null
                  ? t("hooks.drawer.wouldRunNoPlace")
                  : t("hooks.drawer.wouldRun", { position: step.position })
                : t("hooks.drawer.wouldNotRun")}
            </Note>
          </div>
          <GateList
            label={t("hooks.drawer.explain")}
            gates={step.gates}
            boxOf={(gate) =>
              unsaved === undefined ? gateBox({ gate, hook, event, payload: explain.data.payload, project }) : null
            }
          />
        </div>
      ) : null}
      {hook.filter && unsaved === undefined ? <HistoryMatch project={project} hook={hook} event={event} /> : null}
      {unsaved === undefined ? (
        <div className="section">
          <Link
            className="link text-tiny"
            to="/history/explain"
            search={{ dialect: hook.dialect, event, hook: hook.hook, fixture: fixture?.name }}
          >
            {t("hooks.drawer.explainMore")}
          </Link>
        </div>
      ) : null}
    </>
  );
}
