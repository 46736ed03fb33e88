import { describe, expect, it } from "vitest";
import type { HookRow, HookStats, SourceRow } from "@/ipc/types";
import { HOOKS, STATS } from "@/testing/sampleData";
import { byFile, factsOf, filterText, inNode, inRunOrder, locationOf, nodeId, sourceGroups, statsOf } from "./facts";

const byLabel = (label: string) => {
  const found = HOOKS.find((hook) => hook.label === label);
  if (found === undefined) throw new Error(label);
  return found;
};

describe("the hooks of a project", () => {
  it("stand layer after layer, file order kept", () => {
    const order = inRunOrder([...HOOKS].reverse(), []).map((hook) => hook.layer);
    expect(order.indexOf("project")).toBe(order.lastIndexOf("user") + 1);
  });

  it("are grouped by file, with the place of the file", () => {
    expect(
      [...sourceGroups(inRunOrder(HOOKS, []), []).values()].map(({ place, layer }) => `${place} ${layer}`),
    ).toEqual(["1 user", "2 project"]);
  });

  it("stand dialect after dialect, those of a folder each under the folder that was read", () => {
    const root = "/home/me/.config/agents/hooks";
    const folder = (name: string): HookRow => ({
      ...byLabel("normalize-paths"),
      hook: `agent-hooks:user:${name}`,
      dialect: "agent-hooks",
      label: name,
      path: `${root}/${name}/HOOK.md`,
    });
    const sources = [{ dialect: "agent-hooks", layer: "user", path: root, exists: true, hooks: 2, last_good: false }];
    const hooks = inRunOrder([folder("a"), ...HOOKS, folder("b")], sources as SourceRow[]);
    expect(hooks.slice(0, 2).map((hook) => hook.label)).toEqual(["a", "b"]);
    const groups = [...sourceGroups(hooks, sources as SourceRow[]).values()];
    expect(groups.map(({ dialect, place, path }) => `${dialect} ${place} ${path}`).slice(0, 2)).toEqual([
      `agent-hooks 1 ${root}`,
      `jcli 1 ${byLabel("normalize-paths").path}`,
    ]);
  });

  it("of a skill stand under their skill", () => {
    const root = "/home/me/code/orchard-api/skills";
    const base = byLabel("guard-shell");
    const text = (skill: string): HookRow => ({
      ...base,
      dialect: "skill",
      layer: "skill",
      path: `${root}/${skill}/hooks/hooks.json`,
    });
    const sources = [{ dialect: "skill", layer: "skill", path: root, exists: true, hooks: 2, last_good: false }];
    const groups = sourceGroups([text("cite"), text("tone")], sources as SourceRow[]);
    expect([...groups.values()].map(({ path }) => path)).toEqual([`${root}/cite`, `${root}/tone`]);
  });

  it("say their filter in few words", () => {
    expect(filterText({ tool_name: "psql" })).toBe("tool_name=psql");
    expect(filterText({ tool_matcher: "Bash|Shell" })).toBe("Bash|Shell");
    expect(filterText(null)).toBe("");
  });

  it("belong to their dialect, layer, file and event in the tree", () => {
    const hook = byLabel("guard-shell");
    const isIn = (node: string) => inNode(hook, node, []);
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

describe("the list by file", () => {
  const at = (label: string, path: string, event: string, part: Partial<HookRow> = {}): HookRow => ({
    ...byLabel("guard-shell"),
    label,
    path,
    event,
    ...part,
  });
  const labels = (hooks: readonly HookRow[]) => byFile(hooks, []).map(({ label }) => label);

  it("keeps the hooks of an event together", () => {
    const hooks = [at("a", "/f", "stop"), at("b", "/f", "start"), at("c", "/f", "stop")];
    expect(labels(hooks)).toEqual(["a", "c", "b"]);
  });

  it("begins with files that the agent does not read, then with those whose guards do not work", () => {
    const lost = { health: { state: "lost" as const, code: "last_good", args: {}, at: null } };
    const broken = { guard: true, health: { state: "broken" as const, code: "other_code", args: {}, at: null } };
    const hooks = [at("well", "/a", "stop"), at("guard", "/b", "stop", broken), at("lost", "/c", "stop", lost)];
    expect(labels(hooks)).toEqual(["lost", "guard", "well"]);
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
