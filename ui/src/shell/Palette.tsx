/** The palette: what can be done with the selected hook, hooks, actions, sections and projects by name, and History. */

import { Command } from "cmdk";
import { FolderDot, History, type LucideIcon, Search } from "lucide-react";
import { Dialog } from "radix-ui";
import { type ReactNode, useState } from "react";
import { ACTIONS, type ActionId } from "@/commands";
import { HandlerIcon, Icon, KeyCap } from "@/components";
import { eventOf } from "@/domain/hooks/facts";
import { HALF_HOUR_MS, useMute } from "@/domain/hooks/mute";
import { useOpenProject, useProject } from "@/domain/project";
import { t } from "@/i18n";
import { type HookRow, useCall } from "@/ipc";
import { useAgentName } from "@/ipc/dialects";
import { useOfferedActions } from "@/lib/actions";
import { oneLine } from "@/lib/escape";
import { useNavigate, useRouterState } from "@/routes/router";
import { SECTIONS } from "@/sections";

const MAX_HOOKS = 60;

type Then = (run: () => void) => () => void;

export default function Palette({ onClose }: { onClose: () => void }) {
  return (
    <Dialog.Root open onOpenChange={(now) => (now ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Overlay className="scrim" />
        <Dialog.Content
          className="palette [animation:pop-in_var(--t-2)_var(--ease-out)] fixed z-41 top-[12vh] left-1/2 -translate-x-1/2 translate-y-0 w-[min(560px,calc(100vw_-_32px))] bg-pop shadow-dialog rounded-3 overflow-hidden outline-none [&_[cmdk-list]]:max-h-[min(440px,60vh)] [&_[cmdk-list]]:overflow-auto [&_[cmdk-list]]:pb-1.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pb-0.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-3 [&_[cmdk-item]]:flex [&_[cmdk-item]]:items-center [&_[cmdk-item]]:gap-2 [&_[cmdk-item]]:h-7.5 [&_[cmdk-item]]:mx-1 [&_[cmdk-item]]:px-2 [&_[cmdk-item]]:rounded-2 [&_[cmdk-item]]:text-ink-2 [&_[cmdk-item]]:whitespace-nowrap [&_[cmdk-item]_.icon]:text-ink-3 [&_[cmdk-item]>span]:flex-1 [&_[cmdk-item]>span]:overflow-hidden [&_[cmdk-item]>span]:text-ellipsis [&_[cmdk-item]_em]:not-italic [&_[cmdk-item]_em]:text-xs/[inherit] [&_[cmdk-item]_em]:text-ink-3 [&_[cmdk-item][data-selected='true']]:bg-sel [&_[cmdk-item][data-selected='true']]:text-ink-1 [&_[cmdk-empty]]:py-4 [&_[cmdk-empty]]:px-3 [&_[cmdk-empty]]:text-ink-3 [&_[cmdk-empty]]:text-sm/[inherit]"
          aria-describedby={undefined}
        >
          <Dialog.Title className="visually-hidden">{t("shell.palette.label")}</Dialog.Title>
          <Body
            then={(run) => () => {
              onClose();
              run();
            }}
          />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Whether a name holds every word. The value is an id and no name. */
function matches(_value: string, search: string, names: string[] = []): number {
  const name = names.join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.includes(word))
    ? 1
    : 0;
}

/** A hook that serves several events has an entry for each, so the id alone does not name it. */
function hookValue(hook: HookRow): string {
  return `hook ${hook.hook} ${hook.event}`;
}

/** The id of the hook that the screen on show has selected. */
function useSelection(): string | undefined {
  return useRouterState({ select: ({ matches }) => (matches.at(-1)?.search as { hook?: string } | undefined)?.hook });
}

function Body({ then }: { then: Then }) {
  const [query, setQuery] = useState("");
  const [highlighted, setHighlighted] = useState("");
  const [about, setAbout] = useState<string | null>(null);
  const navigate = useNavigate();
  const project = useProject();
  const hooks = useCall("hooks.list", { project: project ?? "" }, { enabled: project !== null }).data?.hooks ?? [];
  const wanted = query.trim().toLowerCase();
  const found = hooks
    .filter((hook) => `${hook.label} ${hook.event}`.toLowerCase().includes(wanted))
    .slice(0, MAX_HOOKS);
  const chosen = useSelection();
  const selected = hooks.find((one) => one.hook === chosen);
  // The actions are about the hook that was highlighted last, else about the first one found.
  const hook = wanted === "" ? undefined : (found.find((one) => hookValue(one) === about) ?? found[0]);
  const toHistory = (q: string) => then(() => void navigate({ to: "/history", search: { q } }));
  const highlight = (value: string) => {
    setHighlighted(value);
    if (value.startsWith("hook ")) setAbout(value);
  };
  return (
    <Command label={t("shell.palette.label")} loop filter={matches} value={highlighted} onValueChange={highlight}>
      <div className="h-10 flex items-center gap-2 px-3 border-b border-line-2 text-[14px] [&_input]:flex-1 [&_input]:bg-transparent [&_input]:border-0 [&_input]:outline-none [&_input::placeholder]:text-ink-3">
        <Icon of={Search} size={16} className="dim" />
        <Command.Input value={query} onValueChange={setQuery} placeholder={t("shell.palette.placeholder")} />
        {selected ? <span className="chip accent trunc max-w-50">{oneLine(selected.label, 40)}</span> : null}
      </div>
      <Command.List>
        <Command.Empty>{t("shell.palette.empty")}</Command.Empty>
        {selected ? (
          <Command.Group heading={t("shell.palette.selection")}>
            <HookActions hook={selected} then={then} project={project} />
          </Command.Group>
        ) : null}
        {found.length > 0 ? (
          <Command.Group heading={t("shell.palette.hooks")}>
            {found.map((one) => (
              <HookEntry
                key={hookValue(one)}
                hook={one}
                onPick={then(() => void navigate({ to: "/hooks", search: { hook: one.hook, event: one.event } }))}
              />
            ))}
          </Command.Group>
        ) : null}
        <Command.Group heading={t("shell.palette.do")}>
          {hook && hook !== selected ? <HookActions hook={hook} then={then} project={project} /> : null}
          <Offered then={then} kind="action" />
        </Command.Group>
        <Command.Group heading={t("shell.palette.go")}>
          <Offered then={then} kind="section" />
        </Command.Group>
        <SettingsEntries then={then} />
        <Projects then={then} current={project} />
        {wanted === "" ? null : (
          <Command.Group heading={t("shell.palette.history")}>
            {hook ? (
              <Entry
                id={`history ${hookValue(hook)}`}
                icon={History}
                label={t("shell.palette.runsOf", { hook: oneLine(hook.label, 40) })}
                onPick={toHistory(`hook:${hook.hook}`)}
              />
            ) : null}
            <Entry
              id={`history search ${wanted}`}
              icon={History}
              label={t("shell.palette.searchHistory", { text: query.trim() })}
              onPick={toHistory(query.trim())}
            />
          </Command.Group>
        )}
      </Command.List>
    </Command>
  );
}

/** What the screens on show carry out, sections apart from the rest. */
function Offered({ then, kind }: { then: Then; kind: "action" | "section" }) {
  const offered = useOfferedActions((store) => store.offered);
  const byId = new Map(offered.map((one) => [one.id, one.run]));
  return [...byId].map(([id, run]) => {
    const { palette, icon } = ACTIONS[id];
    if (palette === undefined || icon === undefined || id.startsWith("section.") !== (kind === "section")) return null;
    const names = id in OTHER_NAMES ? [t(OTHER_NAMES[id as keyof typeof OTHER_NAMES])] : [];
    return <Entry key={id} id={id} icon={icon} label={t(palette)} names={names} action={id} onPick={then(run)} />;
  });
}

/** What a person may look for in a section, besides its name. */
const OTHER_NAMES = {
  "section.hooks": "shell.palette.also.hooks",
  "section.fire": "shell.palette.also.fire",
  "section.trust": "shell.palette.also.trust",
} as const satisfies Partial<Record<ActionId, string>>;

/** What a person may call the settings of a section, besides its name. */
const SETTINGS = {
  general: ["settings.language", "settings.theme", "settings.startAtLogin"],
  model: ["settings.provider", "settings.apiKeyEnv"],
  history: [
    "shell.palette.also.history",
    "settings.historyAbout",
    "settings.maxDays",
    "settings.bodiesDays",
    "settings.maxMb",
  ],
  redaction: ["settings.redactionOn", "settings.keys", "settings.patterns"],
  watching: ["settings.projects", "settings.skillsRoots", "settings.settle"],
  notifications: ["settings.failedOpen", "settings.overBudget", "settings.waitsForApproval"],
  about: ["settings.version", "settings.dataDir", "settings.licences"],
} as const;

function SettingsEntries({ then }: { then: Then }) {
  const navigate = useNavigate();
  return (
    <Command.Group heading={t("settings.title")}>
      {(Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]).map((section) => (
        <Entry
          key={section}
          id={`settings ${section}`}
          icon={SECTIONS.settings.icon}
          label={t(`settings.${section}`)}
          names={[t("settings.title"), ...SETTINGS[section].map((key) => t(key))]}
          onPick={then(() => void navigate({ to: "/settings", search: { section } }))}
        />
      ))}
    </Command.Group>
  );
}

function Projects({ then, current }: { then: Then; current: string | null }) {
  const projects = useCall("state", {}).data?.projects ?? [];
  const openProject = useOpenProject();
  return (
    <Command.Group heading={t("shell.palette.projects")}>
      {projects.map((one) => (
        <Entry
          key={one.path}
          id={`project ${one.path}`}
          icon={FolderDot}
          label={one.name}
          side={one.path === current ? "✓" : undefined}
          onPick={then(() => void openProject(one.path, true))}
        />
      ))}
    </Command.Group>
  );
}

interface EntryProps {
  id: string;
  icon: LucideIcon;
  label: string;
  /** Other names it is found by. */
  names?: readonly string[];
  action?: ActionId;
  side?: ReactNode;
  onPick: () => void;
}

function Entry({ id, icon, label, names = [], action, side, onPick }: EntryProps) {
  return (
    <Command.Item value={id} keywords={[label, ...names]} onSelect={onPick}>
      <Icon of={icon} size={14} />
      <span>{label}</span>
      {side ? <em>{side}</em> : null}
      {action ? <KeyCap action={action} /> : null}
    </Command.Item>
  );
}

function HookEntry({ hook, onPick }: { hook: HookRow; onPick: () => void }) {
  const dialect = useAgentName(hook.dialect);
  return (
    <Command.Item value={hookValue(hook)} keywords={[hook.label, hook.event]} onSelect={onPick}>
      <HandlerIcon handler={hook.handler} />
      <span>{oneLine(hook.label)}</span>
      <em>{`${hook.event} · ${dialect}, ${t(`words.layer.${hook.layer}`)}`}</em>
    </Command.Item>
  );
}

/** What can be done with the hook that the words found. */
function HookActions({ hook, then, project }: { hook: HookRow; then: Then; project: string | null }) {
  const navigate = useNavigate();
  const mute = useMute(project);
  const name = { hook: oneLine(hook.label, 40) };
  const where = { dialect: hook.dialect, event: eventOf(hook), hook: hook.hook };
  const entries: [ActionId, string, () => void][] = [
    ["hook.explain", t("shell.palette.explain", name), () => void navigate({ to: "/history/explain", search: where })],
    ["hook.fire", t("shell.palette.fireAt", name), () => void navigate({ to: "/fire", search: where })],
  ];
  if (!hook.trusted) {
    const search = { hook: hook.hook };
    entries.push(["hook.review", t("shell.palette.review", name), () => void navigate({ to: "/trust", search })]);
  }
  entries.push(
    hook.muted
      ? ["hook.switch", t("shell.palette.unmute", name), () => mute(hook, "off")]
      : ["hook.mute", t("shell.palette.muteHalfHour", name), () => mute(hook, HALF_HOUR_MS)],
  );
  return entries.map(([action, label, run]) => (
    <Entry
      key={action}
      id={`${action} ${hookValue(hook)}`}
      icon={ACTIONS[action].icon ?? Search}
      label={label}
      action={action}
      onPick={then(run)}
    />
  ));
}
