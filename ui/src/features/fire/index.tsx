/** Fire: choose a moment, edit its payload, run the chain, read every step. */
import { getRouteApi } from "@tanstack/react-router";
import { PanelLeft, Pin, Trash2 } from "lucide-react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, DialectTag, FaultNote, Note, Pane, SizedPane, Skeleton, toast, useAfter } from "@/components";
import { useFormats } from "@/i18n/format";
import { asFault, call, type Dialect, type Fixture, type Reply, type Trace, useCall } from "@/ipc";
import { firstDialect, useDialects } from "@/ipc/dialects";
import { useKey } from "@/lib/keys";
import { useProject } from "@/lib/project";
import { useView } from "@/lib/view";
import { visible } from "@/lib/visible";
import { Page } from "@/shell/Page";
import { FixturesTree, fixtureId } from "./FixturesTree";
import { PayloadPane } from "./PayloadPane";
import { Planned, Result } from "./Result";
import { useRun } from "./run";
import { fixtureName, SaveFixture, useFixtures } from "./SaveFixture";

const route = getRouteApi("/fire");

type FixturesDocument = Reply<"fixtures">;

export function FireScreen() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const project = useProject() ?? "";
  const fixtures = useCall("fixtures", { project }, { enabled: project !== "" });
  const recorded = useCall("history.show", { trace: search.trace ?? "" }, { enabled: search.trace !== undefined });
  const list = useCall("hooks.list", { project }, { enabled: project !== "" });
  const first = firstDialect(useDialects(), list.data, undefined);
  const chosen = useMemo(
    () => (list.isPending ? null : choose(fixtures.data?.fixtures ?? [], search, recorded.data, first)),
    [fixtures.data, search, recorded.data, first, list.isPending],
  );
  const slow = useAfter(150);
  if (fixtures.error !== null) {
    return (
      <Page title={t("fire.title")}>
        <FaultNote fault={fixtures.error} onRetry={() => void fixtures.refetch()} />
      </Page>
    );
  }
  if (chosen === null || fixtures.data === undefined) {
    return (
      <Page title={t("fire.title")}>
        {project === "" && slow ? (
          <p className="empty sm ink2">{t("fire.noProject")}</p>
        ) : (
          <Skeleton rows={12} height={26} what={t("fire.title")} />
        )}
      </Page>
    );
  }
  return <FireDesk key={chosen.id} chosen={chosen} document={fixtures.data} project={project} />;
}

interface Chosen {
  id: string;
  dialect: string;
  event: string;
  name: string;
  /** The saved fixture it is, if it is one. */
  saved: Fixture | null;
  payload: Record<string, unknown>;
}

/** What the address asks for: a recorded event, a fixture, or what people try first. */
function choose(
  fixtures: readonly Fixture[],
  search: { dialect?: string; event?: string; fixture?: string; trace?: string },
  recorded: Trace | undefined,
  first: Dialect | undefined,
): Chosen | null {
  if (search.trace !== undefined) {
    if (recorded === undefined) return null;
    const { dialect, event, payload_before: payload, trace } = recorded;
    return { id: trace, dialect, event, name: recorded.at, saved: null, payload };
  }
  const fits = (one: Fixture) =>
    (search.dialect === undefined || one.dialect === search.dialect) &&
    (search.event === undefined || one.event === search.event) &&
    (search.fixture === undefined || one.name === search.fixture);
  const sameEvent = (one: Fixture) =>
    one.event === search.event && (search.dialect === undefined || one.dialect === search.dialect);
  const asked = search.dialect !== undefined || search.event !== undefined || search.fixture !== undefined;
  const found =
    (asked ? (fixtures.find(fits) ?? fixtures.find(sameEvent)) : undefined) ??
    fixtures.find((one) => one.dialect === first?.id && one.event === first.first) ??
    fixtures[0];
  return found ? { ...found, saved: found.saved ? found : null, id: fixtureId(found) } : null;
}

interface FireDeskProps {
  chosen: Chosen;
  document: FixturesDocument;
  project: string;
}

