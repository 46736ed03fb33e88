import { CircleX, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { type Column, DataTable, Drawer, Empty, Icon, InlineCode, Note, Pane, Segmented, Tooltip } from "@/components";
import { useReportEdit } from "@/domain/hooks/afterEdit";
import { locationOf } from "@/domain/hooks/facts";
import { ProblemFixes } from "@/domain/hooks/ProblemFixes";
import { useProblemText } from "@/domain/hooks/problemText";
import { useTranslation } from "@/i18n";
import type { HookRow, HooksDocument, Problem } from "@/ipc";
import { itemAfter, useRowActions } from "@/lib/actions";
import { oneLine } from "@/lib/escape";
import { baseName, shortPath } from "@/lib/names";
import type { HooksSearch } from "@/routes/search";
import { SourceTab } from "./SourceTab";
import { LeaveGuard } from "./source/LeaveGuard";

const LOOKS: Record<Problem["severity"], [string, LucideIcon]> = {
  error: ["ink-deny", CircleX],
  warning: ["ink-late", TriangleAlert],
  hint: ["ink-accent", Info],
};
const ORDER: readonly Problem["severity"][] = ["error", "warning", "hint"];

type Shown = "all" | Problem["severity"];

interface Row {
  problem: Problem;
  /** Place in the engine's list, which the address keeps. */
  index: number;
}

/** The hook of a problem that is in a script, and not in the file with its definition. */
function ownerOf({ hook, path }: Problem, hooks: readonly HookRow[]): string | null {
  const named = hooks.filter((one) => one.hook === hook);
  return named.length > 0 && named.every((one) => one.path !== path) ? hook : null;
}

interface ProblemsViewProps {
  document: HooksDocument;
  project: string;
  search: HooksSearch;
  onChange: (part: Partial<HooksSearch>) => void;
}

/** Everything that is wrong, or could be: place, message, hint and code, with the file beside it. */
export default function ProblemsView({ document, project, search, onChange }: ProblemsViewProps) {
  const { t } = useTranslation();
  const { title, advice } = useProblemText(document.hooks);
  const [shown, setShown] = useState<Shown>("all");
  const rows = useMemo(
    () =>
      document.problems
        .map((problem, index) => ({ problem, index }))
        .filter(({ problem }) => shown === "all" || problem.severity === shown)
        .sort((a, b) => ORDER.indexOf(a.problem.severity) - ORDER.indexOf(b.problem.severity) || a.index - b.index),
    [document.problems, shown],
  );
  const columns = useColumns(title, advice, project);
  const selected = search.problem === undefined ? undefined : document.problems[search.problem];
  const step = (by: -1 | 1) => {
    const at = rows.findIndex((row) => row.index === search.problem);
    const next = itemAfter(rows, at, by);
    if (next) onChange({ problem: next.index });
  };
  useRowActions(step);
  if (document.problems.length === 0) {
    return <Empty middle title={t("hooks.problem.none")} text={t("hooks.problem.noneText")} />;
  }
  const counts = (severity: Problem["severity"]) =>
    document.problems.filter((problem) => problem.severity === severity).length;
  return (
    <>
      <Pane label={t("hooks.problem.table")}>
        <div className="pane-head">
          <Segmented<Shown>
            label={t("hooks.problem.table")}
            value={shown}
            onChange={setShown}
            items={[
              { value: "all", label: `${t("hooks.problem.filter.all")} ${document.problems.length}` },
              ...ORDER.map((severity) => ({
                value: severity,
                label: `${t(`hooks.problem.filter.${severity}`)} ${counts(severity)}`,
              })),
            ]}
          />
        </div>
        <DataTable
          label={t("hooks.problem.table")}
          columns={columns}
          rows={rows}
          rowKey={({ index }) => String(index)}
          rowHeight={44}
          selected={search.problem === undefined ? null : String(search.problem)}
          onSelect={({ index }) => onChange({ problem: index })}
        />
      </Pane>
      {selected ? (
        <ProblemDrawer
          problem={selected}
          title={title(selected)}
          advice={advice(selected)}
          document={document}
          project={project}
          onStep={step}
          onClose={() => onChange({ problem: undefined })}
        />
      ) : null}
    </>
  );
}

type TextOf<T> = (problem: Problem) => T;

function useColumns(title: TextOf<string>, advice: TextOf<string | null>, project: string): Column<Row>[] {
  const { t } = useTranslation();
  return useMemo<Column<Row>[]>(
    () => [
      {
        id: "severity",
        head: null,
        headLabel: t("hooks.problem.what"),
        width: "44px",
        cell: ({ problem }) => {
          const [colour, drawing] = LOOKS[problem.severity];
          return (
            <Tooltip text={t(`words.severity.${problem.severity}`)}>
              <span className={colour}>
                <Icon of={drawing} size={14} />
                <span className="visually-hidden">{t(`words.severity.${problem.severity}`)}</span>
              </span>
            </Tooltip>
          );
        },
      },
      {
        id: "what",
        head: t("hooks.problem.what"),
        cell: ({ problem }) => (
          <>
            <div className="medium trunc" title={title(problem)}>
              <InlineCode text={oneLine(title(problem))} />
            </div>
            <div className="text-tiny dim trunc under">
              <InlineCode text={oneLine(advice(problem) ?? "")} />
            </div>
          </>
        ),
      },
      {
        id: "where",
        head: t("hooks.problem.where"),
        width: "200px",
        cell: ({ problem }) => (
          // The path gives way, not the line.
          <span className="row mono text-tiny problem-place" title={locationOf(problem, problem.path)}>
            <span className="trunc">{shortPath(problem.path, project)}</span>
            <span>{locationOf(problem, "")}</span>
          </span>
        ),
      },
      {
        id: "code",
        head: t("hooks.problem.code"),
        width: "130px",
        wide: true,
        cell: ({ problem }) => <span className="mono text-tiny dim">{problem.code}</span>,
      },
    ],
    [t, title, advice, project],
  );
}

interface ProblemDrawerProps {
  problem: Problem;
  title: string;
  advice: string | null;
  document: HooksDocument;
  project: string;
  onStep: (by: -1 | 1) => void;
  onClose: () => void;
}

/** One problem, with its file below it. */
function ProblemDrawer({ problem, title, advice, document, project, onStep, onClose }: ProblemDrawerProps) {
  const { t } = useTranslation();
  const report = useReportEdit(project);
  const { problems } = document;
  const shows = useCallback(
    ({ view, problem: index }: HooksSearch) =>
      view === "problems" && index !== undefined && problems[index]?.path === problem.path,
    [problems, problem.path],
  );
  return (
    <Drawer
      id="hooks.problem"
      label={t("hooks.problem.detail")}
      width={420}
      head={
        <>
          <span className={LOOKS[problem.severity][0]}>
            <Icon of={LOOKS[problem.severity][1]} size={16} />
          </span>
          <h2 className="mono trunc">{problem.code}</h2>
        </>
      }
      onClose={onClose}
      onStep={onStep}
      arrows
    >
      <div className="section column" style={{ gap: 8 }}>
        <Note
          kind={problem.severity === "error" ? "error" : problem.severity === "warning" ? "warning" : "info"}
          lead={locationOf(problem, shortPath(problem.path, project))}
        >
          <InlineCode text={title} />
        </Note>
        {advice ? (
          <p className="text-small ink-2">
            <InlineCode text={advice} />
          </p>
        ) : null}
        <ProblemFixes problem={problem} hooks={document.hooks} project={project} />
        {document.sources.some((source) => source.path === problem.path && source.last_good) ? (
          <p className="text-small ink-late">{t("hooks.problem.lastGood")}</p>
        ) : null}
      </div>
      <div className="pane-body column" style={{ borderTop: "1px solid var(--line-1)" }}>
        <SourceTab
          path={problem.path}
          hook={problem.hook}
          line={problem.line}
          owner={ownerOf(problem, document.hooks)}
          project={project}
          onSaved={(doc, reload) => {
            const file = baseName(problem.path);
            const what = t("edits.did.save", { file });
            report(doc, t("editor.saved", { file }), { what, onUndone: reload, onRedone: reload });
          }}
        />
      </div>
      <LeaveGuard project={project} path={problem.path} shows={shows} />
    </Drawer>
  );
}
