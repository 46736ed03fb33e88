import { FilePenLine } from "lucide-react";
import { useEffect } from "react";
import { Button, CodePane, type CodeProblem, Cut, FaultNote, Skeleton } from "@/components";
import type { EditDone } from "@/domain/hooks/afterEdit";
import { locationOf } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import { hintOf, say } from "@/i18n/messages";
import { useCall } from "@/ipc";
import { useDialect } from "@/ipc/dialects";
import { useScreenActions } from "@/lib/actions";
import { escapeInvisible } from "@/lib/escape";
import { baseName, shortPath } from "@/lib/names";
import { draftKey, useDraft, useDrafts } from "./source/drafts";
import { FileEditing } from "./source/FileEditing";
import { languageOf } from "./source/language";

interface SourceTabProps {
  path: string;
  /** The hook that the file is shown for, and its line. */
  hook: string | null;
  line: number | null;
  /** The hook that names this script; null for a file that defines hooks. */
  owner: string | null;
  project: string;
  /** Hears that the file was saved; `reload` reads it again after an Undo. */
  onSaved: (doc: EditDone, reload: () => void) => void;
}

/** The file as it is on disk, with its problems, opened at a line; or the editor of it. */
export function SourceTab({ path, hook, line, owner, project, onSaved }: SourceTabProps) {
  const text = useCall("hooks.text", { project, path, hook: owner }, { enabled: path !== "" });
  const key = draftKey(project, path);
  const draft = useDraft(key);
  const begin = useDrafts((store) => store.begin);
  const want = useDrafts((store) => store.want);
  const wanted = useDrafts((store) => store.wanted);
  const shelves = useDialect(text.data?.dialect)?.shelves ?? [];
  const file = text.data;
  const isEditable = shelves.length > 0 && file !== undefined && file.hash !== null;
  const edit = isEditable && draft === undefined ? () => begin(project, file) : null;
  useEffect(() => {
    if (wanted !== key || file === undefined) return;
    if (isEditable) begin(project, file);
    else want(null);
  }, [wanted, key, file, isEditable, begin, want, project]);
  useScreenActions({ "hook.edit": edit });
  const problems: CodeProblem[] = (file?.problems ?? []).flatMap((problem) => {
    if (problem.line === null) return [];
    const advice = hintOf(problem, problem.hint);
    const message = escapeInvisible(say(problem, problem.message));
    return [
      {
        line: problem.line,
        column: problem.column,
        severity: problem.severity,
        message: advice ? `${message}\n${advice}` : message,
      },
    ];
  });
  if (path === "") return <p className="pad-16 text-small dim">{t("hooks.drawer.noSource")}</p>;
  if (text.error !== null) return <FaultNote fault={text.error} onRetry={() => void text.refetch()} />;
  if (file === undefined) return <Skeleton what={baseName(path)} height={20} />;
  if (draft !== undefined)
    return <FileEditing draft={draft} file={file} hook={hook} line={line} owner={owner} onSaved={onSaved} />;
  return (
    <>
      <div className="pane-head">
        <Cut className="mono text-tiny" text={path}>
          {locationOf({ line, column: null }, shortPath(path, project))}
        </Cut>
        <span className="spacer" />
        {edit ? (
          <Button size="small" icon={FilePenLine} action="hook.edit" onClick={edit}>
            {t("editor.edit")}
          </Button>
        ) : null}
      </div>
      <CodePane
        label={baseName(path)}
        value={file.text}
        language={languageOf(path, file.text)}
        problems={problems}
        line={line}
      />
    </>
  );
}
