import { describe, expect, it } from "vitest";
import { scriptLanguage } from "./scriptLanguage";

describe("the language of a script", () => {
  it("is what its first line names, else what its name ends with", () => {
    expect(scriptLanguage("/p/guard", "#!/usr/bin/env bash\nexit 0\n")).toBe("shell");
    expect(scriptLanguage("/p/guard.sh", "#!/usr/bin/env python3\n")).toBe("python");
    expect(scriptLanguage("/p/redact.py", "import json\n")).toBe("python");
    expect(scriptLanguage("/p/hook.mjs", "")).toBe("javascript");
    expect(scriptLanguage("/p/notes.txt", "hello")).toBe("text");
  });
});
