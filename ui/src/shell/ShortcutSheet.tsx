import { ACTION_IDS, ACTIONS, type ActionGroup, type ActionId } from "@/commands";
import { GLYPH_KINDS, KeyCap, Outcome, Sheet } from "@/components";
import { t } from "@/i18n";

const GROUPS: readonly ActionGroup[] = ["everywhere", "hooks", "fire", "history", "trust", "simulator"];

type Line = NonNullable<(typeof ACTIONS)[ActionId]["sheet"]>[1];

/** The lines of one group with their actions, in the order of the registry. */
function linesOf(group: ActionGroup): [Line, ActionId[]][] {
  const lines = new Map<Line, ActionId[]>();
  for (const id of ACTION_IDS) {
    const { sheet } = ACTIONS[id];
    if (sheet?.[0] === group) lines.set(sheet[1], [...(lines.get(sheet[1]) ?? []), id]);
  }
  return [...lines];
}

/** Every key, by where it acts, and what the outcome marks mean. */
export default function ShortcutSheet({ onClose }: { onClose: () => void }) {
  return (
    <Sheet open wide title={t("shell.keys.title")} onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys */}
      <div className="[.wide-dialog:has(>&)]:h-auto flex-1 min-h-0 overflow-auto" tabIndex={0}>
        <div className="[columns:248px_3] gap-x-8 p-4 [&>section]:[break-inside:avoid] [&>section]:mb-4 [&_dl]:grid [&_dl]:grid-cols-[minmax(0,1fr)_112px] [&_dl]:items-center [&_dl]:gap-y-1.5 [&_dl]:gap-x-3 [&_dl]:text-sm/[inherit] [&_dd]:flex [&_dd]:gap-1 [&_dl.marks]:grid-cols-[auto_minmax(0,1fr)] [&_dl.marks]:items-center [&_h3]:mb-2">
          {GROUPS.map((group) => (
            <section key={group}>
              <h3>{t(`shell.keys.${group}`)}</h3>
              <dl>
                {linesOf(group).map(([line, actions]) => (
                  <div key={line} style={{ display: "contents" }}>
                    <dt>{t(`shell.keys.${line}`)}</dt>
                    <dd>
                      {actions.map((action) => (
                        <KeyCap key={action} action={action} spoken />
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
      </div>
    </Sheet>
  );
}
