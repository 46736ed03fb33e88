import { t } from "@/i18n";
import { GlyphAt } from "./Glyph";
import { LINE_COLOUR, LINE_DASH, type RailStep, railOf } from "./rail";

const GLYPH = 12;

interface MiniChainProps {
  steps: readonly RailStep[];
  /** Distance from glyph to glyph, 15 to 18 px. */
  pitch?: number;
  /** Draws at most this many steps and then says how many more there are. */
  limit?: number;
}

/** A whole chain in one row; nothing for a chain without steps. Its accessible name lists every step. */
export function MiniChain({ steps, pitch = 18, limit = 12 }: MiniChainProps) {
  if (steps.length === 0) return null;
  const nodes = railOf(steps);
  const shown = nodes.slice(0, limit);
  const hidden = nodes.length - shown.length;
  const more = hidden > 0 ? 24 : 0;
  const width = (shown.length - 1) * pitch + GLYPH + more;
  const name = nodes.map((node) => t(`words.outcome.${node.kind}`)).join(", ");
  return (
    <svg className="mini-chain" width={width} height="16" viewBox={`0 0 ${width} 16`} role="img" aria-label={name}>
      {shown.map((node, index) => {
        const x = index * pitch;
        const line = index < shown.length - 1 ? node.after : null;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step of a finished chain is its place
          <g key={index}>
            <GlyphAt kind={node.kind} x={x} y={2} />
            {line ? (
              <path
                d={`M${x + GLYPH + 0.5} 8H${x + pitch - 0.5}`}
                stroke={LINE_COLOUR[line]}
                strokeWidth="1.5"
                strokeDasharray={LINE_DASH[line]}
              />
            ) : null}
          </g>
        );
      })}
      {hidden > 0 ? (
        <text className="mini-chain-more" x={width - more + 4} y="11.5">
          +{hidden}
        </text>
      ) : null}
    </svg>
  );
}
