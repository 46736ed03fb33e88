/** The projects and folders whose hook files are followed. */
import { FolderDot, X } from "lucide-react";
import { Button, Cut, Icon, InlineCode, Note, toast } from "@/components";
import { useOpenFolder } from "@/domain/openProject";
import { useAppState } from "@/domain/project";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { say } from "@/i18n/messages";
import { useCommand } from "@/ipc";
import { shortPath } from "@/lib/names";
import { ListSetting, NumberSetting, Section } from "./fields";

export function Watching() {
  const state = useAppState();
  const openFolder = useOpenFolder();
  const remove = useCommand("projects.remove", {
    stale: ["projects", "state"],
    onError: toastFault,
  });
  const add = useCommand("projects.add", { stale: ["projects", "state"], onError: toastFault });
  const projects = state?.projects ?? [];
  return (
    <Section title={t("settings.watching")} about={t("settings.projectsAbout")}>
      {state && !state.watching.live ? (
        <Note kind="warning" lead={t("hooks.notLive")}>
          <InlineCode text={say(state.watching, state.watching.why)} />
        </Note>
      ) : state ? (
        <p className="text-tiny dim">{t("settings.watchState", { count: state.watching.there })}</p>
      ) : null}
      <div>
        <h3 style={{ marginBottom: "var(--s-1)" }}>{t("settings.projects")}</h3>
        {projects.length === 0 ? <p className="text-small dim">{t("settings.noProjects")}</p> : null}
        {projects.map((project) => (
          <div
            key={project.path}
            className="flex items-center gap-4 min-h-row-2 py-2 border-b border-line-1 [&:has(textarea)]:items-start max-barred:flex-col max-barred:items-stretch max-barred:gap-1.5 max-barred:[&:has(.switch)]:flex-row max-barred:[&:has(.switch)]:items-center max-barred:[&:has(.switch)>.settings-words]:flex-1"
          >
            <Icon of={FolderDot} size={14} className="dim" />
            <span className="grow">
              <span className="medium">{project.name}</span>
              <Cut className="field-note mono block" text={project.path}>
                {shortPath(project.path)}
                {project.exists ? "" : ` · ${t("shell.project.missing")}`}
              </Cut>
            </span>
            <Button
              kind="ghost"
              size="small"
              icon={X}
              label={t("shell.project.removeFromList")}
              onClick={() =>
                remove.mutate(
                  { path: project.path },
                  {
                    onSuccess: () =>
                      toast(t("shell.project.removed", { name: project.name }), {
                        label: t("undo"),
                        run: () => add.mutate({ path: project.path }),
                      }),
                  },
                )
              }
            />
          </div>
        ))}
        <div style={{ marginTop: "var(--s-2)" }}>
          <Button onClick={openFolder}>{t("shell.project.openFolder")}</Button>
        </div>
      </div>
      <ListSetting name="watch.skills_roots" label={t("settings.skillsRoots")} about={t("settings.skillsRootsHint")} />
      <NumberSetting
        name="watch.settle_ms"
        label={t("settings.settle")}
        about={t("settings.settleAbout")}
        unit={t("settings.ms")}
        min={0}
      />
    </Section>
  );
}