function FireDesk({ chosen, document, project }: FireDeskProps) {
  const { t } = useTranslation();
  const { time } = useFormats();
  const fixtures = document.fixtures;
  const navigate = route.useNavigate();
  const search = route.useSearch();
  const initial = useMemo(() => JSON.stringify(chosen.payload, null, 2), [chosen.payload]);
  const draftKey = `fire ${project} ${chosen.id}`;
  const draft = useView((view) => view.drafts[draftKey]);
  const setDraft = useView((view) => view.setDraft);
  const text = draft ?? initial;
  const parsed = useMemo(() => parse(text), [text]);
  const { run, fire, stop } = useRun(project, chosen.id);
  const treeOver = useView((view) => view.hidden["fire.tree.over"] === false);
  const setHidden = useView((view) => view.setHidden);
  const [step, setStep] = useState<number | null>(null);
  const [saving, setSaving] = useState(false);
  const { save, remove } = useFixtures(fixtures);
  const open = (fixture: Pick<Fixture, "dialect" | "event" | "name">) => {
    const { dialect, event, name } = fixture;
    void navigate({ search: { dialect, event, fixture: name }, replace: true });
  };
  const suggested = search.trace
    ? t("fire.save.fromEvent", { time: time(chosen.name) })
    : chosen.saved
      ? t("fire.save.of", { name: chosen.name })
      : "";
  const saveAs = () => setSaving(parsed.payload !== null);
  const saveNow = () => {
    if (parsed.payload === null) return;
    const own = chosen.saved;
    if (own === null) saveAs();
    else {
      const { dialect, event, name } = own;
      save({ dialect, event, name, payload: parsed.payload, keep_secrets: false }, () => setDraft(draftKey, null));
    }
  };
  useKey("P", saveAs);
  useKey("Ctrl S", saveNow);

  const start = useCallback(() => {
    if (parsed.payload !== null) void fire(chosen.dialect, chosen.event, parsed.payload);
  }, [fire, chosen, parsed.payload]);
  useKey("Ctrl Enter", start);
  useKey("Esc", () => (run.state === "running" ? stop() : false));
  useKey("B", () => setHidden("fire.tree.over", treeOver));
  useEffect(() => {
    if (run.trace === null) return;
    const wanted = run.trace.steps.findIndex((one) => one.hook === search.hook);
    const deciding = run.trace.steps.findIndex((one) => one.hook === run.trace?.verdict.by);
    setStep(wanted >= 0 ? wanted : deciding >= 0 ? deciding : run.trace.steps.length > 0 ? 0 : null);
  }, [run.trace, search.hook]);

  const removeSaved = (fixture: Fixture | null) => {
    if (fixture === null) return;
    remove(fixture, () => {
      setDraft(draftKey, null);
      void navigate({ search: { dialect: fixture.dialect, event: fixture.event }, replace: true });
    });
  };
  const copy = async () => {
    if (parsed.payload === null) return;
    const params = { project, dialect: chosen.dialect, event: chosen.event, payload: parsed.payload };
    try {
      const { text: line } = await call("fire.command_line", params);
      await navigator.clipboard.writeText(line);
      toast(t("copied"), null);
    } catch (thrown) {
      toast(asFault(thrown).message, null, "error");
    }
  };
  return (
    <Page
      title={t("fire.title")}
      after={
        <div className="crumbs fire-crumbs">
          <DialectTag dialect={chosen.dialect} />
          <span className="mono">{chosen.event}</span>
          <span className="dim trunc">
            {search.trace ? t("fire.fromHistory") : chosen.saved ? visible(chosen.name) : t("fire.example")}
          </span>
        </div>
      }
    >
      <div className="panes">
        <SizedPane
          id="fire.tree"
          label={t("fire.fixtures")}
          width={208}
          min={160}
          max={360}
          split="right"
          className={treeOver ? "tree-over" : "wide"}
        >
          <div className="ph">
            <b className="med">{t("fire.fixtures")}</b>
          </div>
          <FixturesTree
            fixtures={fixtures}
            selected={chosen.id}
            onSelect={(one) => {
              setHidden("fire.tree.over", true);
              open(one);
            }}
          />
          {document.problems.length > 0 ? (
            <div className="sec" title={document.problems.map((problem) => problem.path).join("\n")}>
              <Note kind="warning" className="small">
                {t("fire.brokenSaved", { count: document.problems.length })}
              </Note>
            </div>
          ) : null}
        </SizedPane>
        <SizedPane id="fire.payload" label={t("fire.payload")} width={352} min={260} max={640} split="right">
          <PayloadPane
            text={text}
            edited={draft !== undefined && draft !== initial}
            error={parsed.error}
            run={run}
            onChange={(value) => setDraft(draftKey, value)}
            onReset={() => setDraft(draftKey, null)}
            onFire={start}
            onStop={stop}
            onCopy={() => void copy()}
            onSave={saveNow}
            menu={[
              { label: t("fire.save.as"), icon: Pin, chord: "P", disabled: parsed.payload === null, run: saveAs },
              ...(chosen.saved
                ? [{ label: t("fire.save.remove"), icon: Trash2, run: () => removeSaved(chosen.saved) }]
                : []),
            ]}
            before={
              <span className="only-narrow">
                <Button
                  kind="ghost"
                  size="small"
                  icon={PanelLeft}
                  label={t("fire.fixtures")}
                  chord="B"
                  onClick={() => setHidden("fire.tree.over", treeOver)}
                />
              </span>
            }
          />
        </SizedPane>
        {saving && parsed.payload ? (
          <SaveFixture
            what={{ dialect: chosen.dialect, event: chosen.event, payload: parsed.payload }}
            name={fixtureName(suggested)}
            fixtures={fixtures}
            onSaved={(fixture) => {
              setDraft(draftKey, null);
              open(fixture);
            }}
            onClose={() => setSaving(false)}
          />
        ) : null}
        <Pane label={t("fire.result")} className="result">
          {run.fault ? <FaultNote fault={run.fault} /> : null}
          {run.trace ? (
            <Result trace={run.trace} draw={run.first} step={step} onStep={setStep} project={project} />
          ) : run.fault ? null : (
            <Planned project={project} dialect={chosen.dialect} event={chosen.event} payload={parsed.payload ?? {}} />
          )}
        </Pane>
      </div>
    </Page>
  );
}

/** The payload as an object, or what is wrong with the text. */
function parse(text: string): { payload: Record<string, unknown> | null; error: string | null } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { payload: value as Record<string, unknown>, error: null };
    }
    return { payload: null, error: "object" };
  } catch (thrown) {
    return { payload: null, error: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
