/** Lifecycle: where in an agent's life its hooks stand, and what they last came to there. */
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Empty, Note, Segmented, Select, Skeleton } from "@/components";
import { type Dialect, type HooksDocument, useCall } from "@/ipc";
import { firstDialect, useDialects } from "@/ipc/dialects";
import { useKey } from "@/lib/keys";
import type { HooksSearch } from "@/routes/search";
import { LifeCanvas, type NodeFacts } from "./LifeCanvas";
import { LifeDrawer } from "./LifeDrawer";
import { hooksOf, lastOutcomes, letGo, standing } from "./life";

const HOUR_MS = 3_600_000;
/** More choices than this become a select. */
const MOST_SEGMENTS = 5;

interface LifeChoiceProps {
  document: HooksDocument | undefined;
  search: HooksSearch;
  onChange: (part: Partial<HooksSearch>) => void;
}

/** Which dialect's life is on show, for the page bar. */
export function LifeChoice({ document, search, onChange }: LifeChoiceProps) {
  const { t } = useTranslation();
  const dialects = useDialects();
  const shown = firstDialect(dialects, document, search.dialect);
  if (shown === undefined || dialects.length < 2) return null;
  const choose = (dialect: string) => onChange({ dialect, event: undefined });
  const items = dialects.map((one) => ({ value: one.id, label: one.name }));
  return dialects.length > MOST_SEGMENTS ? (
    <Select label={t("life.dialect")} value={shown.id} options={items} onChange={choose} />
  ) : (
    <Segmented label={t("life.dialect")} value={shown.id} items={items} onChange={choose} />
  );
}

interface LifeViewProps extends LifeChoiceProps {
  document: HooksDocument;
  project: string;
}

export function LifeView({ document, project, search, onChange }: LifeViewProps) {
  const { t } = useTranslation();
  const dialect = firstDialect(useDialects(), document, search.dialect);
  const moments = useCall(
    "history.moments",
    { project, dialect: dialect?.id ?? "", since_ms: HOUR_MS },
    { enabled: dialect !== undefined },
  );
  const facts = useMemo(
    () => factsOf(dialect, document, moments.data?.moments ?? []),
    [dialect, document, moments.data],
  );
  const order = dialect?.map.events.map((node) => node.event) ?? [];
  const step = (by: -1 | 1) => {
    const at = search.event === undefined ? -1 : order.indexOf(search.event);
    const next = order[Math.min(order.length - 1, Math.max(0, at + by))];
    if (next !== undefined) onChange({ event: next });
  };
  useKey(["J", "ArrowDown"], () => step(1));
  useKey(["K", "ArrowUp"], () => step(-1));
  if (dialect === undefined) return <Skeleton rows={8} height={64} what={t("life.tab")} />;
  const chosen = dialect.events.find((event) => event.name === search.event);
  const focusChosen = () =>
    globalThis.document.querySelector<HTMLElement>(`[data-event="${CSS.escape(search.event ?? "")}"]`)?.focus();
  return (
    <>
      <section className="pane grow" aria-label={t("life.map", { dialect: dialect.name })} tabIndex={-1} data-region>
        {moments.error === null ? null : (
          <Note kind="warning" className="flat">
            {t("life.noHistory")}
          </Note>
        )}
        {dialect.map.events.length === 0 ? (
          <Empty middle title={t("life.none", { dialect: dialect.name })} />
        ) : (
          <LifeCanvas
            dialect={dialect}
            facts={facts}
            selected={search.event ?? null}
            onSelect={(event) => onChange({ event })}
          />
        )}
      </section>
      {chosen ? (
        <LifeDrawer
          dialect={dialect}
          event={chosen}
          document={document}
          moment={moments.data?.moments.find((one) => one.event === chosen.name)}
          onHook={(hook) =>
            onChange({ view: undefined, hook: hook.hook, event: hook.event, node: undefined, q: undefined })
          }
          onStep={step}
          onClose={() => {
            focusChosen();
            onChange({ event: undefined });
          }}
        />
      ) : null}
    </>
  );
}

function factsOf(
  dialect: Dialect | undefined,
  document: HooksDocument,
  moments: readonly { event: string; last: Parameters<typeof letGo>[0] }[],
): Map<string, NodeFacts> {
  const last = new Map(moments.map((moment) => [moment.event, moment.last]));
  return new Map(
    (dialect?.events ?? []).map((event) => [
      event.name,
      {
        event,
        ...standing(hooksOf(document.hooks, dialect?.id ?? "", event.name)),
        outcomes: lastOutcomes(last.get(event.name)),
        open: letGo(last.get(event.name)),
      },
    ]),
  );
}
