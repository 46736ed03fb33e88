/** Files whose last valid version is in use here and not in the agent: which file, since when, and what the agent does. */
import { FileX } from "lucide-react";
import { Button, healthSentence, Icon, InlineCode, Tooltip } from "@/components";
import { t } from "@/i18n";
import type { HooksDocument } from "@/ipc";
import { agentName, useDialects } from "@/ipc/dialects";
import { shortPath } from "@/lib/names";
import { useNavigate } from "@/routes/router";
import { problemKey } from "./problemKey";

interface FileBarsProps {
  document: HooksDocument | undefined;
  project: string;
}

/** One bar for all of them, below the page bar of every screen that judges. */
export function FileBars({ document, project }: FileBarsProps) {
  const dialects = useDialects();
  const navigate = useNavigate();
  const lost = (document?.sources ?? []).filter(({ health }) => health.code === "last_good");
  if (lost.length === 0) return null;
  return (
    <ul className="flex-none bg-fail-bg border-b border-fail-line" aria-label={t("hooks.files.label")}>
      {lost.map(({ dialect, path, health }) => {
        const agent = agentName(dialects, dialect);
        const inFile = document?.problems.filter((one) => one.path === path || one.path.startsWith(`${path}/`));
        const problem = inFile?.find(({ severity }) => severity === "error");
        const line = Number(health.args.line) || problem?.line;
        const sentence = healthSentence({ path: shortPath(path, project), health }, agent) ?? "";
        return (
          <li key={path} className="flex items-center gap-3 py-2 px-4 text-small ink-1">
            <span className="ink-fail">
              <Icon of={FileX} size={16} />
            </span>
            <Tooltip text={path}>
              <span className="grow wrap">
                <InlineCode text={sentence} />
              </span>
            </Tooltip>
            <Button
              size="small"
              onClick={() =>
                void navigate({ to: "/hooks", search: { view: "problems", problem: problem && problemKey(problem) } })
              }
            >
              {line ? t("hooks.files.openLine", { line }) : t("notRun.showProblem")}
            </Button>
          </li>
        );
      })}
    </ul>
  );
}
