/** What the text of a payload says that its value does not. */
import { KEEPS_NUMBERS, tokensOf } from "@/lib/jsonText";

export type Remark =
  /** Of a key that comes twice in an object, the last one counts. */
  | { kind: "twice"; key: string; line: number }
  /** The number arrives as another text. */
  | { kind: "number"; written: string; sent: string; line: number };

/** More are not shown. */
const MOST = 5;
const NUMBER = /^-?\d/;

/** `text` is JSON. */
export function remarksOf(text: string, keepsNumbers = KEEPS_NUMBERS): Remark[] {
  const remarks: Remark[] = [];
  const lineAt = (at: number) => text.slice(0, at).split("\n").length;
  /** The keys so far of each object that is open; null for a list. */
  const open: (Set<string> | null)[] = [];
  const tokens = tokensOf(text);
  for (const [index, token] of tokens.entries()) {
    if (remarks.length === MOST) break;
    if (token.text === "{") open.push(new Set());
    else if (token.text === "[") open.push(null);
    else if (token.text === "}" || token.text === "]") open.pop();
    else if (tokens[index + 1]?.text === ":") {
      const key = JSON.parse(token.text) as string;
      const keys = open.at(-1);
      if (keys?.has(key)) remarks.push({ kind: "twice", key, line: lineAt(token.at) });
      keys?.add(key);
    } else if (!keepsNumbers && NUMBER.test(token.text)) {
      const sent = JSON.stringify(Number(token.text));
      if (sent !== token.text) {
        remarks.push({ kind: "number", written: token.text, sent, line: lineAt(token.at) });
      }
    }
  }
  return remarks;
}
