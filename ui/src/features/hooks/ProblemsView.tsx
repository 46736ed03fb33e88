import { CircleX, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import { useEffect, useEffectEvent, useMemo, useState } from "react";
import {
  type Column,
  Cut,
  DataTable,
  Drawer,
  Empty,
  Icon,
  InlineCode,
  Note,
  Pane,
  Segmented,
  Tooltip,
} from "@/components";
import { useReportEdit } from "@/domain/hooks/afterEdit";
import { FileFixes } from "@/domain/hooks/FileFixes";
import { locationOf } from "@/domain/hooks/facts";
import { followProblem, pathOfProblem, problemKeys } from "@/domain/hooks/problemKey";
import { problemText } from "@/domain/hooks/problemText";
import { t } from "@/i18n";
import type { HookRow, HooksDocument, Problem } from "@/ipc";
import { useStepping } from "@/lib/actions";
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
  /** As the address names it. */
  key: string;
  /** Place in the engine's list. */
  index: number;
}

/** The problem that the address names. */
interface Chosen {
  /** What the address said. */
  asked: string;
  /** The last list that had it; the first one on show, where none did. */
  problems: readonly Problem[];
  /** Its place in that list; -1 where it was in none. */
  at: number;
  isGone: boolean;
}

function choose(asked: string, problems: readonly Problem[]): Chosen {
  const at = problemKeys(problems).indexOf(asked);
  return { asked, problems, at, isGone: at < 0 };
}

/** It stays what it is while the list changes: it is followed to another line, and kept when it is gone. */
function useChosen(asked: string | undefined, problems: readonly Problem[], onMoved: (key: string) => void) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [seen, setSeen] = useState(problems);
  let next = chosen;
  if (asked === undefined) next = null;
  else if (chosen?.asked !== asked) next = choose(asked, problems);
  else if (seen !== problems) {
    const at = followProblem(chosen.problems, chosen.at, problems);
    next = at < 0 ? { ...chosen, isGone: true } : { asked, problems, at, isGone: false };
  }
  if (next !== chosen) setChosen(next);
  if (seen !== problems) setSeen(problems);
  const problem = next?.problems[next.at];
  const key = next === null || next.isGone ? null : (problemKeys(next.problems)[next.at] ?? null);
  const tell = useEffectEvent(onMoved);
  useEffect(() => {
    if (key !== null && key !== asked) tell(key);
  }, [key, asked]);
  return { problem, key, isGone: next?.isGone ?? false };
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
  const { title, advice } = problemText(document.hooks);
  const [shown, setShown] = useState<Shown>("all");
  const { problems } = document;
  const rows = useMemo(() => {
    const keys = problemKeys(problems);
    return problems
      .map((problem, index): Row => ({ problem, key: keys[index] ?? "", index }))
      .filter(({ problem }) => shown === "all" || problem.severity === shown)
      .sort((a, b) => ORDER.indexOf(a.problem.severity) - ORDER.indexOf(b.problem.severity) || a.index - b.index);
  }, [problems, shown]);
  const columns = useColumns(title, advice, project);
  const choose = (problem: string | undefined) => onChange({ problem });
  const chosen = useChosen(search.problem, problems, choose);
  const selected = chosen.problem;
  const at = rows.findIndex((row) => row.key === chosen.key);
  const step = useStepping(rows, at, (row) => choose(row.key));
  if (problems.length === 0 && selected === undefined) {
    return <Empty title={t("hooks.problem.none")} text={t("hooks.problem.noneText")} />;
  }
  const counts = (severity: Problem["severity"]) => problems.filter((problem) => problem.severity === severity).length;
  return (
    <>
      <Pane label={t("hooks.problem.table")}>
        <div className="pane-head">
          <Segmented<Shown>
            label={t("hooks.problem.table")}
            value={shown}
            onChange={setShown}
            items={[
              { value: "all", label: `${t("hooks.problem.filter.all")} ${problems.length}` },
              ...ORDER.map((severity) => ({
                value: severity,
                label: `${t(`hooks.problem.filter.${severity}`)} ${counts(severity)}`,
              })),
            ]}
          />
        </div>
        {chosen.isGone && selected === undefined ? (
          <Note kind="plain" className="flat">
            {t("hooks.problem.gone")}
          </Note>
        ) : null}
        <DataTable
          label={t("hooks.problem.table")}
          columns={columns}
          rows={rows}
          rowKey={({ key }) => key}
          rowHeight={44}
          selected={chosen.key}
          onSelect={({ key }) => choose(key)}
        />
      </Pane>
      {selected ? (
        <ProblemDrawer
          problem={selected}
          isGone={chosen.isGone}
          title={title(selected)}
          advice={advice(selected)}
          document={document}
          project={project}
          onStep={step}
          onClose={() => choose(undefined)}
        />
      ) : null}
    </>
  );
}

type TextOf<T> = (problem: Problem) => T;

function useColumns(title: TextOf<string>, advice: TextOf<string | null>, project: string): Column<Row>[] {
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
            <Cut className="block medium" text={title(problem)}>
              <InlineCode text={oneLine(title(problem))} />
            </Cut>
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
          <Tooltip text={locationOf(problem, problem.path)}>
            <span className="row mono text-tiny gap-0 [&>span:last-child]:flex-none">
              <span className="trunc">{shortPath(problem.path, project)}</span>
              <span>{locationOf(problem, "")}</span>
            </span>
          </Tooltip>
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
    [title, advice, project],
  );
}

interface ProblemDrawerProps {
  problem: Problem;
  /** It is in the list no more; its file stays open. */
  isGone: boolean;
  title: string;
  advice: string | null;
  document: HooksDocument;
  project: string;
  onStep: (by: -1 | 1) => void;
  onClose: () => void;
}

/** One problem, with its file below it. */
function ProblemDrawer(props: ProblemDrawerProps) {
  const { problem, isGone, title, advice, document, project, onStep, onClose } = props;
  const report = useReportEdit(project);
  const shows = ({ view, problem: key }: HooksSearch) =>
    view === "problems" && key !== undefined && pathOfProblem(key) === problem.path;
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
        {isGone ? (
          <Note kind="plain">{t("hooks.problem.gone")}</Note>
        ) : (
          <>
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
            <FileFixes fixes={problem.fixes} hook={problem.hook} hooks={document.hooks} project={project} />
          </>
        )}
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
