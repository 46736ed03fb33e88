/** States that are hard to bring about with a real engine, as changes of the invented project. */
import { Fault } from "@/ipc/fault";
import type { Script } from "@/testing/fakeEngine";
import { BIG_PAYLOAD, HOOKS, LONG_TRACE, PROJECT, STATE } from "@/testing/sampleData";

function refuse(code: string, message: string, hint: string): never {
  throw new Fault({ code, message, hint });
}

export const STORIES: Record<string, Script> = {
  default: {},
  first: { state: { ...STATE, projects: [], project: null, first_start: true, pending: 0 } },
  empty: {
    state: { ...STATE, pending: 0 },
    "hooks.list": {
      hooks: [],
      problems: [],
      sources: [
        {
          dialect: "jcli",
          layer: "user",
          path: "/home/me/.jdata/agent/hooks.yaml",
          exists: false,
          hooks: 0,
          last_good: false,
        },
        {
          dialect: "jcli",
          layer: "project",
          path: `${PROJECT}/.jcli/hooks.yaml`,
          exists: true,
          hooks: 0,
          last_good: false,
        },
      ],
    },
    "history.page": { traces: [], next: null },
  },
  fault: {
    "hooks.list": () =>
      refuse(
        "store_unreadable",
        "the data folder cannot be read",
        "Check the permissions of ~/.local/share/hookwright.",
      ),
  },
  notlive: {
    state: {
      ...STATE,
      watching: {
        sources: 2,
        there: 2,
        live: false,
        why: "too many folders are watched on this system; files are checked every 5 s",
        code: "not_live",
        args: { case: "too_many", seconds: 5 },
      },
      store: {
        traces: 0,
        bytes: 0,
        ok: false,
        why: "the database is from a newer Hookwright",
        code: null,
        args: {},
        dropped_bodies: 0,
        dropped_traces: 0,
      },
      redaction: false,
    },
  },
  many: {
    "hooks.list": {
      hooks: Array.from({ length: 1000 }, (_, index) => {
        const base = HOOKS[index % HOOKS.length] as (typeof HOOKS)[number];
        return { ...base, hook: `${base.hook}:${index}`, label: `${base.label}-${index}` };
      }),
      problems: [],
      sources: [],
    },
  },
  long: { fire: LONG_TRACE, "history.show": LONG_TRACE },
  big: { fixtures: { fixtures: [BIG_PAYLOAD], problems: [] } },
  running: { fire: () => new Promise<never>(() => undefined) },
  signedout: { state: () => refuse("ui_session_over", "This page is no longer signed in.", "") },
};
