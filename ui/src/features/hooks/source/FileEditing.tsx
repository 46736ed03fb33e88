/** A hook file that is being edited: the text, its problems, the hooks that it would define, and saving it. */
import { useQueryClient } from "@tanstack/react-query";
import { Save } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, type CodePlace, type CodeProblem, FilePane, type LineRange, Note, toast } from "@/components";
import type { EditDone } from "@/domain/hooks/afterEdit";
import { ProblemCounts, ProblemList } from "@/domain/hooks/ProblemList";
import { problemText } from "@/domain/hooks/problemText";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { faultText } from "@/i18n/messages";
import { call, type HookRow, type Problem, queryKey, type Reply } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { escapeInvisible } from "@/lib/escape";
import { baseName, shortPath } from "@/lib/names";
import { FormAndSource } from "../form/FormAndSource";
import { ChangedOnDisk } from "./ChangedOnDisk";
import { type Draft, draftKey, isDirty, useDrafts } from "./drafts";
import { HooksOfText } from "./HooksOfText";
import { languageOf } from "./language";
import { SaveChanges } from "./SaveChanges";
import { type TextCheck, useTextCheck } from "./useTextCheck";

const NO_PROBLEMS: Problem[] = [];
const NO_HOOKS: HookRow[] = [];

interface FileEditingProps {
  draft: Draft;
  /** The file as the window knows it. */
  file: Reply<"hooks.text">;
  /** The hook that the file was opened for; its lines are shown first. */
  hook: string | null;
  line: number | null;
  /** The hook that names this script; null for a file that defines hooks. */
  owner: string | null;
  /** Hears that the file was saved; `reload` reads it again after an Undo. */
  onSaved: (doc: EditDone, reload: () => void) => void;
}

function linesOf(file: Reply<"hooks.text">, hook: string | null, line: number | null): LineRange | null {
  const own = file.hooks.find((one) => one.hook === hook && (line === null || one.line === line));
  const known = own ?? file.hooks.find((one) => one.hook === hook);
  if (known !== undefined) return { first: known.line, last: known.end_line };
  return line === null ? null : { first: line, last: line };
}

/** Reads the file again, past the cache. */
function useReload(draft: Draft, owner: string | null): (keepText?: boolean) => Promise<void> {
  const client = useQueryClient();
  const rebase = useDrafts((store) => store.rebase);
  const { project, path } = draft;
  return async (keepText = false) => {
    const params = { project, path, hook: owner };
    const file = await call("hooks.text", params);
    client.setQueryData(queryKey("hooks.text", params), file);
    rebase(draftKey(project, path), file, keepText);
  };
}

/** The problems as marks of the editor. */
function marksOf(problems: readonly Problem[], hooks: HookRow[]): CodeProblem[] {
  const { title, advice } = problemText(hooks);
  return problems.flatMap((problem) => {
    if (problem.line === null) return [];
    const message = [title(problem), advice(problem)].filter(Boolean).join("\n");
    const { line, column, severity } = problem;
    return [{ line, column, severity, message: escapeInvisible(message) }];
  });
}

