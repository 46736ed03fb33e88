/** What keeps the output of an attempt from being read: what, how to correct it, and the bytes that cause it. */
import { Stethoscope } from "lucide-react";
import { InlineCode, Note } from "@/components";
import { t } from "@/i18n";
import { hintOf, say } from "@/i18n/messages";
import type { Attempt } from "@/ipc";
import { capitalizeFirst, escapeInvisible } from "@/lib/escape";
import { type Excerpt, excerptsOf } from "./outputMarks";

type OutputProblem = NonNullable<Attempt["output_problems"]>[number];

/** The problems of an attempt, or only those of one stream. */
export function problemsOf(attempt: Attempt | undefined, stream?: string): OutputProblem[] {
  return (attempt?.output_problems ?? []).filter((problem) => stream === undefined || problem.stream === stream);
}

export function OutputProblems({ attempt, stream }: { attempt: Attempt | undefined; stream?: string }) {
  return problemsOf(attempt, stream).map((problem) => (
    <OneProblem key={problem.code} problem={problem} text={attempt?.[problem.stream] ?? ""} />
  ));
}

function OneProblem({ problem, text }: { problem: OutputProblem; text: string }) {
  const what = capitalizeFirst(say(problem, problem.message), ["stdout", "stderr"]);
  const next = hintOf(problem, problem.hint);
  return (
    <div className="border-b border-line-1">
      <Note kind="warning" icon={Stethoscope} lead={<InlineCode text={what} />} className="flat">
        {next ? <InlineCode text={capitalizeFirst(next)} /> : null}
      </Note>
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
