/** Marks of whole chains on a line: the glyphs of outcomes at the size of a few px, one path for all marks of a kind. */
import type { GlyphKind } from "../Glyph";
import { glyphClass } from "../Glyph";

export interface Mark {
  x: number;
  y: number;
  kind: GlyphKind;
}

interface Shape {
  /** Its path around (x, y). */
  path: (x: number, y: number) => string;
  /** Filled, or drawn as a line. */
  fill: boolean;
}

const diamond = (r: number) => (x: number, y: number) => `M${x} ${y - r}l${r} ${r} ${-r} ${r} ${-r} ${-r}Z`;
const disc = (r: number) => (x: number, y: number) =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
const tick = (r: number) => (x: number, y: number) => `M${x} ${y - r}v${2 * r}`;
const octagon = (x: number, y: number) => `M${x - 2} ${y - 5}h4l3 3v4l-3 3h-4l-3 -3v-4Z`;
const triangle = (x: number, y: number) => `M${x} ${y - 5}l5.5 9.5h-11Z`;
const hourglass = (x: number, y: number) =>
  `M${x - 4} ${y - 4.5}h8M${x - 4} ${y + 4.5}h8M${x - 3} ${y - 4.5}c0 3 3 3 3 4.5s-3 1.5 -3 4.5M${x + 3} ${y - 4.5}c0 3 -3 3 -3 4.5s3 1.5 3 4.5`;
const solidHourglass = (x: number, y: number) =>
  `M${x - 4} ${y - 5}h8c0 3.5 -3 3.5 -3 5s3 1.5 3 5h-8c0 -3.5 3 -3.5 3 -5s-3 -1.5 -3 -5Z`;
const warning = (x: number, y: number) => `${triangle(x, y)}M${x} ${y - 1.5}v3`;
/** The ground of what failed open: the only filled badge. */
const badge = (x: number, y: number) =>
  `M${x - 6} ${y - 9}h12a3 3 0 0 1 3 3v12a3 3 0 0 1 -3 3h-12a3 3 0 0 1 -3 -3v-12a3 3 0 0 1 3 -3Z`;

const SHAPES: Record<GlyphKind, Shape> = {
  not_matched: { path: disc(2), fill: false },
  skipped: { path: disc(2), fill: false },
  not_reached: { path: disc(2), fill: false },
  planned: { path: disc(2), fill: false },
  no_opinion: { path: tick(4), fill: false },
  detached: { path: tick(4), fill: false },
  allowed: { path: disc(3), fill: true },
  changed: { path: diamond(4.6), fill: true },
  asked: { path: disc(4.5), fill: true },
  denied: { path: octagon, fill: true },
  failed_closed: { path: triangle, fill: true },
  timed_out_closed: { path: solidHourglass, fill: true },
  failed_open: { path: warning, fill: false },
  timed_out_open: { path: hourglass, fill: false },
};

/** From what lies below to what lies on top. */
const ORDER = Object.keys(SHAPES) as GlyphKind[];

const isBadge = (kind: GlyphKind) => kind === "failed_open" || kind === "timed_out_open";
const short = (value: number) => Math.round(value * 10) / 10;

/** For a drawing whose unit is one px. */
export function Marks({ marks }: { marks: readonly Mark[] }) {
  return ORDER.map((kind) => {
    const own = marks.filter((mark) => mark.kind === kind);
    if (own.length === 0) return null;
    const shape = SHAPES[kind];
    const drawn = (path: Shape["path"]) => own.map(({ x, y }) => path(short(x), short(y))).join("");
    return (
      <g key={kind} className={`glyph-${glyphClass(kind)}`}>
        {isBadge(kind) ? (
          <path className={`mark-badge ${kind === "failed_open" ? "" : "late"}`} d={drawn(badge)} />
        ) : null}
        <path className={isBadge(kind) ? "mark-sign" : shape.fill ? "mark-solid" : "mark-line"} d={drawn(shape.path)} />
      </g>
    );
  });
}

const LEGEND_SIZE = 12;

/** One mark beside its word in a legend. */
export function MarkSample({ kind }: { kind: GlyphKind }) {
  const size = isBadge(kind) ? 20 : LEGEND_SIZE;
  return (
    <svg
      className="mark-sample"
      width={LEGEND_SIZE}
      height={LEGEND_SIZE}
      viewBox={`0 0 ${size} ${size}`}
      aria-hidden="true"
    >
      <Marks marks={[{ x: size / 2, y: size / 2, kind }]} />
    </svg>
  );
}
