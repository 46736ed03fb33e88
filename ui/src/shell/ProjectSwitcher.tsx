import { Check, ChevronsUpDown, FlaskConical, FolderDot, FolderOpen, X } from "lucide-react";
import { Popover } from "radix-ui";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { create } from "zustand";
import { Button, Field, Icon, Input, Sheet, Tooltip, toast } from "@/components";
import { useOpenProject, useProject } from "@/domain/project";
import { useMessages } from "@/i18n/messages";
import { asFault, inWindow, useCall, useCommand } from "@/ipc";
import { baseName, shortPath } from "@/lib/names";
import { useView } from "@/lib/view";

/** Whether the box that asks for a path is open; only the browser page needs one. */
export const useFolderDialog = create<{ open: boolean; setOpen: (open: boolean) => void }>()((set) => ({
  open: false,
  setOpen: (open) => set({ open }),
}));

/** Opens a folder: through the system's dialog in the window, by its path in a browser. */
export function useOpenFolder(): () => void {
  const { t } = useTranslation();
  const say = useMessages();
  const openProject = useOpenProject();
  const setOpen = useFolderDialog((box) => box.setOpen);
  return () => {
    if (!inWindow()) {
      setOpen(true);
      return;
    }
    void (async () => {
      try {
        const { open } = await import("@tauri-apps/plugin-dialog");
        const path = await open({ directory: true, title: t("shell.project.openFolder") });
        if (path !== null) await openProject(path, false);
      } catch (thrown) {
        toast(say.fault(asFault(thrown)).message, null, "error");
      }
    })();
  };
}

/** Copies the sample project, adds it and goes there. */
export function useOpenSample(): { run: () => void; busy: boolean } {
  const say = useMessages();
  const setProject = useView((view) => view.setProject);
  const sample = useCommand("sample.open", {
    stale: ["projects", "state", "hooks", "trust"],
    onSuccess: ({ path }) => setProject(path),
    onError: (fault) => toast(say.fault(fault).message, null, "error"),
  });
  return { run: () => sample.mutate({}), busy: sample.isPending };
}

/** The box that asks for a path; there is one for the whole page. */
export function FolderDialog() {
  const { t } = useTranslation();
  const { fault: words } = useMessages();
  const { open, setOpen } = useFolderDialog();
  const openProject = useOpenProject();
  const [path, setPath] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const close = () => {
    setOpen(false);
    setError(null);
    setPath("");
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (path.trim() === "") return;
    setBusy(true);
    openProject(path.trim(), false)
      .then(close)
      .catch((thrown: unknown) => {
        const { message, hint } = words(asFault(thrown));
        setError(hint ? `${message} ${hint}` : message);
      })
      .finally(() => setBusy(false));
  };
  return (
    <Sheet open={open} title={t("shell.project.openFolder")} onClose={close}>
      <form className="pad16 col gap12" onSubmit={submit}>
        <Field label={t("shell.project.path")} hint={t("shell.project.pathHint")} error={error}>
          {({ id, describedBy }) => (
            <Input
              id={id}
              aria-describedby={describedBy}
              mono
              autoFocus
              value={path}
              invalid={error !== null}
              placeholder="/home/me/code/project"
              onChange={(event) => {
                setPath(event.target.value);
                setError(null);
              }}
            />
          )}
        </Field>
        <div className="row" style={{ justifyContent: "flex-end" }}>
          <Button onClick={close}>{t("cancel")}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {t("open")}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

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
          <button type="button" className="ws" aria-label={`${t("shell.project.label")}: ${name}`}>
            <Icon of={FolderDot} size={14} />
            <span className="trunc">{name}</span>
            <Icon of={ChevronsUpDown} size={12} className="dim" />
          </button>
        </Popover.Trigger>
      </Tooltip>
      <Popover.Portal>
        <Popover.Content className="pop" align="start" sideOffset={4} collisionPadding={8} style={{ width: 320 }}>
          {projects.length > 0 ? <div className="pop-h">{t("shell.project.recent")}</div> : null}
          {projects.map((one) => (
            <div key={one.path} className="row" style={{ gap: "var(--s-1)" }}>
              <button type="button" className="pop-i grow" onClick={() => choose(one.path)}>
                <Icon of={FolderDot} size={14} />
                <span className="grow">
                  <span className="trunc" style={{ display: "block" }}>
                    {one.name}
                  </span>
                  <span className="xs dim trunc mono" style={{ display: "block" }}>
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
          {projects.length > 0 ? <div className="pop-line" /> : null}
          <button
            type="button"
            className="pop-i"
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
            className="pop-i"
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
