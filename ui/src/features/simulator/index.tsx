/** Simulator: a scripted conversation, model call by model call, and the chain of each event. */
import { useMemo, useState } from "react";
import { FaultNote, Page, Skeleton } from "@/components";
import { useKeepPlace } from "@/domain/places";
import { useProject } from "@/domain/project";
import { t } from "@/i18n";
import { type Dialect, type HookRow, type ScenarioRow, useCall } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { useView } from "@/lib/view";
import { getRouteApi } from "@/routes/router";
import { Chooser } from "./Chooser";
import { Desk } from "./Desk";
import { Sessions } from "./Sessions";
import { draftKey, type ScenarioSource, sourceOf, sourcesOf, usedDialects } from "./scenarios";

const route = getRouteApi("/simulator");
const NO_ROWS: readonly ScenarioRow[] = [];
const NO_HOOKS: readonly HookRow[] = [];

/** The source of the address. It stays the same while its text is edited. */
function useSource(
  project: string,
  id: string | undefined,
  sources: readonly ScenarioSource[],
  dialects: readonly Dialect[],
): ScenarioSource | null {
  const isDraft = useView((view) => id !== undefined && view.drafts[draftKey(project, id)] !== undefined);
  return useMemo(() => {
    // A scenario of a session begins with the draft that it was made as.
    const draftOf = (one: string) => (isDraft ? useView.getState().drafts[draftKey(project, one)] : undefined);
    return sourceOf(id, sources, dialects, draftOf);
  }, [project, id, sources, dialects, isDraft]);
}

export function SimulatorScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const project = useProject() ?? "";
  const dialects = useDialects();
  useKeepPlace(project, "/simulator", search, search);
  const list = useCall("scenarios", { project }, { enabled: project !== "", refetchOnMount: true });
  const hooks = useCall("hooks.list", { project }, { enabled: project !== "" }).data?.hooks ?? NO_HOOKS;
  const rows = list.data?.scenarios ?? NO_ROWS;
  const used = usedDialects(hooks);
  const sources = useMemo(() => sourcesOf(rows, used), [rows, used]);
  const setDraft = useView((view) => view.setDraft);
  const [asksSession, setAsksSession] = useState(false);
  const open = (scenario: string | undefined) => void navigate({ search: { scenario } });
  const everything = sourcesOf(rows, new Set());
  const source = useSource(project, search.scenario, everything, dialects);
  const choices = {
    sources,
    dialects: dialects.filter((one) => used.size === 0 || used.has(one.id)),
    onOpen: open,
    onSession: () => setAsksSession(true),
  };
  const sessions = asksSession ? (
    <Sessions
      project={project}
      onClose={() => setAsksSession(false)}
      onMade={(id, text) => {
        setDraft(draftKey(project, id), text);
        setAsksSession(false);
        open(id);
      }}
    />
  ) : null;
  if (source !== null) {
    return (
      <>
        <Desk key={source.id} project={project} source={source} choices={choices} hooks={hooks} />
        {sessions}
      </>
    );
  }
  return (
    <Page title={t("simulator.title")}>
      {list.error !== null && list.data === undefined ? (
        <FaultNote fault={list.error} onRetry={() => void list.refetch()} />
      ) : list.data === undefined && project !== "" ? (
        <Skeleton rows={8} height={44} what={t("simulator.title")} />
      ) : (
        <Chooser {...choices} missing={search.scenario !== undefined} />
      )}
      {sessions}
    </Page>
  );
}
