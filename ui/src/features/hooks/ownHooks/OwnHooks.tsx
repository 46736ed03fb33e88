/** Hooks before any project is open: the user's own, and what to do next. */

import { Empty, FaultNote, Page, Pane, SizedPane, Skeleton, TabPanel, Tabs } from "@/components";
import { worstFirst } from "@/domain/hooks/facts";
import { isTurnedOff, withTurnedOff } from "@/domain/hooks/turnedOff";
import { useOwnHooks } from "@/domain/start/ownHooks";
import { WhatNow } from "@/domain/start/WhatNow";
import { t } from "@/i18n";
import type { HookRow, HooksDocument } from "@/ipc";
import { useStepping } from "@/lib/actions";
import { getRouteApi } from "@/routes/router";
import type { HooksSearch } from "@/routes/search";
import EditsView from "../editList/EditsView";
import { useUndoKeys } from "../editList/undo";
import TurnedOffDrawer from "../TurnedOffDrawer";
import { OwnHookDrawer } from "./OwnHookDrawer";
import { OwnHooksTable } from "./OwnHooksTable";
import { OwnProblems } from "./OwnProblems";

const route = getRouteApi("/hooks");

export default function OwnHooks() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { document, fault, retry } = useOwnHooks();
  const view = search.view === "edits" ? "edits" : "list";
  const change = (part: Partial<HooksSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...part }), replace: true });
  useUndoKeys(null);
  return (
    <Page
      title={t("hooks.title")}
      after={
        <Tabs<"list" | "edits">
          id="hooks"
          label={t("hooks.title")}
          value={view}
          onChange={(next) => change({ view: next, edit: undefined, hook: undefined })}
          items={[
            { value: "list", label: t("hooks.list") },
            { value: "edits", label: t("hooks.edits") },
          ]}
        />
      }
    >
      <TabPanel id="hooks" value={view} className="panes">
        {view === "edits" ? (
          <EditsView project={null} search={search} onChange={change} />
        ) : fault !== null ? (
          <FaultNote fault={fault} onRetry={retry} />
        ) : document === undefined ? (
          <Skeleton rows={12} height={44} what={t("hooks.title")} />
        ) : isEmpty(document) ? (
          <Empty title={t("shell.first.title")} text={t("shell.first.text")}>
            <WhatNow />
          </Empty>
        ) : (
          <OwnList document={document} search={search} onChange={change} />
        )}
      </TabPanel>
    </Page>
  );
}

function isEmpty({ hooks, problems, turned_off = [] }: HooksDocument): boolean {
  return hooks.length + problems.length + turned_off.length === 0;
}

interface OwnListProps {
  document: HooksDocument;
  search: HooksSearch;
  onChange: (part: Partial<HooksSearch>) => void;
}

function OwnList({ document, search, onChange }: OwnListProps) {
  const rows = withTurnedOff(document, worstFirst(document.groups));
  const selected = rows.find(({ hook, event }) => hook === search.hook && event === search.event);
  const select = ({ hook, event }: HookRow) => onChange({ hook, event });
  const step = useStepping(rows, selected === undefined ? -1 : rows.indexOf(selected), select);
  const close = () => onChange({ hook: undefined, event: undefined });
  return (
    <>
      <Pane label={t("start.ownTitle")}>
        <p className="pane-head text-small ink-2">{t("start.everywhere")}</p>
        <OwnProblems document={document} />
        <OwnHooksTable rows={rows} document={document} selected={selected} onSelect={select} />
      </Pane>
      {selected === undefined ? (
        <SizedPane
          id="hooks.start"
          label={t("start.title")}
          width={360}
          min={280}
          max={480}
          split="left"
          className="max-paired:[.panes:has(>&)]:flex-col max-paired:[.panes:has(>&)]:overflow-y-auto max-paired:[.panes>&]:min-w-full max-paired:[.panes>&]:border-t max-paired:[.panes>&]:border-line-2"
        >
          <div className="pane-head strong-line">
            <h2>{t("start.title")}</h2>
          </div>
          <div className="pane-body scroll pad-16">
            <WhatNow />
          </div>
        </SizedPane>
      ) : isTurnedOff(selected) ? (
        <TurnedOffDrawer hook={selected} project={null} onTurnOn={null} onClose={close} onStep={step} />
      ) : (
        <OwnHookDrawer hook={selected} onClose={close} onStep={step} />
      )}
    </>
  );
}
