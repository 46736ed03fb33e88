/** Every edit of the last 30 days, the newest first: what it did, whether it can be undone, and Undo. */
import { History, Redo2, Undo2 } from "lucide-react";
import { useCallback, useMemo } from "react";
import {
  Button,
  type Column,
  DataTable,
  DialectTag,
  Drawer,
  Empty,
  type Fact,
  Facts,
  FaultNote,
  Icon,
  InlineCode,
  Note,
  Pane,
  Skeleton,
} from "@/components";
import { useKnownDiffs } from "@/domain/edits/diffs";
import { EditDiff } from "@/domain/hooks/EditDiff";
import { t } from "@/i18n";
import { dateTime, day, timeOfDay } from "@/i18n/format";
import { faultText, say } from "@/i18n/messages";
import { useAgentName } from "@/ipc/dialects";
import { useStepping } from "@/lib/actions";
import { capitalizeFirst } from "@/lib/escape";
import { baseName, shortPath } from "@/lib/names";
import type { HooksSearch } from "@/routes/search";
import { type StoredEdit, useEditList } from "./editList";
import { editWords } from "./editWords";
import { type ListUndoing, useListUndo } from "./undo";
import { type UndoDiff, useUndoDiff } from "./undoDiff";

const ROW_HEIGHT = 44;

interface EditsViewProps {
  project: string | null;
  search: HooksSearch;
  onChange: (part: Partial<HooksSearch>) => void;
}

export default function EditsView({ project, search, onChange }: EditsViewProps) {
  const list = useEditList(project);
  const { edits } = list;
  const undoing = useListUndo(project);
  const columns = useEditColumns(edits, project, undoing);
  const groupOf = useCallback((edit: StoredEdit) => {
    const name = day(edit.at);
    return [{ key: name, content: name }];
  }, []);
  const selected = edits.find((edit) => edit.edit === search.edit);
  const at = selected === undefined ? -1 : edits.indexOf(selected);
  const step = useStepping(edits, at, ({ edit }) => onChange({ edit }));
  if (list.fault !== null) return <FaultNote fault={list.fault} onRetry={list.retry} />;
  if (list.loading) return <Skeleton rows={12} height={ROW_HEIGHT} what={t("edits.title")} />;
  return (
    <>
      <Pane label={t("edits.title")}>
        {list.problems.length > 0 ? (
          <Note kind="warning" className="flat">
            {t("edits.damaged", { count: list.problems.length })}
          </Note>
        ) : null}
        {edits.length === 0 ? (
          <Empty title={t("edits.none")} text={t("edits.noneText")} />
        ) : (
          <DataTable
            label={t("edits.title")}
            columns={columns}
            rows={edits}
            rowKey={(edit) => edit.edit}
            rowHeight={ROW_HEIGHT}
            groupOf={groupOf}
            selected={selected?.edit ?? null}
            onSelect={(edit) => onChange({ edit: edit.edit })}
            rowClass={(edit) => (edit.undone ? "fade" : "")}
            onNearEnd={list.more}
          />
        )}
      </Pane>
      {selected === undefined ? null : (
        <EditDrawer
          edit={selected}
          all={edits}
          project={project}
          undoing={undoing}
          onEdit={(edit) => onChange({ edit })}
          onClose={() => onChange({ edit: undefined })}
          onStep={step}
        />
      )}
    </>
  );
}

function useEditColumns(
  edits: readonly StoredEdit[],
  project: string | null,
  undoing: ListUndoing,
): Column<StoredEdit>[] {
  const { run, busy } = undoing;
  return useMemo(
    () => [
      {
        id: "time",
        head: t("edits.column.time"),
        width: "92px",
        cell: (edit) => <span className="mono ink-2">{timeOfDay(edit.at)}</span>,
      },
      {
        id: "what",
        head: t("edits.column.what"),
        cell: (edit) => (
          <>
            <div className="row gap-1.5">
              <DialectTag dialect={edit.dialect} />
              <span className="medium trunc">{editWords(edit, edits)}</span>
            </div>
            <div className="mono text-tiny dim trunc under">
              {shortPath(edit.path, project)}
              {edit.files.length > 1 ? ` ${t("edits.moreFiles", { count: edit.files.length - 1 })}` : null}
            </div>
          </>
        ),
      },
      {
        id: "state",
        head: t("edits.column.state"),
        width: "168px",
        align: "right",
        cell: (edit) =>
          edit.undone ? (
            <span className="text-small dim">{t("edits.undone")}</span>
          ) : edit.can_undo ? (
            <Button
              size="small"
              icon={edit.what === "undo" ? Redo2 : Undo2}
              tabIndex={-1}
              busy={busy}
              onClick={(event) => {
                event.stopPropagation();
                run(edit, edits);
              }}
            >
              {t(edit.what === "undo" ? "edits.redo" : "undo")}
            </Button>
          ) : (
            <span className="text-small dim">{t("edits.cannot")}</span>
          ),
      },
    ],
    [edits, project, run, busy],
  );
}

