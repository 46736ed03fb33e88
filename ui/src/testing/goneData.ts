/** What the engine says of a project whose folder was deleted. */
import type { Notice, Problem } from "@/ipc/types";
import type { Script } from "./fakeEngine";
import { EXPLAIN, PROJECT } from "./sampleData";

const MISSING: Problem = {
  code: "unreadable",
  severity: "error",
  path: PROJECT,
  line: null,
  column: null,
  message: "the project folder no longer exists, so its hooks are missing",
  hint: "restore the folder, or remove the project from the list",
  hook: null,
  args: { case: "project" },
};

const GONE: Notice = {
  kind: "warning",
  hook: null,
  text: `the project folder ${PROJECT} no longer exists, so its hooks are missing`,
  code: "project_gone",
  args: { project: PROJECT },
};

export const GONE_PROJECT: Script = {
  "hooks.list": { hooks: [], problems: [MISSING], sources: [] },
  "trust.list": { pending: [], approved: [], denied: [], problems: [MISSING] },
  explain: { ...EXPLAIN, steps: [], notices: [GONE] },
};
