import { CodePane, Drawer, Facts, Note } from "@/components";
import { eventOf } from "@/domain/hooks/facts";
import { conditionFact, fileFact, mayFact, runsFact } from "@/domain/hooks/hookFacts";
import { t } from "@/i18n";
import type { HookRow } from "@/ipc";
import { useEventInfo } from "@/ipc/dialects";
import { pretty } from "@/lib/pretty";
import { DrawerTitle } from "../DrawerParts";

interface OwnHookDrawerProps {
  hook: HookRow;
  onClose: () => void;
  onStep: (by: -1 | 1) => void;
}

/** What can be said of a hook without a project. */
export function OwnHookDrawer({ hook, onClose, onStep }: OwnHookDrawerProps) {
  const event = useEventInfo(hook.dialect, eventOf(hook));
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
        <Facts
          rows={[
            [t("hooks.drawer.event"), (hook.serves ?? [hook.event]).join(t("list")), "mono wrap"],
            conditionFact(hook),
            runsFact(hook),
            mayFact(event),
            fileFact(hook),
          ]}
        />
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
