/** Where what needs the user can be looked at and put right. */
import { problemKey } from "@/domain/hooks/problemKey";
import type { Target } from "@/routes/router";
import type { Need } from "./needs";

export function targetOf(need: Need): Target {
  switch (need.kind) {
    case "open":
    case "failing":
      return { to: "/hooks", search: { hook: need.hook.hook, tab: "runs" } };
    case "waiting":
      return { to: "/trust", search: { hook: need.first } };
    case "file":
      return { to: "/hooks", search: { view: "problems", problem: problemKey(need.problem) } };
    case "limit":
      return { to: "/hooks", search: { hook: need.hook.hook, tab: "summary" } };
    case "config": {
      const section = { store: "history", watching: "watching", model: "model", settings: "general" } as const;
      return { to: "/settings", search: { section: section[need.what] } };
    }
  }
}
