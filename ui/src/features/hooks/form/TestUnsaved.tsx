/** What the hook of an unsaved text would do with a payload. Nothing runs. */
import { Sheet } from "@/components";
import { t } from "@/i18n";
import type { HookRow } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { ExplainTab } from "../ExplainTab";
import { type Draft, fileText } from "../source/drafts";

interface TestUnsavedProps {
  draft: Draft;
  hook: HookRow;
  onClose: () => void;
}

export default function TestUnsaved({ draft, hook, onClose }: TestUnsavedProps) {
  return (
    <Sheet open wide title={t("form.testTitle", { hook: oneLine(hook.label, 40) })} onClose={onClose}>
      <div className="pane-body scroll">
        <ExplainTab hook={hook} project={draft.project} unsaved={{ path: draft.path, text: fileText(draft) }} />
      </div>
    </Sheet>
  );
}
