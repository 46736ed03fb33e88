/** The texts of a trace: the reply, the payload before and after the hooks, and the chosen step. */

import { CodePane, TabPanel, Tabs } from "@/components";
import { type DetailTab, StepDetail } from "@/domain/trace/StepDetail";
import { useTranslation } from "@/i18n";
import type { Step, Trace } from "@/ipc";

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
  const { t } = useTranslation();
  const before = JSON.stringify(trace.payload_before, null, 2);
  const after = JSON.stringify(trace.payload_after, null, 2);
  const tabs: TraceTab[] = [
    "reply",
    "payload",
    ...(before === after ? [] : ["after" as const]),
    ...(step ? ["step" as const] : []),
  ];
  const shown = tabs.includes(tab) ? tab : "reply";
  const texts = { reply: () => JSON.stringify(trace.reply.json, null, 2), payload: () => before, after: () => after };
  return (
    <div className="step-detail">
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
