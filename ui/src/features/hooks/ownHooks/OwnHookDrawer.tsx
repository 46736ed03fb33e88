import { CodePane, Drawer, handlerKind, Note } from "@/components";
import { effectsOf } from "@/domain/hooks/effects";
import { FilterWords } from "@/domain/hooks/FilterWords";
import { eventOf, locationOf } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import type { HookRow } from "@/ipc";
import { useEventInfo } from "@/ipc/dialects";
import { escapeInvisible } from "@/lib/escape";
import { shortPath } from "@/lib/names";
import { pretty } from "@/lib/pretty";
import { DrawerTitle } from "../DrawerParts";

interface OwnHookDrawerProps {
  hook: HookRow;
  onClose: () => void;
  onStep: (by: -1 | 1) => void;
}

/** What can be said of a hook without a project. */
export function OwnHookDrawer({ hook, onClose, onStep }: OwnHookDrawerProps) {
  const may = effectsOf(useEventInfo(hook.dialect, eventOf(hook)));
  const runs = hook.runs?.trim() ?? "";
  return (
    <Drawer
      id="hooks.own"
      label={t("hooks.drawer.label")}
      width={360}
      head={<DrawerTitle hook={hook} />}
      onClose={onClose}
      onStep={onStep}
      arrows
    >
      <div className="section column gap-3">
        <dl className="facts">
          <dt>{t("hooks.drawer.event")}</dt>
          <dd className="mono wrap">{(hook.serves ?? [hook.event]).join(t("list"))}</dd>
          <dt>{t("hooks.drawer.runsWhen")}</dt>
          <dd className="wrap">
            <FilterWords filter={hook.filter} />
          </dd>
          {runs === "" ? null : (
            <>
              <dt>{t(`words.handlerTitle.${handlerKind(hook.handler)}`)}</dt>
              <dd className="mono text-tiny clamp">{escapeInvisible(runs)}</dd>
            </>
          )}
          <dt>{t("hooks.drawer.may")}</dt>
          <dd className="wrap">{may.length > 0 ? may.join(t("list")) : t("hooks.drawer.mayNothing")}</dd>
          <dt>{t("hooks.drawer.file")}</dt>
          <dd className="mono text-tiny wrap">{locationOf({ line: hook.line, column: null }, shortPath(hook.path))}</dd>
        </dl>
        <Note kind="plain">{t("start.needsProject")}</Note>
      </div>
      <div className="pane-head border-t border-t-line-2">
        <h3>{t("trust.definition")}</h3>
      </div>
      <div className="pane-body column">
        <CodePane label={t("trust.definition")} value={pretty(hook.definition)} language="json" />
      </div>
    </Drawer>
  );
}
