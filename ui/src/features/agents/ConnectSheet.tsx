/** Connecting an agent by its files: the exact change, then a check that ends when a first event arrived. */
import { Cable, CircleCheck, CircleDashed, Undo2 } from "lucide-react";
import { useState } from "react";
import { Button, Icon, Sheet, Spinner, Switch, toast } from "@/components";
import { STALE_BY_EDIT } from "@/domain/edits/undo";
import type { EditDone } from "@/domain/hooks/afterEdit";
import { EditConfirm } from "@/domain/hooks/EditConfirm";
import { useEditPreview } from "@/domain/hooks/useEditPreview";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { type Dialect, useCommand } from "@/ipc";
import { useLiveRow } from "@/live/rows";

interface ConnectSheetProps {
  dialect: Dialect;
  project: string;
  onClose: () => void;
}

export function ConnectSheet({ dialect, project, onClose }: ConnectSheetProps) {
  const [wrap, setWrap] = useState(false);
  const [done, setDone] = useState<EditDone | null>(null);
  const request = { project, dialect: dialect.id, wrap };
  const preview = useEditPreview("agents.connect", done === null ? request : null);
  const connecting = useCommand("agents.connect", { stale: STALE_BY_EDIT, onSuccess: setDone });
  const agent = dialect.name;
  const isConnected = preview.doc?.diff === "";
  return (
    <Sheet open wide title={t("agents.connect.titleOf", { agent })} onClose={onClose}>
      {done !== null ? (
        <Check dialect={dialect} project={project} done={done} onClose={onClose} />
      ) : (
        <EditConfirm
          project={project}
          preview={preview}
          waiting={preview.waiting}
          hooks={[]}
          problems={[]}
          what={t("agents.connect.change")}
          nothing={isConnected ? t("agents.connect.already", { agent }) : undefined}
          fault={connecting.error}
          busy={connecting.isPending}
          icon={Cable}
          safeLabel={t("cancel")}
          doLabel={t("agents.connect.do", { agent })}
          onClose={onClose}
          onDo={() => (isConnected ? onClose() : connecting.mutate(request))}
        >
          <div className="row py-2.5 px-4 border-t border-line-2">
            <span className="grow">
              <b className="medium">{t("agents.connect.wrap")}</b>
              <span className="block text-small dim">{t("agents.connect.wrapAbout")}</span>
            </span>
            <Switch on={wrap} label={t("agents.connect.wrap")} onChange={setWrap} />
          </div>
        </EditConfirm>
      )}
    </Sheet>
  );
}

/** What was written, and whether an event has come since. */
function Check({ dialect, project, done, onClose }: ConnectSheetProps & { done: EditDone }) {
  const [since] = useState(() => Date.now());
  const arrived = useLiveRow(
    ({ dialect: id, origin, at }) => id === dialect.id && origin !== "window" && Date.parse(at) >= since,
  );
  const undoing = useCommand("edit.undo", {
    stale: STALE_BY_EDIT,
    onError: toastFault,
    onSuccess: () => {
      toast(t("agents.connect.undone", { agent: dialect.name }), null);
      onClose();
    },
  });
  const { undo } = done;
  return (
    <>
      <ol className="p-4 flex flex-col gap-3" aria-live="polite">
        <CheckLine isDone title={t("agents.connect.written")} text={t("agents.connect.sameBytes")} />
        <CheckLine
          isDone={arrived !== undefined}
          title={t(arrived ? "agents.connect.arrived" : "agents.connect.waitsFor", { agent: dialect.name })}
          text={arrived?.event ?? t("agents.connect.sendPrompt")}
        />
      </ol>
      <div className="dialog-foot pt-3 border-t border-t-line-2">
        {undo === null ? null : (
          <Button icon={Undo2} busy={undoing.isPending} onClick={() => undoing.mutate({ project, undo })}>
            {t("undo")}
          </Button>
        )}
        <Button kind="primary" data-focus onClick={onClose}>
          {t("agents.connect.close")}
        </Button>
      </div>
    </>
  );
}

function CheckLine({ isDone, title, text }: { isDone: boolean; title: string; text: string }) {
  return (
    <li className="flex gap-3">
      <span className={isDone ? "ink-allow" : "dim"}>
        <Icon of={isDone ? CircleCheck : CircleDashed} size={20} />
      </span>
      <span className="grow">
        <b className="medium">{title}</b>
        <span className="block text-small dim">{text}</span>
      </span>
      {isDone ? null : <Spinner size={16} />}
    </li>
  );
}
