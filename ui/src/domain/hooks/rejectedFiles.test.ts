import { describe, expect, it } from "vitest";
import { sentences } from "@/ipc/gen/sentences";
import { PROBLEMS } from "@/testing/sampleData";
import { rejectsFile } from "./rejectedFiles";

describe("a finding that makes the agent reject the file", () => {
  const [base] = PROBLEMS;

  it("is one whose hint says so, and no other", () => {
    for (const [name, entry] of Object.entries(sentences)) {
      const [code = "", example] = name.split(".");
      const says = /rejects the whole file/.test(entry.hint_en ?? "");
      const args = { case: example };
      expect([name, rejectsFile({ ...base, code, args } as never)]).toEqual([name, says]);
    }
  });
});