interface EditDrawerProps {
  edit: StoredEdit;
  all: readonly StoredEdit[];
  project: string | null;
  undoing: ListUndoing;
  onEdit: (edit: string) => void;
  onClose: () => void;
  onStep: (by: -1 | 1) => void;
}

function EditDrawer({ edit, all, project, undoing, onEdit, onClose, onStep }: EditDrawerProps) {
  const isUndo = edit.what === "undo";
  const why = edit.why === null || edit.undone ? null : capitalizeFirst(say(edit.why, edit.why.why));
  // What is undone is redone by undoing what undid it.
  const undo = edit.undone ? all.find((one) => one.edit === edit.undone_by && one.can_undo) : edit;
  return (
    <Drawer
      id="hooks.edit"
      label={t("edits.one")}
      width={420}
      head={
        <>
          <span className="ink-accent">
            <Icon of={isUndo ? Undo2 : History} size={16} />
          </span>
          <h2 className="trunc">{editWords(edit, all)}</h2>
        </>
      }
      onClose={onClose}
      onStep={onStep}
      arrows
    >
      <div className="section column gap-3">
        {undo?.can_undo ? (
          <Button
            kind={edit.undone ? "default" : "primary"}
            icon={undo.what === "undo" ? Redo2 : Undo2}
            busy={undoing.busy}
            onClick={() => undoing.run(undo, all)}
          >
            {t(edit.undone ? "edits.redoEdit" : isUndo ? "edits.redoThis" : "edits.undoThis")}
          </Button>
        ) : null}
        {why === null ? null : (
          <Note kind="warning" lead={t("edits.cannot")}>
            <InlineCode text={why} />
          </Note>
        )}
        <EditFacts edit={edit} all={all} project={project} onEdit={onEdit} />
      </div>
      <Changed edit={edit} project={project} />
    </Drawer>
  );
}

function EditFacts({ edit, all, project, onEdit }: Pick<EditDrawerProps, "edit" | "all" | "project" | "onEdit">) {
  const agent = useAgentName(edit.dialect);
  const link = (id: string) => {
    const other = all.find((one) => one.edit === id);
    return other === undefined ? (
      <span className="mono text-tiny">{id}</span>
    ) : (
      <button type="button" className="link" onClick={() => onEdit(id)}>
        {dateTime(other.at)}
      </button>
    );
  };
  return (
    <Facts
      rows={[
        [t("edits.fact.at"), dateTime(edit.at)],
        [t("edits.fact.agent"), agent],
        ...edit.files.map(
          (file, index): Fact => [
            index === 0 ? t("edits.fact.files", { count: edit.files.length }) : null,
            shortPath(file, project),
            "mono text-tiny wrap",
          ],
        ),
        [t("edits.fact.project"), edit.in_project ? baseName(edit.project) : t("edits.ownFiles"), "wrap"],
        edit.undoes === null ? null : [t("edits.fact.undoes"), link(edit.undoes)],
        edit.undone_by === null ? null : [t("edits.fact.undoneBy"), link(edit.undone_by)],
      ]}
    />
  );
}

/** The exact difference of an edit of this window; of another edit, what its undo would change. */
function Changed({ edit, project }: { edit: StoredEdit; project: string | null }) {
  const patch = useKnownDiffs(({ diffs }) => diffs.get(edit.edit));
  const canUndo = edit.can_undo && !edit.undone;
  const isKnown = patch !== undefined && patch.length > 0;
  const ahead = useUndoDiff(edit, project, canUndo && !isKnown);
  if (!isKnown && canUndo) return <ChangedByUndo edit={edit} project={project} ahead={ahead} />;
  return (
    <>
      <div className="pane-head border-t border-t-line-2">
        <h3>{t("edits.changed")}</h3>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys */}
      <div className="pane-body scroll" tabIndex={0}>
        {!isKnown ? (
          <p className="pad-16 text-small ink-2">{t("edits.diffUnknown")}</p>
        ) : (
          <>
            {canUndo ? (
              <p className="pad-16 text-small ink-2">{t(edit.what === "undo" ? "edits.diffRedo" : "edits.diffUndo")}</p>
            ) : null}
            <EditDiff changes={patch} project={project} unified />
          </>
        )}
      </div>
    </>
  );
}

/** What undoing changes, asked of the engine in a dry run. */
function ChangedByUndo({ edit, project, ahead }: { edit: StoredEdit; project: string | null; ahead: UndoDiff }) {
  const { data, error } = ahead;
  const intro = edit.what === "undo" ? "edits.aheadRedo" : "edits.aheadUndo";
  return (
    <>
      <div className="pane-head border-t border-t-line-2">
        <h3>{t(edit.what === "undo" ? "edits.redoChanges" : "edits.undoChanges")}</h3>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys */}
      <div className="pane-body scroll" tabIndex={0}>
        {error ? (
          <p className="pad-16 text-small ink-2">{faultText(error).message}</p>
        ) : data === undefined ? (
          <Skeleton rows={4} what={t("edits.changed")} />
        ) : (
          <>
            <p className="pad-16 text-small ink-2">{t(intro)}</p>
            <EditDiff changes={data.changes} project={project} unified />
          </>
        )}
      </div>
    </>
  );
}
