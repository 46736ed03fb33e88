import { useTranslation } from "react-i18next";
import { GLYPH_KINDS, Outcome, Sheet } from "@/components";
import { keyCap } from "@/lib/keys";

/** Every key of these screens, by where it acts. */
const SHEET = {
  everywhere: [
    ["sections", ["2", "3", "4"]],
    ["settings", ["9"]],
    ["palette", ["Ctrl K"]],
    ["filter", ["/"]],
    ["rows", ["J", "K"]],
    ["openRow", ["Enter"]],
    ["back", ["Esc"]],
    ["steps", ["[", "]"]],
    ["tree", ["B"]],
    ["goSelection", ["G", "H", "S"]],
    ["panes", ["F6"]],
    ["zoom", ["Ctrl +", "Ctrl -", "Ctrl 0"]],
    ["sheet", ["?"]],
  ],
  hooks: [
    ["switch", ["Space"]],
    ["muteHalfHour", ["M"]],
    ["fireWith", ["F"]],
    ["explain", ["E"]],
    ["approve", ["A"]],
    ["shift", ["Alt ArrowUp", "Alt ArrowDown"]],
  ],
  fire: [
    ["fireNow", ["Ctrl Enter"]],
    ["pin", ["P"]],
    ["save", ["Ctrl S"]],
    ["table", ["Shift T"]],
  ],
  history: [
    ["pause", ["Space"]],
    ["replay", ["R"]],
    ["fireWith", ["F"]],
    ["explain", ["E"]],
    ["pin", ["P"]],
    ["diff", ["D"]],
    ["compare", ["C"]],
    ["table", ["Shift T"]],
  ],
} as const;

const GROUPS = Object.keys(SHEET) as (keyof typeof SHEET)[];

export function ShortcutSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Sheet open={open} wide title={t("shell.keys.title")} onClose={onClose}>
      <div className="keysheet">
        {GROUPS.map((group) => (
          <section key={group}>
            <h3>{t(`shell.keys.${group}`)}</h3>
            <dl>
              {SHEET[group].map(([name, chords]) => (
                <div key={name} style={{ display: "contents" }}>
                  <dt>{t(`shell.keys.${name}`)}</dt>
                  <dd>
                    {chords.map((chord) => (
                      <kbd key={chord}>{keyCap(chord)}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <section>
          <h3>{t("shell.outcomes")}</h3>
          <dl className="marks">
            {GLYPH_KINDS.map((kind) => (
              <div key={kind} style={{ display: "contents" }}>
                <dt>
                  <Outcome kind={kind} />
                </dt>
                <dd>{t(`words.outcomeAbout.${kind}`)}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </Sheet>
  );
}
