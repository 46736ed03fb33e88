/** JSON as values that keep each number as it was written. */

/** A number whose text says more than a plain number can: `1e2`, `-0`, or more digits than one holds. */
export class WrittenNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** What `JSON.stringify` writes; `toJson` writes the text. */
  toJSON(): number {
    return Number(this.text);
  }
}

/** Begins a string that stands for a number while JSON is read or written. Nobody else can know it. */
const MARK = crypto.randomUUID();
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const MARKED = new RegExp(`"${MARK}([^"]*)"`, "g");

/** Reads JSON. Numbers that a plain number would change become a `WrittenNumber`. Throws for a text that is no JSON. */
export function readExactly(json: string): unknown {
  const plain: unknown = JSON.parse(json);
  const marked = json.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${MARK}${token}"`,
  );
  if (marked.length === json.length) return plain;
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === "string" && value.startsWith(MARK) ? new WrittenNumber(value.slice(MARK.length)) : value,
  );
}

/** The value as JSON, with each number as it was written. */
export function toJson(value: unknown, indent?: number): string {
  const json: string | undefined = JSON.stringify(
    value,
    function (this: Record<string, unknown>, key, plain: unknown) {
      const own = this[key];
      return own instanceof WrittenNumber ? MARK + own.text : plain;
    },
    indent,
  );
  return json?.replace(MARKED, "$1") ?? "";
}

/** Whether a value that was read exactly is an object or a list. */
export function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(value instanceof WrittenNumber);
}

/** The fields of a reply that hold values of agents and hooks. */
const OF_AGENTS: ReadonlySet<string> = new Set(["payload", "payload_before", "payload_after", "json", "edits"]);
const HAS_VALUES = new RegExp(`"(?:${[...OF_AGENTS].join("|")})":`);

/** Makes numbers plain everywhere but in the values of agents and hooks. */
function makePlain(value: unknown): unknown {
  if (value instanceof WrittenNumber) return Number(value.text);
  if (!isNested(value)) return value;
  for (const [key, part] of Object.entries(value)) {
    if (!OF_AGENTS.has(key)) (value as Record<string, unknown>)[key] = makePlain(part);
  }
  return value;
}

/** Reads a reply of the engine. In the values of agents and hooks each number stays as it was written. */
export function readReply(json: string): unknown {
  return HAS_VALUES.test(json) ? makePlain(readExactly(json)) : JSON.parse(json);
}
