/** A hook that is turned off for the agent: what is kept of it, and how to turn it on again. */

import { Copy, Power } from "lucide-react";
import { Button, CodePane, Drawer, Facts, HookState, Note } from "@/components";
import { copyText } from "@/domain/clipboard";
import { locationOf } from "@/domain/hooks/facts";
import { conditionFact, runsFact } from "@/domain/hooks/hookFacts";
import type { TurnedOffRow } from "@/domain/hooks/turnedOff";
import { t } from "@/i18n";
import { clock, dayMonth } from "@/i18n/format";
import { useAgentName } from "@/ipc/dialects";
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
  const copyId = { label: t("copyId"), icon: Copy, run: () => copyText(hook.turnedOff.id) };
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
  const events = hook.serves ?? [hook.event];
  const others = turnedOff.files.filter((file) => file !== path);
  return (
    <Facts
      rows={[
        [t("turnedOff.event", { count: events.length }), events.join(t("list")), "mono wrap"],
        hook.filter === null ? null : conditionFact(hook),
        runsFact(hook, project),
        [t("turnedOff.since"), `${dayMonth(turnedOff.at)} ${clock(turnedOff.at)}`],
        [t("turnedOff.was"), turnedOff.hook, "mono text-tiny wrap"],
        [
          t("turnedOff.file"),
          locationOf({ line: hook.line, column: null }, shortPath(path, project)),
          "mono text-tiny wrap",
          path,
        ],
        others.length === 0
          ? null
          : [
              t("turnedOff.files", { count: others.length }),
              others.map((file) => shortPath(file, project)).join(t("list")),
              "mono text-tiny wrap",
            ],
      ]}
    />
  );
}
