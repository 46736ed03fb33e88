import {
  ArrowDown,
  ArrowRightLeft,
  ArrowUp,
  Copy,
  CopyPlus,
  FilePenLine,
  FolderInput,
  History,
  Power,
  PowerOff,
  ShieldOff,
  Trash2,
} from "lucide-react";
import { useRef, useState } from "react";
import { Drawer, type MenuItem, TabPanel, Tabs, toast } from "@/components";
import { copyText } from "@/domain/clipboard";
import ConvertSheet from "@/domain/convert/ConvertSheet";
import { type Facts, isEditable, labelOf, rowKey } from "@/domain/hooks/facts";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { type HookRow, type HooksDocument, useCommand } from "@/ipc";
import { useDialect } from "@/ipc/dialects";
import { oneLine } from "@/lib/escape";
import { baseName } from "@/lib/names";
import { useNavigate } from "@/routes/router";
import type { HooksSearch, HooksTab } from "@/routes/search";
import { DrawerTitle, MoreMenu } from "./DrawerParts";
import { ExplainTab } from "./ExplainTab";
import { type Edits, otherLayers } from "./edits";
import { RunsTab } from "./RunsTab";
import { Summary } from "./Summary";
import { draftKey, useDrafts } from "./source/drafts";
import { useEditedFiles } from "./source/files";
import { LeaveGuard } from "./source/LeaveGuard";
import { SourceFiles } from "./source/SourceFiles";

interface HookDrawerProps {
  hook: HookRow;
  document: HooksDocument;
  facts: Facts;
  project: string;
  tab: HooksTab;
  /** The file and the line that the source tab opens. */
  file: string | undefined;
  line: number | undefined;
  onTab: (tab: HooksTab) => void;
  onHook: (hook: string) => void;
  onReview: (hook: string) => void;
  edits: Edits;
  onClose: () => void;
  onStep: (by: -1 | 1) => void;
}

export default function HookDrawer(props: HookDrawerProps) {
  const { hook, document, facts, project, tab, onTab, onClose, onStep } = props;
  const { edited, dirty } = useEditedFiles(project, hook);
  // A file is edited in more room than a summary needs.
  const isEditing = edited.length > 0 && tab === "source";
  const { hooks } = document;
  const shows = (next: HooksSearch) =>
    next.view === undefined && hooks.some((one) => one.hook === next.hook && one.path === hook.path);
  return (
    <Drawer
      id={isEditing ? "hooks.editor" : "hooks.drawer"}
      label={t("hooks.drawer.label")}
      width={isEditing ? 900 : undefined}
      limits={isEditing ? [320, 1600] : undefined}
      fills={isEditing}
      head={<DrawerTitle hook={hook} />}
      actions={<More hook={hook} project={project} edits={props.edits} onTab={onTab} />}
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
            {
              value: "source",
              label: (
                <>
                  {t("hooks.drawer.source")}
                  {dirty ? (
                    <span
                      className="flex-none inline-block w-1.75 h-1.75 rounded-full bg-accent in-tab ml-1.5 align-middle"
                      role="img"
                      aria-label={t("editor.unsaved")}
                    />
                  ) : null}
                </>
              ),
            },
            { value: "explain", label: t("hooks.drawer.explain") },
            { value: "runs", label: t("hooks.drawer.runs") },
          ]}
        />
      </div>
      <TabPanel
        id="hook"
        value={tab}
        className={tab === "source" ? "pane-body scroll column" : "pane-body scroll column [&>*]:flex-none"}
      >
        {tab === "summary" ? (
          <Summary
            hook={hook}
            document={document}
            facts={facts}
            project={project}
            onHook={props.onHook}
            onReview={props.onReview}
            edits={props.edits}
          />
        ) : tab === "source" ? (
          <SourceFiles
            hook={hook}
            file={props.file}
            line={props.line}
            project={project}
            onSaved={(doc, path, reload) => {
              const file = baseName(path);
              props.edits.done(hook, doc, t("editor.saved", { file }), t("edits.did.save", { file }), reload);
            }}
          />
        ) : tab === "explain" ? (
          <ExplainTab key={rowKey(hook)} hook={hook} project={project} />
        ) : (
          <RunsTab key={rowKey(hook)} hook={hook} project={project} />
        )}
      </TabPanel>
      {edited.map((path) => (
        <LeaveGuard key={path} project={project} path={path} shows={shows} />
      ))}
    </Drawer>
  );
}

/** What can be done with the hook's place in its file. */
function useFileItems(
  hook: HookRow,
  project: string,
  edits: Edits,
  onTab: (tab: HooksTab) => void,
): (MenuItem | null)[] {
  const dialect = useDialect(hook.dialect);
  const want = useDrafts((store) => store.want);
  if (!isEditable(hook, dialect)) return [];
  const name = labelOf(hook);
  const agent = dialect?.name ?? hook.dialect;
  const list = hook.in_list;
  const edit = () => {
    want(draftKey(project, hook.path));
    onTab("source");
  };
  const items: (MenuItem | null)[] = [
    { label: t("editor.editFile"), icon: FilePenLine, action: "hook.edit", run: edit },
  ];
  if (dialect?.switch === undefined || dialect.switch === null) {
    items.push({ label: t("hooks.edit.turnOff", { agent }), icon: PowerOff, run: () => edits.turnOff(hook) });
  } else if (hook.shadowed_by === null) {
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

interface MoreProps {
  hook: HookRow;
  project: string;
  edits: Edits;
  onTab: (tab: HooksTab) => void;
}

function More({ hook, project, edits, onTab }: MoreProps) {
  const navigate = useNavigate();
  const [converts, setConverts] = useState(false);
  const menu = useRef<HTMLButtonElement>(null);
  const revoke = useCommand("trust.revoke", {
    stale: ["trust", "hooks", "state"],
    onSuccess: () => toast(t("hooks.drawer.revoked", { hook: oneLine(hook.label, 60) }), null),
    onError: toastFault,
  });
  const items: (MenuItem | null)[] = [
    ...useFileItems(hook, project, edits, onTab),
    ...(hook.path === ""
      ? []
      : [{ label: t("hooks.edit.convert"), icon: ArrowRightLeft, run: () => setConverts(true) }]),
    {
      label: t("edits.show"),
      icon: History,
      run: () => void navigate({ to: "/hooks", search: { view: "edits" } }),
    },
    {
      label: t("copyId"),
      icon: Copy,
      run: () => copyText(hook.hook),
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
    <>
      <MoreMenu items={items} buttonRef={menu} />
      {converts ? (
        <ConvertSheet
          hook={hook}
          project={project}
          onClose={() => {
            setConverts(false);
            // The item of the menu that opened it is gone.
            requestAnimationFrame(() => menu.current?.focus());
          }}
        />
      ) : null}
    </>
  );
}
