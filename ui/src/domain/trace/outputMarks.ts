/** The marked bytes of a stream, with a little of the text around them. Marks count bytes of UTF-8. */
import type { Attempt } from "@/ipc";

type Mark = NonNullable<Attempt["output_problems"]>[number]["marks"][number];

export interface Excerpt {
  /** The first marked byte, from 0. */
  at: number;
  before: string;
  marked: string;
  after: string;
}

const MAX_EXCERPTS = 5;
const MAX_MARKED = 400;
const AROUND = 40;

export function excerptsOf(text: string, marks: readonly Mark[]): Excerpt[] {
  // A byte-order mark may be what is marked.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const bytes = new TextEncoder().encode(text);
  const part = (start: number, end: number) => decoder.decode(bytes.subarray(start, end));
  return marks.slice(0, MAX_EXCERPTS).map(({ start, end }) => ({
    at: start,
    before: lastOf(part(0, start)),
    // A long text needs no more than its beginning.
    marked: firstOf(part(start, end), MAX_MARKED),
    after: firstOf(part(end, bytes.length), AROUND),
  }));
}

function firstOf(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

function lastOf(text: string): string {
  return text.length > AROUND ? `…${text.slice(-AROUND)}` : text;
}
