import { t } from "@/i18n";
import { Glyph, type GlyphKind, glyphClass } from "./Glyph";
import { Tooltip } from "./Tooltip";

interface OutcomeProps {
  kind: GlyphKind;
  /** Glyph size; ignored by the badge. */
  size?: 12 | 14 | 16 | 24;
  variant?: "glyph" | "badge";
  /** Stands in the badge instead of the outcome's own word. */
  word?: string;
  /** Follows the word in the badge. */
  reason?: string | null;
  /** It ran beside the chain, which did not wait for it: in brackets. */
  beside?: boolean;
}

/** An outcome in shape, word and colour. */
export function Outcome({ kind, size = 16, variant = "badge", word: own, reason, beside = false }: OutcomeProps) {
  const plain = t(`words.outcome.${kind}`);
  const word = beside && kind !== "detached" ? `[${plain}]` : plain;
  if (variant === "glyph") {
    return (
      <Tooltip text={word}>
        <span role="img" aria-label={word}>
          <Glyph kind={kind} size={size} />
        </span>
      </Tooltip>
    );
  }
  return (
    <Tooltip text={own === undefined ? t(`words.outcomeAbout.${kind}`) : null}>
      <span className={`outcome outcome-${glyphClass(kind)}`}>
        <Glyph kind={kind} size={14} />
        <span>{own ?? word}</span>
        {reason ? <em>{reason}</em> : null}
      </span>
    </Tooltip>
  );
}
