import { CompletionContext } from "@codemirror/autocomplete";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { GROUPED, LISTED } from "@/testing/sampleDefinitions";
import { complete, helpAt } from "./help";
import { placeAt } from "./place";
import { defaultOf, hookFields, nodeAt } from "./tree";

const words = (text: { en: string }) => text.en;

/** A text with `|` in place of the cursor. */
function at(marked: string, language: "yaml" | "json"): [EditorState, number] {
  const cursor = marked.indexOf("|");
  const doc = marked.replace("|", "");
  const state = EditorState.create({ doc, extensions: language === "yaml" ? yaml() : json() });
  ensureSyntaxTree(state, doc.length, 1000);
  return [state, cursor];
}

const yamlPlace = (marked: string) => placeAt(...at(marked, "yaml"), "yaml");
const jsonPlace = (marked: string) => placeAt(...at(marked, "json"), "json");

function labels(marked: string, language: "yaml" | "json"): string[] {
  const [state, cursor] = at(marked, language);
  const definition = language === "yaml" ? LISTED : GROUPED;
  const found = complete(new CompletionContext(state, cursor, true), { definition, words });
  return found?.options.map((option) => option.label) ?? [];
}

describe("the place of the cursor in YAML", () => {
  it("is a key of the item of a list", () => {
    const place = yamlPlace("stop:\n  - command: x\n    ti|\n");
    expect(place).toMatchObject({ path: ["stop", null], writes: "key", key: null });
    expect([...(place?.taken ?? [])]).toEqual(["command"]);
  });

  it("is a value of its key", () => {
    expect(yamlPlace("stop:\n  - command: x\n    on_error: sk|\n")).toMatchObject({
      path: ["stop", null],
      writes: "value",
      key: "on_error",
    });
  });

  it("is a key of the file at its edge", () => {
    expect(yamlPlace("stop:\n  - command: x\npre_|\n")).toMatchObject({ path: [], writes: "key" });
  });

  it("is a key of a mapping inside, whatever follows", () => {
    expect(yamlPlace("stop:\n  - filter:\n      tool|\n    command: x\n")).toMatchObject({
      path: ["stop", null, "filter"],
    });
  });

  it("counts a dash in the column of its key", () => {
    expect(yamlPlace("stop:\n- command: x\n  ti|\n")).toMatchObject({ path: ["stop", null], writes: "key" });
  });

  it("is where an empty line is indented to", () => {
    expect(yamlPlace("stop:\n  - command: x\n    |\n")).toMatchObject({ path: ["stop", null], writes: "key" });
  });

  it("knows the keys that follow", () => {
    const place = yamlPlace("stop:\n  - ti|\n    command: x\n    retry: 1\n  - other: 1\n");
    expect([...(place?.taken ?? [])]).toEqual(["command", "retry"]);
  });

  it("is nothing in a comment, and nothing after the front matter", () => {
    expect(yamlPlace("stop: # com|\n")).toBeNull();
    expect(placeAt(...at("---\nname: a\n---\ntex|t\n", "yaml"), "front_matter")).toBeNull();
    expect(placeAt(...at("---\nname: a\ntri|\n---\n", "yaml"), "front_matter")).toMatchObject({ path: [] });
  });
});

describe("the place of the cursor in JSON", () => {
  it("is a key, although the text is not finished", () => {
    const place = jsonPlace('{"hooks": {"Stop": [{"hooks": [{"type": "command", "ti|');
    expect(place).toMatchObject({ path: ["hooks", "Stop", null, "hooks", null], writes: "key" });
    expect([...(place?.taken ?? [])]).toContain("type");
  });

  it("is a value", () => {
    expect(jsonPlace('{"hooks": {"Stop": [{"hooks": [{"type": "co|mmand"}]}]}}')).toMatchObject({
      path: ["hooks", "Stop", null, "hooks", null],
      key: "type",
      writes: "value",
    });
  });
});

describe("completion", () => {
  it("offers the keys of a hook that are not there yet", () => {
    const found = labels("stop:\n  - command: x\n    |\n", "yaml");
    expect(found).toContain("timeout");
    expect(found).not.toContain("command");
  });

  it("offers the events, and the values of a choice without other spellings", () => {
    expect(labels("p|\n", "yaml")).toEqual(["stop", "pre_tool_execution"]);
    expect(labels("stop:\n  - on_error: |\n", "yaml")).toEqual(["skip", "abort"]);
  });

  it("offers the placeholders of a prompt", () => {
    expect(labels("stop:\n  - prompt: Is {{|\n", "yaml")).toEqual(["event", "tool_name"]);
  });

  it("writes keys of JSON with quotes", () => {
    const [state, cursor] = at('{"hooks": {"Stop": [{"hooks": [{|}]}]}}', "json");
    const found = complete(new CompletionContext(state, cursor, true), { definition: GROUPED, words });
    expect(found?.options.map((option) => option.apply)).toContain('"timeout": ');
  });

  it("explains the key under the pointer", () => {
    const [state, cursor] = at("stop:\n  - time|out: 5\n", "yaml");
    expect(helpAt(state, cursor, { definition: LISTED, words })).toMatchObject({
      name: "timeout",
      about: "The hook is stopped after this many seconds.",
    });
  });
});

describe("the tree of a schema", () => {
  it("finds the fields of a hook, wherever they are", () => {
    expect(hookFields(LISTED.root).map((field) => field.name)).toContain("command");
    expect(hookFields(GROUPED.root).map((field) => field.name)).toContain("timeout");
  });

  it("takes the default whose condition holds", () => {
    const fields = hookFields(LISTED.root);
    const timeout = fields.find((field) => field.name === "timeout");
    if (timeout === undefined) throw new Error("no timeout");
    expect(defaultOf(timeout, fields, {})).toBe(10);
    expect(defaultOf(timeout, fields, { type: "llm" })).toBe(30);
  });

  it("knows nothing of a path that does not exist", () => {
    expect(nodeAt(LISTED, ["stop", null, "nothing"])).toBeNull();
  });
});
