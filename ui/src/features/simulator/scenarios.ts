/** The scenarios to choose from: of the samples, of the project's files, and new ones. */
import type { Dialect, HookRow, ScenarioRow } from "@/ipc";

export interface ScenarioSource {
  /** As in the address. */
  id: string;
  kind: "sample" | "file" | "new" | "session";
  /** Name of the sample, path in the project, or id of the session. */
  name: string;
  /** Null where the text cannot be read as a scenario. */
  dialect: string | null;
  text: string;
  /** The file, absolute, and the hash of its bytes. */
  path: string | null;
  hash: string | null;
}

/** Under this key the view keeps the edited text of a scenario. */
export function draftKey(project: string, id: string): string {
  return `simulator ${project} ${id}`;
}

/** The rows of the engine as sources: the project's files first, then the samples of the dialects that it uses. */
export function sourcesOf(rows: readonly ScenarioRow[], used: ReadonlySet<string>): ScenarioSource[] {
  const sources = rows.map((row): ScenarioSource => {
    const isFile = row.path !== null;
    const id = isFile ? `file/${row.name}` : `sample/${row.dialect ?? ""}/${row.name}`;
    return { ...row, id, kind: isFile ? "file" : "sample" };
  });
  const place = (one: ScenarioSource) => (one.kind === "file" ? 0 : used.has(one.dialect ?? "") ? 1 : 2);
  return sources.filter((one) => used.size === 0 || place(one) < 2).sort((a, b) => place(a) - place(b));
}

/** The dialects whose hooks the project has. */
export function usedDialects(hooks: readonly HookRow[]): Set<string> {
  return new Set(hooks.map((hook) => hook.dialect));
}

/** A new scenario: one question, one tool call, one reply. */
export function newScenario(dialect: string): string {
  return [
    `dialect: ${dialect}`,
    "turns:",
    "  - user: What is in this folder?",
    "    steps:",
    "      - calls:",
    "          - tool: list_files",
    "            arguments: {path: .}",
    "            result: README.md",
    "      - reply: One file.",
    "",
  ].join("\n");
}

export function newSource(dialect: string): ScenarioSource {
  return {
    id: `new/${dialect}`,
    kind: "new",
    name: "",
    dialect,
    text: newScenario(dialect),
    path: null,
    hash: null,
  };
}

/** The source that an address names: one of the list, a new one, or the session that a draft was made of. */
export function sourceOf(
  id: string | undefined,
  sources: readonly ScenarioSource[],
  dialects: readonly Dialect[],
  draftOf: (id: string) => string | undefined,
): ScenarioSource | null {
  if (id === undefined) return null;
  const found = sources.find((one) => one.id === id);
  if (found !== undefined) return found;
  const [kind, dialect, ...rest] = id.split("/");
  if (!dialects.some((one) => one.id === dialect) || dialect === undefined) return null;
  if (kind === "new") return newSource(dialect);
  const text = draftOf(id);
  if (kind !== "session" || text === undefined) return null;
  return { id, kind, name: rest.join("/"), dialect, text, path: null, hash: null };
}
