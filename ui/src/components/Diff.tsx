/** A difference by line, with the words that differ marked: side by side from 600 px, otherwise unified. */
import { diffLines, diffWordsWithSpace } from "diff";
import { Fragment, useLayoutEffect, useMemo, useRef, useState } from "react";
import { t } from "@/i18n";
import { escapeInvisible } from "@/lib/escape";

const SIDE_BY_SIDE = 600;
/** Beyond this many changed lines the rest is shown as replaced as a whole. */
const MAX_EDITS = 2000;
const CONTEXT = 3;
const MAX_WORD_LINE = 2000;
/** More rows, and longer lines, are drawn when they are asked for. */
const MAX_ROWS = 300;
const MAX_SHOWN = 4000;
const NO_GAPS: ReadonlySet<Line> = new Set();

interface Word {
  text: string;
  marked: boolean;
}

interface Side {
  number: number;
  words: Word[];
}

/** One line of the difference; both sides for an unchanged line. */
interface Line {
  kind: "same" | "changed" | "gap";
  before: Side | null;
  after: Side | null;
  /** The unchanged lines that a gap leaves out. */
  inside?: Line[];
}

function lines(text: string): string[] {
  const all = escapeInvisible(text).split("\n");
  if (all.at(-1) === "") all.pop();
  return all;
}

function plain(text: string): Word[] {
  return [{ text, marked: false }];
}

function markWords(before: string, after: string): [Word[], Word[]] {
  if (before.length > MAX_WORD_LINE || after.length > MAX_WORD_LINE) return [plain(before), plain(after)];
  const parts = diffWordsWithSpace(before, after);
  const old = parts.filter((part) => !part.added).map((part) => ({ text: part.value, marked: part.removed }));
  const now = parts.filter((part) => !part.removed).map((part) => ({ text: part.value, marked: part.added }));
  return [old, now];
}

/** Pairs removed with added lines, so that the words between them can be compared. */
function pair(removed: string[], added: string[], oldAt: number, newAt: number): Line[] {
  const rows = Math.max(removed.length, added.length);
  return Array.from({ length: rows }, (_, index) => {
    const old = removed[index];
    const now = added[index];
    const marked = old !== undefined && now !== undefined ? markWords(old, now) : null;
    return {
      kind: "changed",
      before: old === undefined ? null : { number: oldAt + index, words: marked?.[0] ?? plain(old) },
      after: now === undefined ? null : { number: newAt + index, words: marked?.[1] ?? plain(now) },
    };
  });
}

/** Exported for tests. */
export function diffOf(before: string, after: string, context: number): Line[] {
  const parts = diffLines(before, after, { maxEditLength: MAX_EDITS }) ?? [
    { value: before, added: false, removed: true, count: 0 },
    { value: after, added: true, removed: false, count: 0 },
  ];
  const all: Line[] = [];
  let oldAt = 1;
  let newAt = 1;
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    if (part === undefined) continue;
    const here = lines(part.value);
    if (!part.added && !part.removed) {
      for (const text of here) {
        all.push({
          kind: "same",
          before: { number: oldAt, words: plain(text) },
          after: { number: newAt, words: plain(text) },
        });
        oldAt += 1;
        newAt += 1;
      }
      continue;
    }
    const next = parts[index + 1];
    const added = part.added ? here : next?.added ? lines(next.value) : [];
    const removed = part.removed ? here : [];
    if (part.removed && next?.added) index += 1;
    all.push(...pair(removed, added, oldAt, newAt));
    oldAt += removed.length;
    newAt += added.length;
  }
  return fold(all, context);
}

/** Leaves `context` lines around each change and counts the rest. */
function fold(all: Line[], context: number): Line[] {
  const keep = new Set<number>();
  all.forEach((line, index) => {
    if (line.kind !== "changed") return;
    for (let near = index - context; near <= index + context; near += 1) keep.add(near);
  });
  const folded: Line[] = [];
  let inside: Line[] = [];
  const flush = () => {
    // A gap takes a row itself, so a single line is shown instead.
    if (inside.length === 1) folded.push(...inside);
    else if (inside.length > 0) folded.push({ kind: "gap", before: null, after: null, inside });
    inside = [];
  };
  all.forEach((line, index) => {
    if (keep.has(index)) {
      flush();
      folded.push(line);
    } else inside.push(line);
  });
  if (folded.length > 0) flush();
  return folded;
}

