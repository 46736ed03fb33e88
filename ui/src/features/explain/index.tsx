/** Explain: for one event, every hook with the gates it passed, and the first one it failed. Nothing is run. */

import { Zap } from "lucide-react";
import { Button, FaultNote, Page, Pane, SizedPane, Skeleton } from "@/components";
import { useProject } from "@/domain/project";
import { Notices } from "@/domain/trace/Notices";
import { losesHooks } from "@/domain/trace/notices";
import { t } from "@/i18n";
import { useScreenActions, useStepping } from "@/lib/actions";
import { getRouteApi, Link } from "@/routes/router";
import type { ExplainSearch } from "@/routes/search";
import { Answer } from "./Answer";
import { EventHead } from "./EventHead";
import { AnotherEvent, HookChoice } from "./HookChoice";
import { LastEvents } from "./LastEvents";
import { type Explained, useExplained } from "./useExplained";

const route = getRouteApi("/history/explain");

export function ExplainScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const project = useProject() ?? "";
  const { explained, fault } = useExplained(search, project);
  const change = (part: Partial<ExplainSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...part }), replace: true });
  const { asked = [], chosen } = explained ?? {};
  useStepping(asked, chosen ? asked.indexOf(chosen) : -1, ({ hook }) => change({ hook }));
  const { trace } = search;
  const fire = trace === undefined ? null : () => void navigate({ to: "/fire", search: { trace } });
  useScreenActions({
    "trace.fire": fire,
    "explain.leave": () => navigate({ to: "/history", search: trace === undefined ? {} : { trace } }),
  });
  return (
    <Page
      title={t("explain.why")}
      crumbs={[
        <Link key="history" className="dim" to="/history">
          {t("history.title")}
        </Link>,
      ]}
      actions={
        fire ? (
          <Button icon={Zap} action="trace.fire" onClick={fire}>
            {t("history.fireWith")}
          </Button>
        ) : null
      }
    >
      {fault ? (
        <FaultNote fault={fault} />
      ) : explained === null ? (
        <Skeleton rows={8} height={32} what={t("explain.title")} />
      ) : (
        <Panes explained={explained} project={project} onChange={change} />
      )}
    </Page>
  );
}

interface PanesProps {
  explained: Explained;
  project: string;
  onChange: (part: Partial<ExplainSearch>) => void;
}

/** The event with its hooks, and the answer for one of them. */
function Panes({ explained, project, onChange }: PanesProps) {
  const { trace, dialect, event, payload, notices, asked, chosen, hook } = explained;
  return (
    <div className="panes max-paired:block max-paired:overflow-auto max-paired:[&>.pane]:w-auto! max-paired:[&>.split]:hidden max-paired:[&>.pane+.pane]:border-t max-paired:[&>.pane+.pane]:border-line-2 max-paired:[&>.split+.pane]:border-t max-paired:[&>.split+.pane]:border-line-2">
      <SizedPane id="explain.hooks" label={t("explain.hooks")} width={440} min={280} max={640} split="right">
        <EventHead trace={trace} dialect={dialect} event={event} asked={asked} />
        <Notices notices={notices} />
        <HookChoice asked={asked} chosen={chosen?.hook} onChoose={(to) => onChange({ hook: to })} />
        {chosen && hook ? (
          <LastEvents
            project={project}
            hook={hook}
            event={event}
            asked={chosen}
            shown={trace?.trace}
            onOpen={(to) =>
              onChange({ trace: to, hook: chosen.hook, dialect: undefined, event: undefined, fixture: undefined })
            }
          />
        ) : null}
        <AnotherEvent
          project={project}
          dialect={dialect}
          event={event}
          onEvent={(to) => onChange({ trace: undefined, ...to, fixture: undefined, hook: undefined })}
        />
      </SizedPane>
      <Pane label={t("explain.gates")}>
        {chosen ? (
          <Answer asked={chosen} trace={trace} event={event} payload={payload} hook={hook} project={project} />
        ) : (
          <p className="empty text-small ink-2">
            {losesHooks(notices) ? t("fire.hooksLost") : t("fire.nobodyListens", { event })}
          </p>
        )}
      </Pane>
    </div>
  );
}
