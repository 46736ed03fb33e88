import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { CodePane, type CodeProblem, FaultNote, Skeleton } from "@/components";
import { locationOf } from "@/domain/hooks/facts";
import { useMessages } from "@/i18n/messages";
import { useCall } from "@/ipc";
import { escapeInvisible } from "@/lib/escape";
import { baseName, shortPath } from "@/lib/names";

interface SourceTabProps {
  path: string;
  line: number | null;
  project: string;
}

/** The file as it stands on disk, with its problems, opened at a line. */
export function SourceTab({ path, line, project }: SourceTabProps) {
  const { t } = useTranslation();
  const { say, hint } = useMessages();
  const text = useCall("hooks.text", { project, path }, { enabled: path !== "" });
  const problems = useMemo<CodeProblem[]>(
    () =>
      (text.data?.problems ?? []).flatMap((problem) => {
        if (problem.line === null) return [];
        const advice = hint(problem, problem.hint);
        const message = escapeInvisible(say(problem, problem.message));
        return [
          {
            line: problem.line,
            column: problem.column,
            severity: problem.severity,
            message: advice ? `${message}\n${advice}` : message,
          },
        ];
      }),
    [text.data?.problems, say, hint],
  );
  if (path === "") return <p className="pad-16 text-small dim">{t("hooks.drawer.noSource")}</p>;
  if (text.error !== null) return <FaultNote fault={text.error} onRetry={() => void text.refetch()} />;
  if (text.data === undefined) return <Skeleton what={baseName(path)} height={20} />;
  return (
    <>
      <div className="pane-head">
        <span className="mono text-tiny trunc" title={path}>
          {locationOf({ line, column: null }, shortPath(path, project))}
        </span>
      </div>
      <CodePane
        label={baseName(path)}
        value={text.data.text}
        language={/\.json$/.test(path) ? "json" : /\.ya?ml$/.test(path) ? "yaml" : "text"}
        problems={problems}
        line={line}
      />
    </>
  );
}
