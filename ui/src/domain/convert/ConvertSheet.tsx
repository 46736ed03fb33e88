/** A hook in another dialect: the files, what is different in them, and writing them as new files. */
import { FilePlus2 } from "lucide-react";
import { useDeferredValue, useEffect, useState } from "react";
import { Field, InlineCode, Input, Select, Sheet, toast } from "@/components";
import { STALE_BY_EDIT, useUndo } from "@/domain/edits/undo";
import { EditConfirm } from "@/domain/hooks/EditConfirm";
import { t } from "@/i18n";
import { hintOf, say } from "@/i18n/messages";
import { type HookRow, type Reply, useCall, useCommand } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { capitalizeFirst, oneLine } from "@/lib/escape";
import { joinSentences } from "@/lib/sentences";

interface ConvertSheetProps {
  hook: HookRow;
  project: string;
  onClose: () => void;
}

export default function ConvertSheet(props: ConvertSheetProps) {
  return (
    <Sheet open wide title={t("convert.title", { hook: oneLine(props.hook.label, 60) })} onClose={props.onClose}>
      <Conversion {...props} />
    </Sheet>
  );
}

/** As many folders are tried before the refusal is shown. */
const MOST_FOLDERS = 9;

/**
 * Folders for the new files, the best first: the project, where the other agent reads them, and where it has such a file
 * already, one beside it.
 */
function folderAt(project: string, to: string, place: number): string {
  if (place === 0) return project;
  return `converted/${to}${place === 1 ? "" : `-${place}`}`;
}

/** What would be written into the named folder, or into the first one in which no file is in the way. */
function useConversion(project: string, hook: string, to: string) {
  const [typed, setTyped] = useState<string | null>(null);
  const [tried, setTried] = useState({ to, place: 0 });
  const place = tried.to === to ? tried.place : 0;
  const folder = typed ?? folderAt(project, to, place);
  const request = { project, hook, to, folder: folder.trim() || project };
  const asked = useDeferredValue(request.folder);
  const preview = useCall(
    "hooks.convert",
    { ...request, folder: asked, dry_run: true },
    { enabled: to !== "", refetchOnMount: true },
  );
  const isSettled = asked === request.folder && !preview.isFetching;
  const goesOn = typed === null && preview.error?.code === "edit_exists" && place + 1 < MOST_FOLDERS;
  useEffect(() => {
    if (goesOn && isSettled) setTried({ to, place: place + 1 });
  }, [goesOn, isSettled, to, place]);
  return {
    folder,
    setFolder: setTyped,
    request,
    preview,
    fault: goesOn ? null : preview.error,
    isWaiting: !isSettled || goesOn,
    /** The project has such files already. */
    isBeside: typed === null && place > 0,
  };
}

/** The content of the sheet. */
export function Conversion({ hook, project, onClose }: ConvertSheetProps) {
  const { run } = useUndo();
  const others = useDialects().filter((one) => one.id !== hook.dialect);
  const [chosen, setChosen] = useState<string | null>(null);
  const target = others.find(({ id }) => id === chosen) ?? others[0];
  const to = target?.id ?? "";
  const name = oneLine(hook.label, 60);
  const { folder, setFolder, request, preview, fault, isWaiting, isBeside } = useConversion(project, hook.hook, to);
  const converting = useCommand("hooks.convert", {
    stale: STALE_BY_EDIT,
    onSuccess: ({ files, change }) => {
      const undo = change?.undo ?? null;
      const what = t("convert.did", { hook: name });
      const action = { label: t("undo"), run: () => run({ what, project, edit: undo ?? "" }) };
      toast(t("convert.done", { count: files.length }), undo === null ? null : action);
      onClose();
    },
  });
  const doc = preview.data ?? null;
  const agent = target?.name ?? to;
  const folderHint = joinSentences(isBeside && t("convert.beside", { agent }), t("convert.folderHint"));
  const isEmpty = doc !== null && doc.files.length === 0;
  return (
    <EditConfirm
      project={project}
      preview={{ doc: doc?.change ?? null, fault, retry: () => void preview.refetch() }}
      waiting={isWaiting || isEmpty}
      hooks={[]}
      what={t("convert.files")}
      nothing={isEmpty ? t("convert.nothing") : undefined}
      form={
        <form className="flex flex-col gap-3 p-4 scroll" onSubmit={(submitted) => submitted.preventDefault()}>
          <Field label={t("convert.to")}>
            {({ id }) => (
              <Select
                id={id}
                label={t("convert.to")}
                value={to}
                options={others.map((one) => ({ value: one.id, label: one.name }))}
                onChange={setChosen}
              />
            )}
          </Field>
          <Field label={t("convert.folder")} hint={folderHint}>
            {({ id, describedBy }) => (
              <Input
                id={id}
                aria-describedby={describedBy}
                mono
                value={folder}
                onChange={(changed) => setFolder(changed.target.value)}
              />
            )}
          </Field>
          <Losses doc={doc} />
        </form>
      }
      fault={converting.error}
      busy={converting.isPending}
      icon={FilePlus2}
      safeLabel={t("cancel")}
      doLabel={t("convert.write")}
      onClose={onClose}
      onDo={() => converting.mutate(request)}
    />
  );
}

/** What the other dialect says in another way, or not at all. */
function Losses({ doc }: { doc: Reply<"hooks.convert"> | null }) {
  if (doc === null) return null;
  return (
    <section
      className="flex flex-col gap-2 [&_ul]:flex [&_ul]:flex-col [&_ul]:gap-2 [&_ul]:m-0 [&_ul]:p-0 [&_li]:[border-inline-start:2px_solid_var(--line-2)] [&_li]:[padding-inline-start:var(--s-2)] [&_li]:wrap-anywhere"
      aria-labelledby="convert-losses"
    >
      <h3 id="convert-losses">{t("convert.losses")}</h3>
      {doc.loss.length === 0 ? <p className="text-small dim">{t("convert.noLosses")}</p> : null}
      <ul>
        {doc.loss.map((loss) => {
          const advice = hintOf(loss, loss.hint);
          return (
            <li key={`${loss.hook} ${loss.code} ${loss.message}`} className="text-small">
              <InlineCode text={capitalizeFirst(say(loss, loss.message))} />
              {advice ? (
                <span className="block dim">
                  <InlineCode text={capitalizeFirst(advice)} />
                </span>
              ) : null}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
