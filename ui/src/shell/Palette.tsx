import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import {
  BellOff,
  BellRing,
  FlaskConical,
  FolderDot,
  FolderOpen,
  History,
  Keyboard,
  Languages,
  ListTree,
  type LucideIcon,
  Search,
  SearchCheck,
  Settings,
  ShieldQuestionMark,
  SunMoon,
  TriangleAlert,
  Zap,
} from "lucide-react";
import { Dialog } from "radix-ui";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { HandlerIcon, Icon } from "@/components";
import { useSetAppearance } from "@/domain/appearance";
import { useMute } from "@/domain/hooks/mute";
import { useOpenProject, useProject } from "@/domain/project";
import { type HookRow, useCall } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { oneLine } from "@/lib/escape";
import { keyCap } from "@/lib/keys";
import { useActions } from "./actions";
import { useOpenFolder, useOpenSample } from "./ProjectSwitcher";

const HALF_HOUR_MS = 30 * 60_000;
const MAX_HOOKS = 60;

interface PaletteProps {
  open: boolean;
  onClose: () => void;
  onKeys: () => void;
}

export function Palette({ open, onClose, onKeys }: PaletteProps) {
  const { t } = useTranslation();
  return (
    <Dialog.Root open={open} onOpenChange={(now) => (now ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Overlay className="scrim" />
        <Dialog.Content className="pal" aria-describedby={undefined}>
          <Dialog.Title className="hide">{t("shell.palette.label")}</Dialog.Title>
          <Body onClose={onClose} onKeys={onKeys} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Body({ onClose, onKeys }: Omit<PaletteProps, "open">) {
  const { t } = useTranslation();
  const [query, setQuery] = useState("");
  const navigate = useNavigate();
  const project = useProject();
  const hooks = useCall("hooks.list", { project: project ?? "" }, { enabled: project !== null }).data?.hooks ?? [];
  const projects = useCall("state", {}).data?.projects ?? [];
  const lists = useActions((store) => store.lists);
  const appearance = useSetAppearance();
  const openProject = useOpenProject();
  const openFolder = useOpenFolder();
  const sample = useOpenSample();
  const mute = useMute(project);
  const wanted = query.trim().toLowerCase();
  const found = hooks
    .filter((hook) => `${hook.label} ${hook.event}`.toLowerCase().includes(wanted))
    .slice(0, MAX_HOOKS);
  const chosen = wanted === "" ? [] : found.slice(0, 1);

  const then = (run: () => void) => () => {
    onClose();
    run();
  };
  return (
    <Command label={t("shell.palette.label")} loop>
      <div className="q">
        <Icon of={Search} size={16} className="dim" />
        <Command.Input value={query} onValueChange={setQuery} placeholder={t("shell.palette.placeholder")} />
      </div>
      <Command.List>
        <Command.Empty>{t("shell.palette.empty")}</Command.Empty>
        {found.length > 0 ? (
          <Command.Group heading={t("shell.palette.hooks")}>
            {found.map((hook) => (
              <HookEntry
                key={hook.hook}
                hook={hook}
                onPick={then(() => void navigate({ to: "/hooks", search: { hook: hook.hook } }))}
              />
            ))}
          </Command.Group>
        ) : null}
        <Command.Group heading={t("shell.palette.do")}>
          {chosen.map((hook) => (
            <HookActions key={hook.hook} hook={hook} then={then} onMute={mute} />
          ))}
          {[...lists.values()].flat().map((action) => (
            <Entry
              key={action.id}
              id={action.id}
              icon={action.icon}
              label={action.label}
              chord={action.chord}
              onPick={then(action.run)}
            />
          ))}
          <Entry
            id="problems"
            icon={TriangleAlert}
            label={t("shell.palette.problems")}
            onPick={then(() => void navigate({ to: "/hooks", search: { view: "problems" } }))}
          />
          <Entry id="folder" icon={FolderOpen} label={t("shell.project.openFolder")} onPick={then(openFolder)} />
          <Entry id="sample" icon={FlaskConical} label={t("shell.project.sample")} onPick={then(sample.run)} />
          <Entry id="keys" icon={Keyboard} label={t("shell.palette.keys")} chord="?" onPick={then(onKeys)} />
          {(["system", "dark", "light"] as const).map((theme) => (
            <Entry
              key={theme}
              id={`theme ${theme}`}
              icon={SunMoon}
              label={t("shell.palette.theme", { theme: t(`settings.themes.${theme}`) })}
              onPick={then(() => appearance.setTheme(theme))}
            />
          ))}
          {(["en", "zh-CN"] as const).map((language) => (
            <Entry
              key={language}
              id={`language ${language}`}
              icon={Languages}
              label={t("shell.palette.language", { language: t(`language.${language}`) })}
              onPick={then(() => appearance.setLanguage(language))}
            />
          ))}
        </Command.Group>
        <Command.Group heading={t("shell.palette.go")}>
          <Entry
            id="go hooks"
            icon={ListTree}
            label={t("shell.nav.hooks")}
            chord="2"
            onPick={then(() => void navigate({ to: "/hooks" }))}
          />
          <Entry
            id="go fire"
            icon={Zap}
            label={t("shell.nav.fire")}
            chord="3"
            onPick={then(() => void navigate({ to: "/fire" }))}
          />
          <Entry
            id="go history"
            icon={History}
            label={t("shell.nav.history")}
            chord="4"
            onPick={then(() => void navigate({ to: "/history" }))}
          />
          <Entry
            id="go settings"
            icon={Settings}
            label={t("shell.nav.settings")}
            chord="9"
            onPick={then(() => void navigate({ to: "/settings" }))}
          />
        </Command.Group>
        {chosen.length > 0 ? (
          <Command.Group heading={t("shell.palette.history")}>
            {chosen.map((hook) => (
              <Entry
                key={hook.hook}
                id={`history ${hook.hook} ${hook.label}`}
                icon={History}
                mono
                label={`hook:${hook.hook}`}
                onPick={then(() => void navigate({ to: "/history", search: { q: `hook:${hook.hook}` } }))}
              />
            ))}
          </Command.Group>
        ) : null}
        <Command.Group heading={t("shell.palette.projects")}>
          {projects.map((one) => (
            <Entry
              key={one.path}
              id={`project ${one.path}`}
              icon={FolderDot}
              label={one.name}
              side={one.path === project ? "✓" : undefined}
              onPick={then(() => void openProject(one.path, true))}
            />
          ))}
        </Command.Group>
      </Command.List>
    </Command>
  );
}

interface EntryProps {
  id: string;
  icon: LucideIcon;
  label: string;
  chord?: string;
  side?: ReactNode;
  mono?: boolean;
  onPick: () => void;
}

function Entry({ id, icon, label, chord, side, mono, onPick }: EntryProps) {
  return (
    <Command.Item value={`${label} ${id}`} onSelect={onPick}>
      <Icon of={icon} size={14} />
      <span className={mono ? "mono" : undefined}>{label}</span>
      {side ? <em>{side}</em> : null}
      {chord ? <kbd>{keyCap(chord)}</kbd> : null}
    </Command.Item>
  );
}

function HookEntry({ hook, onPick }: { hook: HookRow; onPick: () => void }) {
  const { t } = useTranslation();
  const dialect = useDialects().find((one) => one.id === hook.dialect)?.name ?? hook.dialect;
  return (
    <Command.Item value={`${hook.label} ${hook.event} ${hook.hook}`} onSelect={onPick}>
      <HandlerIcon handler={hook.handler} />
      <span>{oneLine(hook.label)}</span>
      <em>{`${hook.event} · ${dialect}, ${t(`words.layer.${hook.layer}`)}`}</em>
    </Command.Item>
  );
}

interface HookActionsProps {
  hook: HookRow;
  then: (run: () => void) => () => void;
  onMute: (hook: HookRow, forMs: number | null | "off") => void;
}

/** What can be done with the hook that the words found. */
function HookActions({ hook, then, onMute }: HookActionsProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const name = oneLine(hook.label, 40);
  const id = `${hook.hook} ${hook.event}`;
  return (
    <>
      <Entry
        id={`explain ${id}`}
        icon={SearchCheck}
        label={t("shell.palette.explain", { hook: name })}
        chord="E"
        onPick={then(
          () =>
            void navigate({
              to: "/history/explain",
              search: { dialect: hook.dialect, event: hook.event, hook: hook.hook },
            }),
        )}
      />
      <Entry
        id={`fire ${id}`}
        icon={Zap}
        label={t("shell.palette.fireAt", { hook: name })}
        chord="F"
        onPick={then(
          () => void navigate({ to: "/fire", search: { dialect: hook.dialect, event: hook.event, hook: hook.hook } }),
        )}
      />
      {hook.trusted ? null : (
        <Entry
          id={`review ${id}`}
          icon={ShieldQuestionMark}
          label={t("shell.palette.review", { hook: name })}
          chord="A"
          onPick={then(() => void navigate({ to: "/hooks", search: { hook: hook.hook, review: hook.hook } }))}
        />
      )}
      {hook.muted ? (
        <Entry
          id={`unmute ${id}`}
          icon={BellRing}
          label={t("shell.palette.unmute", { hook: name })}
          chord="Space"
          onPick={then(() => onMute(hook, "off"))}
        />
      ) : (
        <Entry
          id={`mute ${id}`}
          icon={BellOff}
          label={t("shell.palette.muteHalfHour", { hook: name })}
          chord="M"
          onPick={then(() => onMute(hook, HALF_HOUR_MS))}
        />
      )}
    </>
  );
}
