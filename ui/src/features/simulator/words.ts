/** What columns and roles are called. */
import { t } from "@/i18n";
import type { Column } from "./timeline";

/** The tools that were called, each with how often: `read_file, search_text ×2`. */
export function toolWords(tools: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const tool of tools) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return [...counts].map(([tool, count]) => (count > 1 ? `${tool} ×${count}` : tool)).join(", ");
}

/** Title of a column, and what the model did there. */
export function callName({ call, tools }: Pick<Column, "call" | "tools">): { title: string; about: string } {
  if (call === null) return { title: t("simulator.call.end"), about: "" };
  const step = /^step (\d+)$/.exec(call.label)?.[1];
  const about = toolWords(tools);
  if (step !== undefined) return { title: t("simulator.call.step", { number: step }), about };
  if (call.label === "planning") return { title: t("simulator.call.planning"), about };
  if (call.label === "direct") return { title: t("simulator.call.direct"), about };
  return { title: call.label, about };
}
