import { describe, expect, it } from "vitest";
import type { HookGroup, HookStats } from "@/ipc/types";
import { listed } from "@/testing/listed";
import { HOOKS, PROJECT_LIST, STATS } from "@/testing/sampleData";
import {
  factsOf,
  filterText,
  groupedHooks,
  hooksOfEvent,
  inNode,
  locationOf,
  nodeId,
  placeOf,
  statsOf,
  worstFirst,
} from "./facts";

const byLabel = (label: string) => {
  const found = HOOKS.find((hook) => hook.label === label);
  if (found === undefined) throw new Error(label);
  return found;
};

describe("the hooks of a project", () => {
  it("stand group after group, as the engine lists them", () => {
    const document = listed({ ...PROJECT_LIST, hooks: [...HOOKS].reverse() });
    const order = groupedHooks(document).map((hook) => hook.layer);
    expect(order).toHaveLength(HOOKS.length);
    expect(order.indexOf("project")).toBe(order.lastIndexOf("user") + 1);
    const guard = document.hooks.find(({ label }) => label === "guard-shell");
    expect(guard && placeOf(guard, document)).toBe(byLabel("guard-shell").path);
  });

  it("of an event stand in run order, also those that would not run", () => {
    const document = { ...listed(PROJECT_LIST), chains: [{ dialect: "jcli", event: "stop", rows: [3, 0] }] };
    expect(hooksOfEvent(document, "jcli", "stop")).toEqual([document.hooks[3], document.hooks[0]]);
    expect(hooksOfEvent(document, "jcli", "start")).toEqual([]);
  });

  it("say their filter in few words", () => {
    expect(filterText({ tool_name: "psql" })).toBe("tool_name=psql");
    expect(filterText({ tool_matcher: "Bash|Shell" })).toBe("Bash|Shell");
    expect(filterText(null)).toBe("");
  });

  it("belong to their dialect, layer, file and event in the tree", () => {
    const hook = byLabel("guard-shell");
    const isIn = (node: string) => inNode({ ...hook, group: `jcli project ${hook.path}` }, node);
    expect(isIn(nodeId("dialect", "jcli"))).toBe(true);
    expect(isIn(nodeId("layer", "jcli", "user"))).toBe(false);
    expect(isIn(nodeId("event", "jcli", "pre_tool_execution"))).toBe(true);
    expect(isIn(nodeId("file", "jcli", `jcli project ${hook.path}`))).toBe(true);
  });
});

describe("the place of a problem", () => {
  it("leaves out what is not known", () => {
    expect(locationOf({ line: 22, column: 15 }, "hooks.yaml")).toBe("hooks.yaml:22:15");
    expect(locationOf({ line: null, column: null }, "hooks.yaml")).toBe("hooks.yaml");
  });
});

describe("the groups of a list", () => {
  it("begin with files that the agent does not read, then those whose guards do not work", () => {
    const { groups } = listed(PROJECT_LIST);
    const [base] = groups as [HookGroup];
    const at = (group: string, fault: HookGroup["fault"]) => ({ ...base, group, fault });
    const shown = worstFirst([at("well", null), at("guard", "guard"), at("lost", "not_read"), at("fine", null)]);
    expect(shown.map(({ group }) => group)).toEqual(["lost", "guard", "well", "fine"]);
  });
});

describe("what a hook did", () => {
  it("stays with it when it moves or changes", () => {
    const hook = byLabel("guard-shell");
    const [base] = STATS;
    const stats = {
      ...base,
      uid: hook.uid,
      hook: "jcli:project:pre_tool_execution:9",
      version: "old",
      event: hook.event,
    };
    expect(statsOf(factsOf([stats as HookStats]), hook)).toBe(stats);
  });
});
