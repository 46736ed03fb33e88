import { Check, ChevronsUpDown, FlaskConical, FolderDot, FolderOpen, X } from "lucide-react";
import { Popover } from "radix-ui";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, Icon, Tooltip, toast } from "@/components";
import { useOpenFolder, useOpenSample } from "@/domain/openProject";
import { useOpenProject, useProject } from "@/domain/project";
import { useMessages } from "@/i18n/messages";
import { asFault, useCall, useCommand } from "@/ipc";
import { baseName, shortPath } from "@/lib/names";

export function ProjectSwitcher() {
  const { t } = useTranslation();
  const say = useMessages();
  const [open, setOpen] = useState(false);
  const { data } = useCall("state", {});
  const project = useProject();
  const openProject = useOpenProject();
  const openFolder = useOpenFolder();
  const sample = useOpenSample();
  const remove = useCommand("projects.remove", {
    stale: ["projects", "state"],
    onError: (fault) => toast(say.fault(fault).message, null, "error"),
  });
  const projects = data?.projects ?? [];
  const current = projects.find((one) => one.path === project);
  const name = current?.name ?? (project ? baseName(project) : t("shell.project.none"));

  const choose = (path: string) => {
    setOpen(false);
    openProject(path, true).catch((thrown: unknown) => toast(say.fault(asFault(thrown)).message, null, "error"));
  };
  const forget = (path: string, label: string) => {
    remove.mutate(
      { path },
      {
        onSuccess: () =>
          toast(t("shell.project.removed", { name: label }), {
            label: t("undo"),
            run: () => void openProject(path, false),
          }),
      },
    );
  };
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Tooltip text={project ? shortPath(project) : name} side="right">
        <Popover.Trigger asChild>
          <button type="button" className="project-button" aria-label={`${t("shell.project.label")}: ${name}`}>
            <Icon of={FolderDot} size={14} />
            <span className="trunc">{name}</span>
            <Icon of={ChevronsUpDown} size={12} className="dim" />
          </button>
        </Popover.Trigger>
      </Tooltip>
      <Popover.Portal>
        <Popover.Content className="popover" align="start" sideOffset={4} collisionPadding={8} style={{ width: 320 }}>
          {projects.length > 0 ? <div className="popover-heading">{t("shell.project.recent")}</div> : null}
          {projects.map((one) => (
            <div key={one.path} className="row" style={{ gap: "var(--s-1)" }}>
              <button type="button" className="popover-item grow" onClick={() => choose(one.path)}>
                <Icon of={FolderDot} size={14} />
                <span className="grow">
                  <span className="trunc" style={{ display: "block" }}>
                    {one.name}
                  </span>
                  <span className="text-tiny dim trunc mono" style={{ display: "block" }}>
                    {one.exists ? shortPath(one.path) : `${shortPath(one.path)} · ${t("shell.project.missing")}`}
                  </span>
                </span>
                {one.path === project ? <Icon of={Check} size={14} /> : null}
              </button>
              <Button
                kind="ghost"
                size="small"
                icon={X}
                label={t("shell.project.removeFromList")}
                onClick={() => forget(one.path, one.name)}
              />
            </div>
          ))}
          {projects.length > 0 ? <div className="popover-line" /> : null}
          <button
            type="button"
            className="popover-item"
            onClick={() => {
              setOpen(false);
              openFolder();
            }}
          >
            <Icon of={FolderOpen} size={14} />
            {t("shell.project.openFolder")}
          </button>
          <button
            type="button"
            className="popover-item"
            onClick={() => {
              setOpen(false);
              sample.run();
            }}
          >
            <Icon of={FlaskConical} size={14} />
            {t("shell.project.sample")}
          </button>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