export function FileEditing({ draft, file, hook, line, owner, onSaved }: FileEditingProps) {
  const { project, path } = draft;
  const key = draftKey(project, path);
  const type = useDrafts((store) => store.type);
  const end = useDrafts((store) => store.end);
  const resume = useDrafts((store) => store.resume);
  const rebase = useDrafts((store) => store.rebase);
  const check = useTextCheck(draft, owner, file.hash);
  const reload = useReload(draft, owner);
  const [place, setPlace] = useState<CodePlace | null>(null);
  const [saving, setSaving] = useState(false);
  const [lines] = useState(() => linesOf(file, hook, line));
  const dirty = isDirty(draft);
  const problems = check.doc?.problems ?? NO_PROBLEMS;
  const hooks = check.doc?.hooks ?? NO_HOOKS;
  const marks = marksOf(problems, hooks);
  // The check sees the disk at once, the list of hooks when the watcher has told of it.
  const changed = file.hash !== draft.base || (check.doc?.same_base === false && check.doc.hash !== draft.base);
  // A file that nobody edited here simply becomes the new one.
  useEffect(() => {
    if (!dirty && file.hash !== draft.base) rebase(key, file, false);
  }, [dirty, file, draft.base, key, rebase]);
  // Once the dialog that asked has let the focus go.
  const goOn = () => requestAnimationFrame(() => draft.document.current?.focus());
  const save = () => {
    if (dirty) setSaving(true);
    else toast(t("editor.nothingToSave"), null);
  };
  const stop = () => {
    end(key);
    if (dirty) toast(t("editor.discarded", { file: baseName(path) }), { label: t("undo"), run: () => resume(draft) });
  };
  useScreenActions({ "text.save": saving ? null : save });
  return (
    <>
      <EditingHead draft={draft} dirty={dirty} onSave={save} onEnd={stop} />
      {changed && dirty ? (
        <ChangedOnDisk
          draft={draft}
          owner={owner}
          onLoad={() => {
            const typed = draft.text;
            const back = { label: t("undo"), run: () => type(key, typed) };
            reload().then(() => {
              toast(t("editor.loaded", { file: baseName(path) }), back);
              goOn();
            }, toastFault);
          }}
          onKeep={() => void reload(true).then(goOn, toastFault)}
        />
      ) : null}
      <FormAndSource
        draft={draft}
        check={check}
        hasForm={owner === null}
        source={(help, onCursor) => (
          <>
            <FilePane
              label={t("editor.textOf", { file: baseName(path) })}
              kept={draft.document}
              text={draft.text}
              language={languageOf(path, draft.saved)}
              onChange={(text) => type(key, text)}
              problems={marks}
              lines={lines}
              place={place}
              help={help}
              onCursor={onCursor}
            />
            <CheckResult
              check={check}
              hooksBefore={draft.hooksBefore}
              onPlace={(to) => setPlace({ line: to.line, column: to.column })}
            />
          </>
        )}
      />
      {saving ? (
        <SaveChanges
          draft={draft}
          hook={hook}
          hooks={hooks}
          onClose={() => setSaving(false)}
          onSaved={(doc) => {
            setSaving(false);
            reload().then(() => onSaved(doc, () => void reload().catch(toastFault)), toastFault);
          }}
        />
      ) : null}
    </>
  );
}

interface EditingHeadProps {
  draft: Draft;
  dirty: boolean;
  onSave: () => void;
  onEnd: () => void;
}

function EditingHead({ draft, dirty, onSave, onEnd }: EditingHeadProps) {
  return (
    <div className="pane-head">
      <span className="mono text-tiny trunc">{shortPath(draft.path, draft.project)}</span>
      {dirty ? (
        <span
          className="flex-none inline-block w-1.75 h-1.75 rounded-full bg-accent"
          role="img"
          aria-label={t("editor.unsaved")}
        />
      ) : (
        <span className="text-tiny dim nowrap">{t("editor.noChanges")}</span>
      )}
      <span className="spacer" />
      {draft.ending === "\r\n" ? <span className="text-tiny dim">CRLF</span> : null}
      <Button kind="ghost" size="small" onClick={onEnd}>
        {dirty ? t("editor.discard") : t("editor.done")}
      </Button>
      <Button
        kind="primary"
        size="small"
        icon={Save}
        action="text.save"
        disabledBecause={dirty ? null : t("editor.nothingToSave")}
        onClick={onSave}
      >
        {t("editor.save")}
      </Button>
    </div>
  );
}

interface CheckResultProps {
  check: TextCheck;
  hooksBefore: number;
  onPlace: (place: CodePlace) => void;
}

/** Below the text: what is wrong with it, and the hooks that it would define. */
function CheckResult({ check, hooksBefore, onPlace }: CheckResultProps) {
  const { doc, fault } = check;
  return (
    <div className="flex-none flex flex-col max-h-[45%] border-t border-line-2" aria-busy={check.waiting}>
      <div className="row flex-none h-8 px-3">
        <h3>{t("editor.problems")}</h3>
        <ProblemCounts problems={doc?.problems ?? NO_PROBLEMS} />
        {doc !== null && doc.problems.length === 0 ? <span className="text-tiny dim">{t("editor.none")}</span> : null}
        <span className="spacer" />
        {check.waiting ? <span className="text-tiny dim">{t("editor.checking")}</span> : null}
      </div>
      <div className="border-t border-t-line-1 empty:hidden scroll">
        {fault ? (
          <Note kind="error" className="flat">
            {faultText(fault).message}
          </Note>
        ) : null}
        {doc !== null && doc.problems.length > 0 ? (
          <ProblemList
            problems={doc.problems}
            hooks={doc.hooks}
            onPlace={(problem) => onPlace({ line: problem.line ?? 1, column: problem.column })}
          />
        ) : null}
      </div>
      {doc !== null ? <HooksOfText doc={doc} before={hooksBefore} onPlace={onPlace} /> : null}
    </div>
  );
}
