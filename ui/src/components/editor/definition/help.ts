/** Completion and help of a hook file from the schema of its dialect: keys, values, placeholders. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from "@codemirror/autocomplete";
import type { EditorState, Extension } from "@codemirror/state";
import { hoverTooltip, keymap } from "@codemirror/view";
import type { ChoiceInfo, Definition, DefinitionField, DefinitionValue } from "@/ipc";
import { type Place, placeAt } from "./place";
import { type Node, nodeAt } from "./tree";

/** Picks the text of the window's language. */
export type Words = (text: ChoiceInfo["label"]) => string;

export interface DefinitionHelp {
  definition: Definition;
  words: Words;
}

/** Completion while typing and by Ctrl+Space, and help where the pointer rests. */
export function definitionHelp(help: DefinitionHelp): Extension {
  return [
    autocompletion({ override: [(context) => complete(context, help)], icons: false }),
    keymap.of(completionKeymap),
    hoverTooltip((view, at) => {
      const found = helpAt(view.state, at, help);
      if (found === null) return null;
      return {
        pos: found.from,
        end: found.to,
        create: () => {
          const dom = document.createElement("div");
          dom.className = "cm-definition-help";
          const name = dom.appendChild(document.createElement("code"));
          name.textContent = found.name;
          const about = dom.appendChild(document.createElement("p"));
          about.textContent = found.about;
          return { dom };
        },
      };
    }),
  ];
}

/** What can be written at the cursor. */
export function complete(context: CompletionContext, { definition, words }: DefinitionHelp): CompletionResult | null {
  const { state, pos } = context;
  const placeholder = placeholders(state, pos, definition, words);
  if (placeholder !== null) return placeholder;
  const place = placeAt(state, pos, definition.format);
  if (place === null || (place.from === place.to && !context.explicit)) return null;
  const options = optionsAt(place, definition, words);
  return options.length === 0 ? null : { from: place.from, to: place.to, options, validFor: /^[\w.$*-]*$/ };
}

function optionsAt(place: Place, definition: Definition, words: Words): Completion[] {
  const isJson = definition.format === "json";
  const write: Write = (name) => `${isJson && !place.quoted ? '"' : ""}${name}${isJson && !place.closed ? '"' : ""}`;
  const node = nodeAt(definition, place.path);
  if (place.writes === "value") {
    const value =
      place.key === null ? itemOf(definition, place.path) : nodeAt(definition, [...place.path, place.key])?.value;
    return value === null || value === undefined ? [] : valueOptions(value, write, words);
  }
  if (node === null) {
    const item = itemOf(definition, place.path);
    return item === null ? [] : valueOptions(item, write, words);
  }
  return keyOptions(node.value, place, write, words);
}

/** The value whose words are the items of a list at the end of a path. */
function itemOf(definition: Definition, path: Place["path"]): DefinitionValue | null {
  const list = path.at(-1) === null ? path.slice(0, -1) : path;
  const value = nodeAt(definition, list)?.value;
  return value?.form === "events" ? value : null;
}

/** A name as it is written, with the quotes that are missing. */
type Write = (name: string) => string;

function keyOptions(value: DefinitionValue, { taken, closed }: Place, write: Write, words: Words): Completion[] {
  const key = (name: string, detail: string, info: string): Completion => ({
    label: name,
    apply: closed ? write(name) : `${write(name)}: `,
    detail,
    info,
    type: "property",
  });
  if (value.form === "by_event") {
    return value.choices
      .filter((choice) => !taken.has(choice.value))
      .map((choice) => key(choice.value, "", words(choice.label)));
  }
  return value.fields
    .filter((field) => field.label.en !== "" && !taken.has(field.name))
    .map((field) => key(field.name, words(field.label), words(field.about)));
}

function valueOptions(value: DefinitionValue, write: Write, words: Words): Completion[] {
  if (value.form === "flag") {
    return ["true", "false"].map((label) => ({ label, type: "keyword" }));
  }
  return value.choices
    .filter((choice) => choice.label.en !== "")
    .map((choice) => ({
      label: choice.value,
      apply: write(choice.value),
      detail: words(choice.label),
      type: "enum",
    }));
}

/** Names after `{{` in the template of a prompt. */
function placeholders(state: EditorState, at: number, definition: Definition, words: Words): CompletionResult | null {
  const line = state.doc.lineAt(at);
  const open = /\{\{(\w*)$/.exec(line.text.slice(0, at - line.from));
  if (open === null) return null;
  const prompts = promptsOf(definition.root);
  const [prompt] = prompts;
  if (prompt === undefined) return null;
  const from = at - (open[1]?.length ?? 0);
  const isClosed = state.sliceDoc(at, at + 2) === "}}";
  return {
    from,
    options: prompt.value.placeholders.map((name) => ({
      label: name,
      apply: isClosed ? name : `${name}}}`,
      detail: words(prompt.label),
      type: "variable",
    })),
    validFor: /^\w*$/,
  };
}

function promptsOf(value: DefinitionValue): DefinitionField[] {
  const own = value.fields.filter((field) => field.value.form === "prompt");
  const below = [...value.fields.map((field) => field.value), ...(value.inner === null ? [] : [value.inner])];
  return [...own, ...below.flatMap(promptsOf)];
}

export interface HelpText {
  name: string;
  about: string;
  from: number;
  to: number;
}

/** What the schema says of the key or the value at a position. */
export function helpAt(state: EditorState, at: number, { definition, words }: DefinitionHelp): HelpText | null {
  const place = placeAt(state, at, definition.format);
  if (place === null || place.from === place.to) return null;
  const { from, to } = place;
  const name = state.sliceDoc(from, to);
  const path = [...place.path, place.writes === "value" ? place.key : name];
  const node: Node | null = path.at(-1) === null ? null : nodeAt(definition, path);
  const value = node?.value ?? itemOf(definition, place.path);
  if (place.writes === "value" || node === null) {
    const choice = value?.choices.find((one) => one.value === name);
    return choice === undefined || words(choice.label) === "" ? null : { name, about: words(choice.label), from, to };
  }
  if (node.field !== null) return { name, about: words(node.field.about), from, to };
  const parent = nodeAt(definition, place.path)?.value;
  const event = parent?.choices.find((one) => one.value === name);
  return event === undefined ? null : { name, about: words(event.label), from, to };
}
