import { t } from "@/i18n";
import { GlyphAt } from "./Glyph";
import { LINE_COLOUR, LINE_DASH, type RailNode, type RailStep, railOf } from "./rail";

const GLYPH = 12;
/** Distance from glyph to glyph, in px. */
const PITCH = 15;
/** Room for the number of steps that are not drawn, in px. */
const MORE = 26;
/** Longer chains draw only their first two steps, the one that decided and what it ended. */
const WHOLE = 6;

/** A whole chain in one row; nothing for a chain without steps. Its accessible name lists every step. */
export function MiniChain({ steps }: { steps: readonly RailStep[] }) {
  if (steps.length === 0) return null;
  const nodes = railOf(steps);
  const name = nodes.map((node) => t(`words.outcome.${node.kind}`)).join(", ");
  const first = nodes.length > WHOLE ? nodes.slice(0, 2) : nodes;
  const rest = nodes.length > WHOLE ? endOf(nodes) : [];
  const hidden = nodes.length - first.length - rest.length;
  const width = (first.length + rest.length - 1) * PITCH + GLYPH + (hidden > 0 ? MORE : 0);
  return (
    <svg className="mini-chain" width={width} height="16" viewBox={`0 0 ${width} 16`} role="img" aria-label={name}>
      {[...first, ...rest].map((node, index, all) => {
        const x = index * PITCH + (index < first.length ? 0 : MORE);
        const isLast = index === all.length - 1 || (hidden > 0 && index === first.length - 1);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step of a finished chain is its place
          <g key={index}>
            <GlyphAt kind={node.kind} x={x} y={2} />
            {node.after && !isLast ? (
              <path
                d={`M${x + GLYPH + 0.5} 8H${x + PITCH - 0.5}`}
                stroke={LINE_COLOUR[node.after]}
                strokeWidth="1.5"
                strokeDasharray={LINE_DASH[node.after]}
              />
            ) : null}
          </g>
        );
      })}
      {hidden > 0 ? (
        <text className="mini-chain-more" x={first.length * PITCH} y="11.5">
          +{hidden}
        </text>
      ) : null}
    </svg>
  );
}

const OPEN = /^(?:failed|timed_out)_open$/;

/** The step that decided, with what it ended: the end of the chain, else what failed open or changed, else the last. */
function endOf(nodes: readonly RailNode[]): RailNode[] {
  const ended = nodes.findIndex(({ after, before }) => after === "ended" && before !== "ended");
  const telling = [
    ended,
    nodes.findIndex(({ kind }) => OPEN.test(kind)),
    nodes.findLastIndex(({ kind }) => kind === "changed"),
  ];
  const at = telling.find((index) => index >= 2) ?? nodes.length - 1;
  return nodes.slice(at, ended === at ? at + 2 : at + 1);
}
