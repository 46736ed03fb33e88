/** The conditions of the invented dialect, and what they match among invented events. */
import type { Dialect, Params, Reply } from "@/ipc/types";
import { HOOKS } from "./sampleHooks";
import { lastEvents } from "./sampleTraces";

type FilterInfo = Dialect["filters"][number];

function filter(key: string, test: string, en: string, zh: string, over: string | null = null): FilterInfo {
  return {
    key,
    field: `filter.${key}`,
    test,
    without_subject: "never_matches",
    names_events: false,
    overruled_by: over,
    choices: [],
    about: { en, zh },
  };
}

export const FILTERS: FilterInfo[] = [
  filter("tool_name", "equals", "The tool has exactly this name.", "工具名称与此完全相同。"),
  filter("tool_matcher", "names", "The tool has one of these names.", "工具名称是其中之一。", "tool_name"),
  filter("model_prefix", "prefix", "The name of the model begins with this text.", "模型名称以此开头。"),
];

const TOOLS = ["Bash", "Read", "Bash", "Write", "Shell", "bash", "Read", "Grep", "Bash"];
const toolOf = (index: number) => TOOLS[(index * 5) % TOOLS.length] ?? "Bash";

/** The names that a request compares with; null for all. */
function wantedNames({ hook, steps = [], without = [] }: Params<"history.match">): string[] | null {
  const row = HOOKS.find((one) => one.hook === hook);
  const parts: Record<string, unknown> = { ...(row?.filter as Record<string, unknown> | null) };
  for (const step of steps) {
    if (step.do === "unset" && step.field === "filter") for (const key of Object.keys(parts)) delete parts[key];
    if (step.do === "unset") delete parts[step.field.replace("filter.", "")];
    if (step.do === "set") parts[step.field.replace("filter.", "")] = step.value;
  }
  if (parts.model_prefix !== undefined && !without.includes("model_prefix")) return [];
  const names = parts.tool_name ?? parts.tool_matcher;
  return typeof names === "string" ? names.split("|") : null;
}

/** As the engine compares the last events. */
export function matchEvents(now: number): (request: Params<"history.match">) => Reply<"history.match"> {
  const recorded = lastEvents(now);
  const events = recorded.events ?? [];
  return (request) => {
    if (request.cells !== true) {
      const names = wantedNames(request);
      const count = events.filter((_, index) => names?.includes(toolOf(index)) ?? true).length;
      return request.events ? recorded : { ...recorded, matches: count };
    }
    const names = wantedNames(request);
    const isNear = (tool: string) =>
      names?.some((name) => name !== tool && name.toLowerCase() === tool.toLowerCase()) ?? false;
    const cells = events.map(({ trace, at }, index) => {
      const tool = toolOf(index);
      const matches = names?.includes(tool) ?? true;
      return { trace, at, tool, matches, near_miss: !matches && isNear(tool) ? ("case" as const) : null };
    });
    const near = cells.filter((cell) => cell.near_miss !== null);
    const matched = cells.filter((cell) => cell.matches);
    const count = (tool: string) => cells.filter((cell) => cell.tool === tool).length;
    return {
      looked_at: cells.length,
      matches: matched.length,
      matched: matched.slice(0, 5).map(({ trace }) => trace),
      near: near.slice(0, 5).map(({ trace }) => ({ trace, near_miss: "case" as const })),
      without_payload: 0,
      incomplete: false,
      cells,
      near_values:
        near.length === 0
          ? []
          : [{ key: "tool_matcher", got: near[0]?.tool ?? "", near_miss: "case", count: near.length }],
      values: [...new Set(TOOLS)].map((value) => ({ field: "tool_name", value, count: count(value) })),
    };
  };
}
