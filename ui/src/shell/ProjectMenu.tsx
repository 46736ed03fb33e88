import { Check, FlaskConical, FolderDot, FolderOpen, Search, X } from "lucide-react";
import { Popover } from "radix-ui";
import { type KeyboardEvent, type RefObject, useRef, useState } from "react";
import { Button, Icon, Input, toast } from "@/components";
import { useOpenFolder, useOpenSample } from "@/domain/openProject";
import { useOpenProject, useProject } from "@/domain/project";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { useCall, useCommand } from "@/ipc";
import { shortPath } from "@/lib/names";

interface ProjectMenuProps {
  anchor: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
}

/** More projects than this have a search above them. */
const SEARCH_ABOVE = 8;

/** The arrow keys go from entry to entry; Tab also reaches what removes one. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (by === 0) return;
  const entries = [...event.currentTarget.querySelectorAll<HTMLElement>(".popover-item")];
  const focused = document.activeElement;
  const at = focused instanceof HTMLElement ? entries.indexOf(focused) : -1;
  const from = at < 0 && by < 0 ? 0 : at;
  entries[(from + by + entries.length) % entries.length]?.focus();
  event.preventDefault();
}

/** The projects, and ways to open another one. */
export default function ProjectMenu({ anchor, onClose }: ProjectMenuProps) {
  const { data } = useCall("state", {});
  const project = useProject();
  const openProject = useOpenProject();
  const openFolder = useOpenFolder();
  // The dialog for a folder takes the focus itself.
  const asksForFolder = useRef(false);
  const sample = useOpenSample();
  const remove = useCommand("projects.remove", {
    stale: ["projects", "state"],
    onError: toastFault,
  });
  const projects = data?.projects ?? [];
  const [query, setQuery] = useState("");
  const wanted = query.trim().toLowerCase();
  const shown = projects.filter((one) => `${one.name}\n${one.path}`.toLowerCase().includes(wanted));

  const choose = (path: string) => {
    onClose();
    openProject(path, true).catch(toastFault);
  };
  const forget = (path: string, label: string) => {
    remove.mutate(
      { path },
      {
        onSuccess: () =>
          toast(t("shell.project.removed", { name: label }), {
            label: t("undo"),
            run: () => void openProject(path, false).catch(toastFault),
          }),
      },
    );
  };
  return (
    <Popover.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Popover.Anchor virtualRef={anchor as RefObject<HTMLButtonElement>} />
      <Popover.Portal>
        <Popover.Content
          className="popover w-80"
          aria-label={t("shell.project.label")}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          onKeyDown={moveFocus}
          onPointerDownOutside={(event) => {
            // A press on the button closes the menu by itself.
            if (anchor.current?.contains(event.target as Node)) event.preventDefault();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (!asksForFolder.current) anchor.current?.focus();
          }}
        >
          {projects.length > 0 ? <div className="popover-heading">{t("shell.project.recent")}</div> : null}
          {projects.length > SEARCH_ABOVE ? (
            <Input
              icon={Search}
              aria-label={t("search")}
              placeholder={t("search")}
              value={query}
              onChange={(event) => setQuery(event.target.value)}
            />
          ) : null}
          <div className="max-h-[min(360px,50vh)] overflow-y-auto">
            {shown.map((one) => (
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
          </div>
          {projects.length > 0 ? <div className="popover-line" /> : null}
          <button
            type="button"
            className="popover-item"
            onClick={() => {
              asksForFolder.current = true;
              onClose();
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
              onClose();
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
