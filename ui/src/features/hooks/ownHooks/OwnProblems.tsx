import { InlineCode, Note } from "@/components";
import { locationOf } from "@/domain/hooks/facts";
import { problemText } from "@/domain/hooks/problemText";
import { rejectedFiles } from "@/domain/hooks/rejectedFiles";
import { t } from "@/i18n";
import type { HooksDocument } from "@/ipc";
import { agentName, useDialects } from "@/ipc/dialects";
import { baseName, shortPath } from "@/lib/names";

/** What is wrong in the user's own files. A project is needed for advice, so there is none here. */
export function OwnProblems({ document }: { document: HooksDocument }) {
  const { title, advice } = problemText(document.hooks);
  const dialects = useDialects();
  const problems = document.problems.filter(({ severity }) => severity !== "hint");
  if (problems.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys
    <section className="flex-none max-h-[30%] overflow-auto" tabIndex={0} aria-label={t("hooks.problems")}>
      {rejectedFiles(document).map(({ path, dialect }) => (
        <Note key={path} kind="error" className="flat">
          {t("notRun.rejectsNamed", {
            agent: agentName(dialects, dialect),
            file: baseName(path),
          })}
        </Note>
      ))}
      {problems.map((problem) => (
        <Note
          key={`${problem.path} ${problem.code} ${problem.line} ${problem.column}`}
          kind={problem.severity === "error" ? "error" : "warning"}
          className="flat"
          lead={locationOf(problem, shortPath(problem.path))}
        >
          <InlineCode text={title(problem)} />
          <span className="block">
            <InlineCode text={advice(problem) ?? ""} />
          </span>
        </Note>
      ))}
    </section>
  );
}
