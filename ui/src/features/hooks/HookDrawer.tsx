import { Copy, Ellipsis, ShieldOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Drawer, HandlerIcon, Icon, Menu, type MenuItem, TabPanel, Tabs, toast } from "@/components";
import { useSentence } from "@/i18n/sentence";
import { type HookRow, type HooksDocument, useAct } from "@/ipc";
import { oneLine } from "@/lib/visible";
import type { HooksTab } from "@/routes/search";
import { ExplainTab } from "./ExplainTab";
import { type Facts, rowKey } from "./facts";
import { RunsTab } from "./RunsTab";
import { SourceTab } from "./SourceTab";
import { Summary } from "./Summary";

interface HookDrawerProps {
  hook: HookRow;
  document: HooksDocument;
  facts: Facts;
  project: string;
  tab: HooksTab;
  onTab: (tab: HooksTab) => void;
  onHook: (hook: string) => void;
  onReview: (hook: string) => void;
  onClose: () => void;
  onStep: (by: -1 | 1) => void;
}

export function HookDrawer(props: HookDrawerProps) {
  const { hook, document, facts, project, tab, onTab, onClose, onStep } = props;
  const { t } = useTranslation();
  return (
    <Drawer
      id="hooks.drawer"
      label={t("hooks.drawer.label")}
      head={
        <>
          <span className="c-accent accent-icon">
            <HandlerIcon handler={hook.handler} size={16} />
          </span>
          <h2 className="trunc" title={oneLine(hook.label)}>
            {oneLine(hook.label)}
          </h2>
        </>
      }
      actions={<More hook={hook} project={project} />}
      onClose={onClose}
      onStep={onStep}
    >
      <div className="ph" style={{ height: "var(--h-row)" }}>
        <Tabs
          id="hook"
          label={t("hooks.drawer.label")}
          value={tab}
          onChange={onTab}
          items={[
            { value: "summary", label: t("hooks.drawer.summary") },
            { value: "source", label: t("hooks.drawer.source") },
            { value: "explain", label: t("hooks.drawer.explain") },
            { value: "runs", label: t("hooks.drawer.runs") },
          ]}
        />
      </div>
      <TabPanel id="hook" value={tab} className="pb scroll col">
        {tab === "summary" ? (
          <Summary
            hook={hook}
            document={document}
            facts={facts}
            project={project}
            onHook={props.onHook}
            onReview={props.onReview}
          />
        ) : tab === "source" ? (
          <SourceTab path={hook.path} line={hook.line} project={project} />
        ) : tab === "explain" ? (
          <ExplainTab key={rowKey(hook)} hook={hook} project={project} />
        ) : (
          <RunsTab key={rowKey(hook)} hook={hook} project={project} />
        )}
      </TabPanel>
    </Drawer>
  );
}

function More({ hook, project }: { hook: HookRow; project: string }) {
  const { t } = useTranslation();
  const say = useSentence();
  const revoke = useAct("trust.revoke", {
    stale: ["trust", "hooks", "state"],
    onSuccess: () => toast(t("hooks.drawer.revoked", { hook: oneLine(hook.label, 60) }), null),
    onError: (fault) => toast(say.fault(fault).message, null, "error"),
  });
  const items: (MenuItem | null)[] = [
    {
      label: t("hooks.drawer.copyId"),
      icon: Copy,
      run: () => void navigator.clipboard.writeText(hook.hook),
    },
  ];
  if (hook.layer === "project" && hook.trusted) {
    items.push(null, {
      label: t("hooks.drawer.revoke"),
      icon: ShieldOff,
      run: () => revoke.mutate({ project, hook: hook.hook }),
    });
  }
  return (
    <Menu items={items}>
      <button type="button" className="btn ghost sm icon" aria-label={t("more")}>
        <Icon of={Ellipsis} size={14} />
      </button>
    </Menu>
  );
}
