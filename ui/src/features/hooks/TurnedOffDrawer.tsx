/** A hook that is turned off for the agent: what is kept of it, and how to turn it on again. */
import { Copy, Power } from "lucide-react";
import { Button, CodePane, Drawer, HookState, handlerKind, Note } from "@/components";
import { copyText } from "@/domain/clipboard";
import { FilterWords } from "@/domain/hooks/FilterWords";
import { locationOf } from "@/domain/hooks/facts";
import type { TurnedOffRow } from "@/domain/hooks/turnedOff";
import { t } from "@/i18n";
import { clock, dayMonth } from "@/i18n/format";
import { useAgentName } from "@/ipc/dialects";
import { escapeInvisible } from "@/lib/escape";
import { shortPath } from "@/lib/names";
import { DrawerTitle, MoreMenu } from "./DrawerParts";
import { languageOf } from "./source/language";

interface TurnedOffDrawerProps {
  hook: TurnedOffRow;
  project: string | null;
  /** Null where no project is open, which an edit needs. */
  onTurnOn: (() => void) | null;
  onClose: () => void;
  onStep: (by: -1 | 1) => void;
}

export default function TurnedOffDrawer({ hook, project, onTurnOn, onClose, onStep }: TurnedOffDrawerProps) {
  const agent = useAgentName(hook.dialect);
  const copyId = { label: t("turnedOff.copyId"), icon: Copy, run: () => copyText(hook.turnedOff.id) };
  return (
    <Drawer
      id="hooks.drawer"
      label={t("turnedOff.drawer")}
      head={<DrawerTitle hook={hook} />}
      actions={
        <MoreMenu
          items={
            onTurnOn === null
              ? [copyId]
              : [{ label: t("hooks.edit.turnOn", { agent }), icon: Power, run: onTurnOn }, copyId]
          }
        />
      }
      onClose={onClose}
      onStep={onStep}
    >
      <div className="section column" style={{ gap: 10 }}>
        <HookState hook={hook} />
        {onTurnOn === null ? null : (
          <Button kind="primary" icon={Power} action="hook.switch" onClick={onTurnOn}>
            {t("hooks.edit.turnOn", { agent })}
          </Button>
        )}
        <Note kind="plain">{t("turnedOff.about", { agent })}</Note>
        {onTurnOn === null ? <Note kind="plain">{t("start.needsProject")}</Note> : null}
        <Kept hook={hook} project={project} />
      </div>
      <div className="pane-head border-t border-t-line-2">
        <h3>{t("turnedOff.text")}</h3>
      </div>
      <div className="pane-body column">
        <CodePane
          label={t("turnedOff.text")}
          value={hook.turnedOff.text}
          language={languageOf(hook.path, hook.turnedOff.text)}
        />
      </div>
    </Drawer>
  );
}

function Kept({ hook, project }: Pick<TurnedOffDrawerProps, "hook" | "project">) {
  const { turnedOff, path } = hook;
  const runs = hook.runs?.trim() ?? "";
  const events = hook.serves ?? [hook.event];
  const others = turnedOff.files.filter((file) => file !== path);
  return (
    <dl className="facts">
      <dt>{t("turnedOff.event", { count: events.length })}</dt>
      <dd className="mono wrap">{events.join(t("list"))}</dd>
      {hook.filter === null ? null : (
        <>
          <dt>{t("hooks.drawer.runsWhen")}</dt>
          <dd className="wrap">
            <FilterWords filter={hook.filter} />
          </dd>
        </>
      )}
      {runs === "" ? null : (
        <>
          <dt>{t(`words.handlerTitle.${handlerKind(hook.handler)}`)}</dt>
          <dd className="mono text-tiny clamp" title={escapeInvisible(runs)}>
            {escapeInvisible(handlerKind(hook.handler) === "script" ? shortPath(runs, project) : runs)}
          </dd>
        </>
      )}
      <dt>{t("turnedOff.since")}</dt>
      <dd>{`${dayMonth(turnedOff.at)} ${clock(turnedOff.at)}`}</dd>
      <dt>{t("turnedOff.was")}</dt>
      <dd className="mono text-tiny wrap">{turnedOff.hook}</dd>
      <dt>{t("turnedOff.file")}</dt>
      <dd className="mono text-tiny wrap" title={path}>
        {locationOf({ line: hook.line, column: null }, shortPath(path, project))}
      </dd>
      {others.length === 0 ? null : (
        <>
          <dt>{t("turnedOff.files", { count: others.length })}</dt>
          <dd className="mono text-tiny wrap">{others.map((file) => shortPath(file, project)).join(t("list"))}</dd>
        </>
      )}
    </dl>
  );
}
