import type { HistoryRow } from "@/ipc";
import { useDialects } from "@/ipc/dialects";

/** Whether what a row is about begins with the name of a tool: its event has the field for it. */
export function useHasTool(): (row: HistoryRow) => boolean {
  const dialects = useDialects();
  const withTool = new Set(
    dialects.flatMap(({ id, tool_field, events }) =>
      events
        .filter((event) => event.fields.some((field) => field.name === tool_field))
        .map((event) => `${id} ${event.name}`),
    ),
  );
  return (row) => withTool.has(`${row.dialect} ${row.event}`);
}
