import { ChevronsUpDown, FolderDot } from "lucide-react";
import { useRef, useState } from "react";
import { Icon, Tooltip } from "@/components";
import { useProject } from "@/domain/project";
import { t } from "@/i18n";
import { useCall } from "@/ipc";
import { baseName, shortPath } from "@/lib/names";
import ProjectMenu from "./ProjectMenu";

export function ProjectSwitcher() {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { data } = useCall("state", {});
  const project = useProject();
  const current = data?.projects.find((one) => one.path === project);
  const name = current?.name ?? (project ? baseName(project) : t("shell.project.none"));
  return (
    <>
      <Tooltip text={project ? shortPath(project) : name} side="right">
        <button
          ref={button}
          type="button"
          className="h-7 flex items-center gap-2 px-2 rounded-2 w-full text-sm/[inherit] border border-line-2 bg-1 text-ink-1 font-medium [&_span]:flex-1 [&_span]:text-left [transition:background_var(--t-1)] hover:bg-3 active:bg-4 [&_.trunc]:flex-1 [&_.trunc]:text-left max-docked:[&_span]:hidden max-docked:[&_.dim]:hidden max-docked:justify-center max-docked:p-0"
          aria-label={`${t("shell.project.label")}: ${name}`}
          aria-haspopup="dialog"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <Icon of={FolderDot} size={14} />
          <span className="trunc">{name}</span>
          <Icon of={ChevronsUpDown} size={12} className="dim" />
        </button>
      </Tooltip>
      {open ? <ProjectMenu anchor={button} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
