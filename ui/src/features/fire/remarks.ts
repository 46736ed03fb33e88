/** What the text of a payload says that its value does not. */
import { tokensOf } from "@/lib/jsonText";

/** A key that comes twice in an object: the last one counts. */
export interface Remark {
  key: string;
  line: number;
}

/** More are not shown. */
const MOST = 5;

/** `text` is JSON. */
export function remarksOf(text: string): Remark[] {
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
      if (keys?.has(key)) remarks.push({ key, line: lineAt(token.at) });
      keys?.add(key);
    }
  }
  return remarks;
}
