import { CircleX } from "lucide-react";
import { Icon } from "@/components";
import type { RejectedFile } from "@/domain/hooks/rejectedFiles";
import { t } from "@/i18n";
import type { Problem } from "@/ipc";
import { useAgentName } from "@/ipc/dialects";
import { baseName } from "@/lib/names";

interface RejectedBarProps {
  file: RejectedFile;
  /** Names the file, where it does not stand under its name. */
  named?: boolean;
  onProblem: (problem: Problem) => void;
}

/** The gravest thing a file can have: its agent runs nothing of it. */
export default function RejectedBar({ file, named = false, onProblem }: RejectedBarProps) {
  const agent = useAgentName(file.dialect);
  return (
    <span
      className="flex items-center gap-2 min-h-7 mt-0.5 mb-1 px-2 rounded-2 bg-deny-bg shadow-[inset_2px_0_0_var(--deny)] text-ink-1 text-sm/[inherit] [&>.icon]:text-deny [.pane>&]:flex-none [.pane>&]:my-1 [.pane>&]:mx-3"
      role="note"
    >
      <Icon of={CircleX} size={14} />
      <span className="trunc grow">
        {named ? t("notRun.rejectsNamed", { agent, file: baseName(file.path) }) : t("notRun.rejects", { agent })}
      </span>
      <button type="button" className="link" onClick={() => onProblem(file.problem)}>
        {t("notRun.showProblem")}
      </button>
    </span>
  );
}
