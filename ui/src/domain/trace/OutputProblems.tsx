/** What keeps the output of an attempt from being read: what, how to correct it, and the bytes that cause it. */
import { FileCode, Stethoscope } from "lucide-react";
import { Button, InlineCode, Note } from "@/components";
import { FileFixes } from "@/domain/hooks/FileFixes";
import { useProject } from "@/domain/project";
import { t } from "@/i18n";
import { hintOf, say } from "@/i18n/messages";
import { type Attempt, useCall } from "@/ipc";
import { capitalizeFirst, escapeInvisible } from "@/lib/escape";
import { baseName } from "@/lib/names";
import { useNavigate } from "@/routes/router";
import { type ProblemOrigin, type RecordedAttempt, useOrigins } from "./origins";
import { type Excerpt, excerptsOf } from "./outputMarks";

type OutputProblem = NonNullable<Attempt["output_problems"]>[number];

/** The problems of an attempt, or only those of one stream. */
export function problemsOf(attempt: Attempt | undefined, stream?: string): OutputProblem[] {
  return (attempt?.output_problems ?? []).filter((problem) => stream === undefined || problem.stream === stream);
}

interface OutputProblemsProps {
  attempt: Attempt | undefined;
  /** Where the attempt is recorded; undefined for one that is not. */
  recorded: RecordedAttempt | undefined;
  stream?: string;
}

export function OutputProblems({ attempt, recorded, stream }: OutputProblemsProps) {
  const problems = problemsOf(attempt, stream);
  const origins = useOrigins(recorded, problems.length > 0);
  return problems.map((problem) => (
    <OneProblem
      key={problem.code}
      problem={problem}
      origin={origins.get(problemsOf(attempt).indexOf(problem))}
      text={attempt?.[problem.stream] ?? ""}
    />
  ));
}

interface OneProblemProps {
  problem: OutputProblem;
  origin: ProblemOrigin | undefined;
  text: string;
}

function OneProblem({ problem, origin, text }: OneProblemProps) {
  const what = capitalizeFirst(say(problem, problem.message), ["stdout", "stderr"]);
  const next = hintOf(problem, problem.hint);
  return (
    <div className="border-b border-line-1">
      <Note kind="warning" icon={Stethoscope} lead={<InlineCode text={what} />} className="flat">
        {next ? <InlineCode text={capitalizeFirst(next)} /> : null}
      </Note>
      {origin === undefined ? null : <OriginActions origin={origin} />}
      {excerptsOf(text, problem.marks).map((excerpt) => (
        <figure
          key={excerpt.at}
          className="pt-1 px-4 pb-2 [&_pre]:whitespace-pre-wrap [&_pre]:wrap-anywhere [&_pre]:m-0 [&_mark]:bg-deny-bg [&_mark]:text-ink-1 [&_mark]:[outline:1px_solid_var(--deny)]"
        >
          <figcaption className="text-tiny dim">
            {t("fire.doctor.byte", { stream: problem.stream, at: excerpt.at + 1 })}
          </figcaption>
          <MarkedText excerpt={excerpt} />
        </figure>
      ))}
    </div>
  );
}

/** Corrects what wrote the output, and opens it. */
function OriginActions({ origin }: { origin: ProblemOrigin }) {
  const project = useProject() ?? "";
  const hooks = useCall("hooks.list", { project }, { enabled: project !== "" }).data?.hooks ?? [];
  const navigate = useNavigate();
  const { hook, path, line, fixes } = origin;
  const file = baseName(path);
  const search = { hook, tab: "source" as const, file: path, line: line ?? undefined };
  return (
    <div className="flex flex-wrap gap-2 pt-2 px-4">
      <FileFixes fixes={fixes} hook={hook} hooks={hooks} project={project} />
      <Button size="small" icon={FileCode} onClick={() => void navigate({ to: "/hooks", search })}>
        {line === null ? t("fire.doctor.open", { file }) : t("fire.doctor.openAt", { file, line })}
      </Button>
    </div>
  );
}

function MarkedText({ excerpt }: { excerpt: Excerpt }) {
  return (
    <pre className="mono">
      <span className="dim">{visible(excerpt.before)}</span>
      <mark>
        <span className="visually-hidden">{t("fire.doctor.marked")} </span>
        {visible(excerpt.marked)}
      </mark>
      <span className="dim">{visible(excerpt.after)}</span>
    </pre>
  );
}

/** Spaces and line ends have no form of their own, but may be what is wrong. */
function visible(text: string): string {
  return escapeInvisible(text).replaceAll("\n", "↵\n");
}
