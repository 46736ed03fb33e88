/**
 * The outcome glyphs on a 16 grid. Hollow shapes had no effect, solid shapes took effect.
 *
 * `--cut` is the colour a hole shows; whoever draws a glyph on another ground sets it.
 */
import type { JSX } from "react";
import type { Outcome } from "@/ipc";

/** An outcome, or the look of a step that will run or that the chain never came to. */
export type GlyphKind = Outcome | "not_reached" | "planned";

const ROUND = { strokeLinecap: "round", strokeLinejoin: "round" } as const;

const SHAPES: Record<GlyphKind, JSX.Element> = {
  not_matched: (
    <circle cx="8" cy="8" r="5.4" fill="none" stroke="currentColor" strokeWidth="1.6" strokeDasharray="2.1 2.14" />
  ),
  skipped: (
    <>
      <path d="M2.4 10.2a5.6 5.6 0 0 1 11.2 0" fill="none" stroke="currentColor" strokeWidth="1.6" {...ROUND} />
      <circle cx="8" cy="11.2" r="1.7" fill="none" stroke="currentColor" strokeWidth="1.4" />
    </>
  ),
  no_opinion: (
    <>
      <circle cx="8" cy="8" r="5.4" fill="none" stroke="currentColor" strokeWidth="1.6" />
      <path d="M5.6 8h4.8" stroke="currentColor" strokeWidth="1.6" {...ROUND} />
    </>
  ),
  allowed: (
    <>
      <circle cx="8" cy="8" r="6.4" fill="currentColor" />
      <path d="m5.1 8.2 2 2 3.8-4.1" fill="none" stroke="var(--cut)" strokeWidth="1.7" {...ROUND} />
    </>
  ),
  changed: (
    <>
      <path d="M8 1.6 14.4 8 8 14.4 1.6 8Z" fill="currentColor" stroke="currentColor" strokeWidth="1.4" {...ROUND} />
      <path d="M8 5.3 10.7 8 8 10.7 5.3 8Z" fill="var(--cut)" />
    </>
  ),
  asked: (
    <>
      <circle cx="8" cy="8" r="6.4" fill="currentColor" />
      <path
        d="M6.1 6.3a2 2 0 0 1 3.9.5c0 1.3-2 1.6-2 2.7"
        fill="none"
        stroke="var(--cut)"
        strokeWidth="1.6"
        {...ROUND}
      />
      <circle cx="8" cy="11.7" r="1" fill="var(--cut)" />
    </>
  ),
  denied: (
    <>
      <path
        d="M5.3 1.7h5.4l3.6 3.6v5.4l-3.6 3.6H5.3l-3.6-3.6V5.3Z"
        fill="currentColor"
        stroke="currentColor"
        strokeWidth="1"
        {...ROUND}
      />
      <path d="m5.8 5.8 4.4 4.4m0-4.4-4.4 4.4" stroke="var(--cut)" strokeWidth="1.7" {...ROUND} />
    </>
  ),
  failed_open: (
    <>
      <path d="M8 2.2 14.4 13.4H1.6Z" fill="none" stroke="currentColor" strokeWidth="1.6" {...ROUND} />
      <path d="M8 6.4v3.1" stroke="currentColor" strokeWidth="1.6" {...ROUND} />
      <circle cx="8" cy="11.5" r=".95" fill="currentColor" />
    </>
  ),
  failed_closed: (
    <>
      <path d="M8 2.2 14.4 13.4H1.6Z" fill="currentColor" stroke="currentColor" strokeWidth="1.6" {...ROUND} />
      <path d="M8 6.2v3.3" stroke="var(--cut)" strokeWidth="1.7" {...ROUND} />
      <circle cx="8" cy="11.7" r="1" fill="var(--cut)" />
    </>
  ),
  timed_out_open: (
    <path
      d="M3.6 2.2h8.8M3.6 13.8h8.8M4.6 2.4c0 3.4 3.4 3.6 3.4 5.6s-3.4 2.2-3.4 5.6M11.4 2.4c0 3.4-3.4 3.6-3.4 5.6s3.4 2.2 3.4 5.6"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
    />
  ),
  timed_out_closed: (
    <>
      <path d="M3.6 2.2h8.8M3.6 13.8h8.8" fill="none" stroke="currentColor" strokeWidth="1.8" {...ROUND} />
      <path d="M4.4 3h7.2c0 3.2-3 3.3-3 5s3 1.8 3 5H4.4c0-3.2 3-3.3 3-5s-3-1.8-3-5Z" fill="currentColor" />
    </>
  ),
  detached: (
    <>
      <path
        d="M4.6 2.8H2.4v10.4h2.2M11.4 2.8h2.2v10.4h-2.2"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        {...ROUND}
      />
      <circle cx="8" cy="8" r="2.2" fill="none" stroke="currentColor" strokeWidth="1.5" />
    </>
  ),
  not_reached: <circle cx="8" cy="8" r="2" fill="currentColor" />,
  planned: <path d="M4.9 3 12.6 8l-7.7 5Z" fill="none" stroke="currentColor" strokeWidth="1.6" {...ROUND} />,
};

const CLASSES: Record<GlyphKind, string> = {
  not_matched: "nomatch",
  skipped: "skipped",
  no_opinion: "none",
  allowed: "allowed",
  changed: "changed",
  asked: "asked",
  denied: "denied",
  failed_open: "fail-open",
  failed_closed: "fail-closed",
  timed_out_open: "late-open",
  timed_out_closed: "late-closed",
  detached: "detached",
  not_reached: "notreached",
  planned: "planned",
};

/** The suffix of the style classes `g-…`, `oc-…` and `f-…`. */
export function glyphClass(kind: GlyphKind): string {
  return CLASSES[kind];
}

export const GLYPH_KINDS = Object.keys(CLASSES) as GlyphKind[];

/** The token that carries the outcome's colour. */
export const GLYPH_COLOUR: Record<GlyphKind, string> = {
  not_matched: "var(--mute)",
  skipped: "var(--mute)",
  no_opinion: "var(--quiet)",
  allowed: "var(--allow)",
  changed: "var(--change)",
  asked: "var(--ink-1)",
  denied: "var(--deny)",
  failed_open: "var(--fail)",
  failed_closed: "var(--fail)",
  timed_out_open: "var(--late)",
  timed_out_closed: "var(--late)",
  detached: "var(--quiet)",
  not_reached: "var(--mute)",
  planned: "var(--ink-2)",
};

interface GlyphProps {
  kind: GlyphKind;
  size?: 12 | 14 | 16 | 24;
}

/** A glyph without words; only where the word stands beside it. */
export function Glyph({ kind, size = 16 }: GlyphProps) {
  return (
    <svg className={`glyph glyph-${CLASSES[kind]}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      {SHAPES[kind]}
    </svg>
  );
}

/** A 12 px glyph inside a larger drawing, its corner at (x, y). */
export function GlyphAt({ kind, x, y, cut }: { kind: GlyphKind; x: number; y: number; cut?: string }) {
  return (
    <g
      className={`glyph-${CLASSES[kind]}`}
      transform={`translate(${x},${y}) scale(.75)`}
      style={cut ? ({ "--cut": cut } as React.CSSProperties) : undefined}
    >
      {SHAPES[kind]}
    </g>
  );
}
