import { describe, expect, it } from "vitest";
import { parseUnifiedDiff } from "./unifiedDiff";

describe("a unified diff", () => {
  it("becomes the two texts of each hunk, with the numbers of their first lines", () => {
    const diff = [
      "--- /p/hooks.yaml",
      "+++ /p/hooks.yaml",
      "@@ -3,3 +3,4 @@",
      " stop:",
      "-  - command: a",
      "+  - command: b",
      "+    timeout: 3",
      " # end",
      "",
    ].join("\n");
    expect(parseUnifiedDiff(diff)).toEqual([
      {
        path: "/p/hooks.yaml",
        binary: false,
        change: null,
        mode: null,
        hunks: [
          {
            before: "stop:\n  - command: a\n# end\n",
            after: "stop:\n  - command: b\n    timeout: 3\n# end\n",
            oldStart: 3,
            newStart: 3,
          },
        ],
      },
    ]);
  });

  it("names files that are created and removed", () => {
    const diff = "--- /dev/null\n+++ /p/a\n@@ -0,0 +1 @@\n+x\n--- /p/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n";
    expect(parseUnifiedDiff(diff).map(({ path, change }) => [path, change])).toEqual([
      ["/p/a", "created"],
      ["/p/b", "removed"],
    ]);
  });

  it("names the permissions of a file that change, alone or with its text", () => {
    const mode = "--- /p/a\n+++ /p/a\nold mode 0644\nnew mode 0755\n";
    const text = "--- /p/a\n+++ /p/a\n@@ -1 +1 @@\n-x\n+y\n";
    expect(parseUnifiedDiff(mode)).toMatchObject([{ path: "/p/a", mode: ["0644", "0755"], hunks: [] }]);
    expect(parseUnifiedDiff(mode + text)).toMatchObject([{ mode: ["0644", "0755"], hunks: [{ before: "x\n" }] }]);
  });

  it("takes a removed line that looks like a header for what it is", () => {
    const diff = "--- /p/a\n+++ /p/a\n@@ -1,2 +1 @@\n--- \n x\n";
    expect(parseUnifiedDiff(diff)[0]?.hunks[0]).toMatchObject({ before: "-- \nx\n", after: "x\n" });
  });

  it("leaves carriage returns out only where every line has one", () => {
    const all = "--- /p/a\n+++ /p/a\n@@ -1 +1 @@\n-a\r\n+b\r\n";
    expect(parseUnifiedDiff(all)[0]?.hunks[0]).toMatchObject({ before: "a\n", after: "b\n" });
    const some = "--- /p/a\n+++ /p/a\n@@ -1 +1 @@\n-a\r\n+a\n";
    expect(parseUnifiedDiff(some)[0]?.hunks[0]).toMatchObject({ before: "a\r\n", after: "a\n" });
  });

  it("shows that a file ends without a line feed", () => {
    const diff = "--- /p/a\n+++ /p/a\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n";
    expect(parseUnifiedDiff(diff)[0]?.hunks[0]).toMatchObject({
      before: "a\n\\ No newline at end of file\n",
      after: "a\n",
    });
  });

  it("names a file that is not text, without the engine's English", () => {
    const binary = (names: string) => parseUnifiedDiff(`Binary files ${names} differ\n`);
    const file = { path: "/p/salt and pepper", binary: true, mode: null, hunks: [] };
    expect(binary("/p/salt and pepper and /p/salt and pepper")).toEqual([{ ...file, change: null }]);
    expect(binary("/dev/null and /p/salt and pepper")).toEqual([{ ...file, change: "created" }]);
    expect(binary("/p/salt and pepper and /dev/null")).toEqual([{ ...file, change: "removed" }]);
  });
});
