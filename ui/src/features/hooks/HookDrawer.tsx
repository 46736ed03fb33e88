import {
  ArrowDown,
  ArrowUp,
  Copy,
  CopyPlus,
  Ellipsis,
  FolderInput,
  Power,
  PowerOff,
  ShieldOff,
  Trash2,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import { Drawer, HandlerIcon, Icon, Menu, type MenuItem, TabPanel, Tabs, toast } from "@/components";
import { useCopy } from "@/domain/clipboard";
import { type Facts, rowKey } from "@/domain/hooks/facts";
import { useMessages } from "@/i18n/messages";
import { type HookRow, type HooksDocument, useCommand } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { oneLine } from "@/lib/escape";
import type { HooksTab } from "@/routes/search";
import { ExplainTab } from "./ExplainTab";
import { type Edits, isEditable, labelOf, otherLayers } from "./edits";
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
  edits: Edits;
  onClose: () => void;
  onStep: (by: -1 | 1) => void;
}

export default function HookDrawer(props: HookDrawerProps) {
  const { hook, document, facts, project, tab, onTab, onClose, onStep } = props;
  const { t } = useTranslation();
  return (
    <Drawer
      id="hooks.drawer"
      label={t("hooks.drawer.label")}
      head={
        <>
          <span className="ink-accent accent-icon">
            <HandlerIcon handler={hook.handler} size={16} />
          </span>
          <h2 className="trunc" title={oneLine(hook.label)}>
            {oneLine(hook.label)}
          </h2>
        </>
      }
      actions={<More hook={hook} project={project} edits={props.edits} />}
      onClose={onClose}
      onStep={onStep}
    >
      <div className="pane-head" style={{ height: "var(--h-row)" }}>
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
      <TabPanel id="hook" value={tab} className="pane-body scroll column">
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

/** What can be done with the hook's place in its file. */
function useFileItems(hook: HookRow, edits: Edits): (MenuItem | null)[] {
  const { t } = useTranslation();
  const dialect = useDialects().find((one) => one.id === hook.dialect);
  if (!isEditable(hook, dialect)) return [];
  const name = labelOf(hook);
  const agent = dialect?.name ?? hook.dialect;
  const list = hook.in_list;
  const items: (MenuItem | null)[] = [];
  if (dialect?.switch && hook.shadowed_by === null) {
    items.push(
      hook.enabled
        ? {
            label: t("hooks.edit.turnOff", { agent }),
            icon: PowerOff,
            run: () => edits.change(hook, [{ do: "disable" }], t("hooks.edit.turnedOff", { hook: name })),
          }
        : {
            label: t("hooks.edit.turnOn", { agent }),
            icon: Power,
            run: () => edits.change(hook, [{ do: "enable" }], t("hooks.edit.turnedOn", { hook: name })),
          },
    );
  }
  items.push({
    label: t("hooks.edit.duplicate"),
    icon: CopyPlus,
    run: () => edits.change(hook, [{ do: "duplicate" }], t("hooks.edit.duplicated", { hook: name })),
  });
  if (list !== null && list.count > 1) {
    items.push(
      {
        label: t("hooks.edit.up"),
        icon: ArrowUp,
        action: "hook.moveUp",
        disabled: list.place === 1,
        run: () => edits.move(hook, list.place - 1),
      },
      {
        label: t("hooks.edit.down"),
        icon: ArrowDown,
        action: "hook.moveDown",
        disabled: list.place === list.count,
        run: () => edits.move(hook, list.place + 1),
      },
    );
  }
  for (const layer of otherLayers(hook, dialect)) {
    items.push({
      label: t(`hooks.edit.to.${layer as "user"}`),
      icon: FolderInput,
      run: () => edits.change(hook, [{ do: "to_layer", layer }], t("hooks.edit.movedTo", { hook: name })),
    });
  }
  items.push({ label: t("hooks.edit.remove"), icon: Trash2, run: () => edits.remove(hook) }, null);
  return items;
}

function More({ hook, project, edits }: { hook: HookRow; project: string; edits: Edits }) {
  const { t } = useTranslation();
  const say = useMessages();
  const copy = useCopy();
  const revoke = useCommand("trust.revoke", {
    stale: ["trust", "hooks", "state"],
    onSuccess: () => toast(t("hooks.drawer.revoked", { hook: oneLine(hook.label, 60) }), null),
    onError: (fault) => toast(say.fault(fault).message, null, "error"),
  });
  const items: (MenuItem | null)[] = [
    ...useFileItems(hook, edits),
    {
      label: t("hooks.drawer.copyId"),
      icon: Copy,
      run: () => copy(hook.hook),
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
      <button type="button" className="button ghost small icon-only" aria-label={t("more")}>
        <Icon of={Ellipsis} size={14} />
      </button>
    </Menu>
  );
}
