/** A new hook: where it listens, what it does, and the exact text that is added, before anything is written. */
import { useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { Sheet, Skeleton } from "@/components";
import { STALE_BY_EDIT } from "@/domain/edits/undo";
import { useReportEdit } from "@/domain/hooks/afterEdit";
import { EditConfirm } from "@/domain/hooks/EditConfirm";
import { useEditPreview } from "@/domain/hooks/useEditPreview";
import { useProject } from "@/domain/project";
import { useTranslation } from "@/i18n";
import { type HookRow, type HooksDocument, queryKey, useCall, useCommand } from "@/ipc";
import { firstDialect, useDialects } from "@/ipc/dialects";
import { oneLine } from "@/lib/escape";
import { useNavigate } from "@/routes/router";
import { NewHookForm } from "./NewHookForm";
import { useNewHook, type Wanted } from "./newHook";
import { useNewHookForm } from "./useNewHookForm";
import "./newHook.css";

export default function NewHookSheet() {
  const { t } = useTranslation();
  const wanted = useNewHook((store) => store.wanted);
  const close = useNewHook((store) => store.close);
  const project = useProject();
  const list = useCall("hooks.list", { project: project ?? "" }, { enabled: project !== null });
  const dialects = useDialects();
  const first = firstDialect(
    dialects.filter((one) => one.shelves.length > 0),
    list.data,
    wanted?.dialect,
  );
  if (wanted === null || project === null) return null;
  return (
    <Sheet open wide title={t("newHook.title")} onClose={close}>
      {first === undefined || list.data === undefined ? (
        <Skeleton what={t("newHook.title")} height={40} />
      ) : (
        <Body project={project} wanted={{ ...wanted, dialect: first.id }} hooks={list.data.hooks} onClose={close} />
      )}
    </Sheet>
  );
}

interface BodyProps {
  project: string;
  wanted: Wanted;
  hooks: readonly HookRow[];
  onClose: () => void;
}

function Body({ project, wanted, hooks, onClose }: BodyProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const client = useQueryClient();
  const form = useNewHookForm(project, wanted, hooks);
  const preview = useEditPreview("edit.add", form.request);
  const report = useReportEdit(project);
  const adding = useCommand("edit.add", {
    stale: STALE_BY_EDIT,
    onSuccess: (doc, { event }) => {
      // The list has to know the hook before it can show it chosen, and by its name.
      void client.refetchQueries({ queryKey: queryKey("hooks.list", { project }) }).then(() => {
        const list = client.getQueryData<HooksDocument>(queryKey("hooks.list", { project }));
        const name = oneLine(list?.hooks.find(({ hook }) => hook === doc.hook)?.label ?? event, 60);
        report(doc, t("newHook.added", { hook: name }), { what: t("edits.did.add", { name }) });
        void navigate({ to: "/hooks", search: doc.hook === null ? {} : { hook: doc.hook, event } });
      });
      onClose();
    },
  });
  return (
    <EditConfirm
      project={project}
      preview={preview}
      waiting={preview.waiting}
      hooks={hooks}
      what={t("newHook.preview")}
      form={<NewHookForm form={form} />}
      nothing={form.request === null ? t("newHook.noTemplate") : undefined}
      fault={adding.error}
      busy={adding.isPending}
      icon={Plus}
      safeLabel={t("cancel")}
      doLabel={t("newHook.add")}
      onClose={onClose}
      onDo={() => {
        if (form.request !== null) adding.mutate(form.request);
      }}
    />
  );
}
