import { describe, expect, it } from "vitest";
import type { HistoryRow } from "@/ipc";
import { sessionsOf } from "./recordedSessions";

const row = (part: Partial<HistoryRow>) => part as HistoryRow;

describe("the recorded sessions", () => {
  it("are grouped by session, and leave out what was simulated", () => {
    const base = { dialect: "jcli", agent: "j-cli", origin: "agent" as const, at: "2026-11-20T14:00:00Z" };
    const sessions = sessionsOf([
      row({ ...base, trace: "3", session: "a" }),
      row({ ...base, trace: "2", session: "b", origin: "simulated" }),
      row({ ...base, trace: "1", session: "a" }),
      row({ ...base, trace: "0", session: null }),
    ]);
    expect(sessions).toEqual([{ dialect: "jcli", session: "a", agent: "j-cli", traces: ["1", "3"], at: base.at }]);
  });
});
