/** Adds a hook, says so with Undo, and shows it in the list. */
import { useQueryClient } from "@tanstack/react-query";
import { STALE_BY_EDIT } from "@/domain/edits/undo";
import { useReportEdit } from "@/domain/hooks/afterEdit";
import { t } from "@/i18n";
import { type HooksDocument, queryKey, useCommand } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { useNavigate } from "@/routes/router";

export function useAdding<M extends "edit.add" | "samples.add">(method: M, project: string, onClose: () => void) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const report = useReportEdit(project);
  return useCommand(method, {
    stale: STALE_BY_EDIT,
    onSuccess: (doc, request) => {
      // The list has to know the hook before it can show it chosen, and by its name.
      void client.refetchQueries({ queryKey: queryKey("hooks.list", { project }) }).then(() => {
        const list = client.getQueryData<HooksDocument>(queryKey("hooks.list", { project }));
        const row = list?.hooks.find(({ hook }) => hook === doc.hook);
        const asked = "event" in request ? request.event : request.sample;
        const name = oneLine(row?.label ?? asked, 60);
        report(doc, t("newHook.added", { hook: name }), { what: t("edits.did.add", { name }) });
        const event = row?.event ?? ("event" in request ? request.event : undefined);
        void navigate({
          to: "/hooks",
          search: doc.hook === null ? {} : { hook: doc.hook, ...(event === undefined ? {} : { event }) },
        });
      });
      onClose();
    },
  });
}