interface DiffProps {
  label: string;
  before: string;
  after: string;
  mode?: "auto" | "unified" | "split";
  /** Unchanged lines shown around a change. */
  context?: number;
  /** Number of the first line. */
  firstLine?: number;
  /** Number of the first line of the later text, where it is another one. */
  firstLineAfter?: number;
}

export function Diff(props: DiffProps) {
  const { label, before, after, mode = "auto", context = CONTEXT, firstLine = 1 } = props;
  const box = useRef<HTMLDivElement>(null);
  const [wide, setWide] = useState(false);
  const folded = useMemo(() => diffOf(before, after, context), [before, after, context]);
  // What was opened belongs to this difference.
  const [opened, setOpened] = useState<{ of: Line[]; gaps: ReadonlySet<Line> }>({ of: folded, gaps: new Set() });
  const gaps = opened.of === folded ? opened.gaps : NO_GAPS;
  const rows = folded.flatMap((row) => (gaps.has(row) ? (row.inside ?? []) : [row]));
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWide(entry.contentRect.width >= SIDE_BY_SIDE);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const [whole, setWhole] = useState(false);
  const shown = whole ? rows : rows.slice(0, MAX_ROWS);
  const isCut = !whole && (rows.length > shown.length || shown.some(isLongRow));
  const split = mode === "split" || (mode === "auto" && wide);
  const offset = firstLine - 1;
  const offsetAfter = (props.firstLineAfter ?? firstLine) - 1;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a difference is no form
    <div
      ref={box}
      role="group"
      aria-label={label}
      className={split ? "code small-code diff beside" : "code small-code diff"}
    >
      {rows.length === 0 ? <p className="text-tiny dim pad">{t("diff.same")}</p> : null}
      {shown.map((row, index) => {
        if (row.kind === "gap") {
          return (
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: a line of a fixed text is its place
              key={index}
              type="button"
              className="code-line folded"
              onClick={() => setOpened({ of: folded, gaps: new Set(gaps).add(row) })}
            >
              <i>⋯</i>
              <code>{t("diff.hidden", { count: row.inside?.length ?? 0 })}</code>
            </button>
          );
        }
        const same = row.kind === "same";
        // Unified, an unchanged line has its present number.
        const old = (
          <DiffLine
            side={same && !split ? row.after : row.before}
            kind={same ? "" : "removed"}
            offset={same && !split ? offsetAfter : offset}
            whole={whole}
          />
        );
        const now = <DiffLine side={row.after} kind={same ? "" : "added"} offset={offsetAfter} whole={whole} />;
        if (split) {
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line of a fixed text is its place
            <div key={index} className="pairline">
              {old}
              {now}
            </div>
          );
        }
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line of a fixed text is its place
          <Fragment key={index}>
            {same || row.before ? old : null}
            {!same && row.after ? now : null}
          </Fragment>
        );
      })}
      {isCut ? (
        <button type="button" className="diff-more link" data-unread onClick={() => setWhole(true)}>
          {t("diff.showAll", { count: rows.length })}
        </button>
      ) : null}
    </div>
  );
}

/** A row whose text is cut until all of it is asked for. */
function isLongRow({ before, after }: Line): boolean {
  return [before, after].some(
    (side) => (side?.words.reduce((sum, word) => sum + word.text.length, 0) ?? 0) > MAX_SHOWN,
  );
}

/** The words up to `limit` characters. */
function firstWords(words: readonly Word[], limit: number): readonly Word[] {
  let left = limit;
  return words.flatMap((word) => {
    if (left <= 0) return [];
    const text = word.text.length > left ? `${word.text.slice(0, left)}…` : word.text;
    left -= word.text.length;
    return [{ ...word, text }];
  });
}

interface DiffLineProps {
  side: Side | null;
  kind: "" | "added" | "removed";
  offset: number;
  whole: boolean;
}

function DiffLine({ side, kind, offset, whole }: DiffLineProps) {
  if (side === null) return <div className="code-line void" />;
  const sign = kind === "added" ? " +" : kind === "removed" ? " −" : "";
  return (
    <div className={`code-line ${kind}`}>
      <i>
        {side.number + offset}
        {sign}
      </i>
      <code>
        {(whole ? side.words : firstWords(side.words, MAX_SHOWN)).map((word, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: a word of a fixed line is its place
          word.marked ? <mark key={index}>{word.text}</mark> : <Fragment key={index}>{word.text}</Fragment>,
        )}
      </code>
    </div>
  );
}
