/** Fire: choose a moment, edit its payload, run the chain, read every step. */
import { Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { Button, DialectTag, FaultNote, Note, Page, SizedPane, Skeleton, useAfter } from "@/components";
import { FileBars } from "@/domain/hooks/FileBars";
import { listensTo } from "@/domain/hooks/facts";
import { useNewHook } from "@/domain/newHook/newHook";
import { useKeepPlace } from "@/domain/places";
import { useProject } from "@/domain/project";
import { useTrace } from "@/domain/trace/runOrder";
import { t } from "@/i18n";
import { type Dialect, type Fixture, type HookRow, type Reply, type Trace, useCall } from "@/ipc";
import { firstDialect, useDialects } from "@/ipc/dialects";
import { useScreenActions } from "@/lib/actions";
import { escapeInvisible } from "@/lib/escape";
import { shortPath } from "@/lib/names";
import { useView } from "@/lib/view";
import { getRouteApi } from "@/routes/router";
import type { FireSearch } from "@/routes/search";
import { type Chosen, FireEditor } from "./FireEditor";
import { FixturesTree, fixtureId } from "./FixturesTree";

const route = getRouteApi("/fire");

type FixturesDocument = Reply<"fixtures">;

export function FireScreen() {
  const search = route.useSearch();
  const project = useProject() ?? "";
  const fixtures = useCall("fixtures", { project }, { enabled: project !== "" });
  const recorded = useTrace(search.trace);
  const list = useCall("hooks.list", { project }, { enabled: project !== "" });
  const first = useFirst(project, list.data);
  const chosen = list.isPending ? null : choose(fixtures.data?.fixtures ?? [], search, recorded.data, first);
  useKeepPlace(project, "/fire", search, chosen === null ? null : placeOf(chosen, search));
  const slow = useAfter(150);
  const fault = fixtures.error ?? recorded.error;
  if (fault !== null) {
    const failed = fixtures.error === null ? recorded : fixtures;
    return (
      <Page title={t("fire.title")}>
        <FaultNote fault={fault} onRetry={() => void failed.refetch()} />
      </Page>
    );
  }
  if (chosen === null || fixtures.data === undefined) {
    return (
      <Page title={t("fire.title")}>
        {project === "" && slow ? (
          <p className="empty text-small ink-2">{t("fire.noProject")}</p>
        ) : (
          <Skeleton rows={12} height={26} what={t("fire.title")} />
        )}
      </Page>
    );
  }
  return <FireLayout chosen={chosen} document={fixtures.data} project={project} list={list.data} />;
}

/** What the address asks for: a recorded event, a fixture, or what people try first. */
function choose(
  fixtures: readonly Fixture[],
  search: FireSearch,
  recorded: Trace | undefined,
  first: First | null,
): Chosen | null {
  if (search.trace !== undefined) {
    if (recorded === undefined) return null;
    const { dialect, event, payload_before: payload, trace } = recorded;
    return { id: trace, dialect, event, name: recorded.at, saved: null, payload };
  }
  const matchesFilter = (one: Fixture) =>
    (search.dialect === undefined || one.dialect === search.dialect) &&
    (search.event === undefined || one.event === search.event) &&
    (search.fixture === undefined || one.name === search.fixture);
  const sameEvent = (one: Fixture) =>
    one.event === search.event && (search.dialect === undefined || one.dialect === search.dialect);
  const asked = search.dialect !== undefined || search.event !== undefined || search.fixture !== undefined;
  const found =
    (asked ? (fixtures.find(matchesFilter) ?? fixtures.find(sameEvent)) : undefined) ??
    fixtures.find((one) => one.dialect === first?.dialect && one.event === first.event) ??
    fixtures[0];
  return found ? { ...found, saved: found.saved ? found : null, id: fixtureId(found) } : null;
}

/** The address of what is chosen. */
function placeOf({ dialect, event, name }: Chosen, { trace, hook, agent }: FireSearch): FireSearch {
  return trace === undefined ? { dialect, event, fixture: name, hook, agent } : { trace, hook, agent };
}

interface First {
  dialect: string;
  event: string;
}

/** What Fire opens with. It stays: a hook that is only found by running it does not change the desk under a result. */
function useFirst(project: string, list: Reply<"hooks.list"> | undefined): First | null {
  const dialect = firstDialect(useDialects(), list, undefined);
  const [settled, settle] = useState<{ project: string; first: First } | null>(null);
  if (settled?.project !== project && dialect !== undefined && list !== undefined) {
    settle({ project, first: { dialect: dialect.id, event: firstEvent(dialect, list.hooks) } });
  }
  return settled?.project === project ? settled.first : null;
}

/** The event that people try first; where nothing listens to it, the first of the agent's life that something does. */
function firstEvent(dialect: Dialect, hooks: readonly HookRow[]): string {
  const heard = (event: string) =>
    hooks.some((hook) => hook.dialect === dialect.id && hook.valid && listensTo(hook, event));
  if (heard(dialect.first)) return dialect.first;
  return dialect.events.find((event) => heard(event.name))?.name ?? dialect.first;
}

interface FireLayoutProps {
  chosen: Chosen;
  document: FixturesDocument;
  project: string;
  list: Reply<"hooks.list"> | undefined;
}

const NO_HOOKS: readonly HookRow[] = [];

/** The tree at the left stays as it is while one desk follows another. */
function FireLayout({ chosen, document, project, list }: FireLayoutProps) {
  const hooks = list?.hooks ?? NO_HOOKS;
  const navigate = route.useNavigate();
  const search = route.useSearch();
  const treeOver = useView((view) => view.hidden["fire.tree.over"] === false);
  const setHidden = useView((view) => view.setHidden);
  const used = new Set(hooks.map((one) => one.dialect));
  const isRecorded = search.trace !== undefined;
  const recorded = useMemo(() => {
    const { id, dialect, event, name } = chosen;
    return isRecorded ? { id, dialect, event, at: name } : null;
  }, [chosen, isRecorded]);
  const open = ({ dialect, event, name }: { dialect: string; event: string; name?: string }) =>
    void navigate({ search: ({ agent }) => ({ dialect, event, fixture: name, agent }), replace: true });
  const onTree = () => setHidden("fire.tree.over", treeOver);
  const askForHook = useNewHook((store) => store.ask);
  const add = () => askForHook({ dialect: chosen.dialect, event: chosen.event });
  useScreenActions({ "tree.toggle": onTree, "hook.new": add });
  return (
    <Page
      title={t("fire.title")}
      after={
        <div className="crumbs fire-crumbs gap-2">
          <DialectTag dialect={chosen.dialect} />
          <span className="mono">{chosen.event}</span>
          <span className="dim trunc">
            {search.trace ? t("fire.fromHistory") : chosen.saved ? escapeInvisible(chosen.name) : t("fire.example")}
          </span>
        </div>
      }
      actions={
        <Button icon={Plus} action="hook.new" onClick={add}>
          {t("newHook.ask")}
        </Button>
      }
      notes={<FileBars document={list} project={project} />}
    >
      <div className="panes max-barred:flex-col max-barred:overflow-y-auto max-barred:[&>.pane:not(.tree-over)]:w-full! max-barred:[&>.pane:not(.tree-over)]:flex-none! max-barred:[&_.payload]:min-h-50 max-barred:[&_.payload]:max-h-[60vh]">
        <SizedPane
          id="fire.tree"
          label={t("fire.fixtures")}
          width={208}
          min={160}
          max={360}
          split="right"
          className={treeOver ? "tree-over" : "wide"}
        >
          <div className="pane-head">
            <b className="medium">{t("fire.fixtures")}</b>
          </div>
          <FixturesTree
            fixtures={document.fixtures}
            hooks={hooks}
            recorded={recorded}
            open={new Set([...used, chosen.dialect])}
            selected={chosen.id}
            onSelect={(one) => {
              setHidden("fire.tree.over", true);
              open(one);
            }}
          />
          {document.problems.length > 0 ? (
            <div className="section">
              <Note kind="warning" className="small" lead={t("fire.brokenSaved", { count: document.problems.length })}>
                {document.problems.map(({ path }) => (
                  <span key={path} className="block mono text-tiny wrap">
                    {shortPath(path)}
                  </span>
                ))}
              </Note>
            </div>
          ) : null}
        </SizedPane>
        <FireEditor
          key={chosen.id}
          chosen={chosen}
          fixtures={document.fixtures}
          project={project}
          hooks={hooks}
          recorded={isRecorded}
          hook={search.hook}
          agent={search.agent ?? null}
          onAgent={(agent) =>
            void navigate({ search: (now) => ({ ...now, agent: agent ?? undefined }), replace: true })
          }
          onOpen={open}
          onTree={onTree}
        />
      </div>
    </Page>
  );
}
