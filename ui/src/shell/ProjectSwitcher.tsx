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
          className="project-button"
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
