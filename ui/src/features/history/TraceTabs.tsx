/** The texts of a trace: the reply, the payload before and after the hooks, and the chosen step. */

import { CodePane, TabPanel, Tabs } from "@/components";
import { DETAIL_PANE, type DetailTab, StepDetail } from "@/domain/trace/StepDetail";
import { t } from "@/i18n";
import type { Step, Trace } from "@/ipc";
import { toJson } from "@/lib/exactJson";

export type TraceTab = "step" | "reply" | "payload" | "after";

interface TraceTabsProps {
  trace: Trace;
  step: Step | undefined;
  tab: TraceTab;
  onTab: (tab: TraceTab) => void;
  detail: DetailTab;
  onDetail: (tab: DetailTab) => void;
}

export function TraceTabs({ trace, step, tab, onTab, detail, onDetail }: TraceTabsProps) {
  const before = toJson(trace.payload_before, 2);
  const after = toJson(trace.payload_after, 2);
  const tabs: TraceTab[] = [
    "reply",
    "payload",
    ...(before === after ? [] : ["after" as const]),
    ...(step ? ["step" as const] : []),
  ];
  const shown = tabs.includes(tab) ? tab : "reply";
  const texts = { reply: () => toJson(trace.reply.json, 2), payload: () => before, after: () => after };
  return (
    <div className={DETAIL_PANE}>
      <div className="pane-head" style={{ height: 32 }}>
        <Tabs
          id="trace-detail"
          label={t("history.detailTabs")}
          value={shown}
          onChange={onTab}
          items={tabs.map((value) => ({ value, label: t(`history.tab.${value}`) }))}
        />
      </div>
      <TabPanel id="trace-detail" value={shown} className="scroll">
        {shown === "step" ? (
          step && <StepDetail step={step} tab={detail} onTab={onDetail} />
        ) : (
          <CodePane label={t(`history.tab.${shown}`)} value={texts[shown]()} language="json" grow />
        )}
      </TabPanel>
    </div>
  );
}
