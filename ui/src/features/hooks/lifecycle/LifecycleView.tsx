/** Lifecycle: where in an agent's life its hooks stand, and what they last came to there. */
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Empty, Note, Skeleton } from "@/components";
import { type Dialect, type HooksDocument, useCall } from "@/ipc";
import { firstDialect, useDialects } from "@/ipc/dialects";
import { itemAfter, useRowActions } from "@/lib/actions";
import type { HooksSearch } from "@/routes/search";
import { EventDrawer } from "./EventDrawer";
import { LifecycleCanvas, type NodeFacts } from "./LifecycleCanvas";
import { activeHooks, failedOpen, hooksOf, lastOutcomes } from "./lifecycle";
import "./lifecycle.css";

const HOUR_MS = 3_600_000;
interface LifecycleViewProps {
  document: HooksDocument;
  search: HooksSearch;
  onChange: (part: Partial<HooksSearch>) => void;
  project: string;
}

export default function LifecycleView({ document, project, search, onChange }: LifecycleViewProps) {
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
    const next = itemAfter(order, at, by);
    if (next !== undefined) onChange({ event: next });
  };
  useRowActions(step);
  if (dialect === undefined) return <Skeleton rows={8} height={64} what={t("lifecycle.tab")} />;
  const chosen = dialect.events.find((event) => event.name === search.event);
  const focusChosen = () =>
    globalThis.document.querySelector<HTMLElement>(`[data-event="${CSS.escape(search.event ?? "")}"]`)?.focus();
  return (
    <>
      <section
        className="pane grow"
        aria-label={t("lifecycle.map", { dialect: dialect.name })}
        tabIndex={-1}
        data-region
      >
        {moments.error === null ? null : (
          <Note kind="warning" className="flat">
            {t("lifecycle.noHistory")}
          </Note>
        )}
        {dialect.map.events.length === 0 ? (
          <Empty middle title={t("lifecycle.none", { dialect: dialect.name })} />
        ) : (
          <LifecycleCanvas
            dialect={dialect}
            facts={facts}
            selected={search.event ?? null}
            onSelect={(event) => onChange({ event })}
          />
        )}
      </section>
      {chosen ? (
        <EventDrawer
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
  moments: readonly { event: string; last: Parameters<typeof failedOpen>[0] }[],
): Map<string, NodeFacts> {
  const last = new Map(moments.map((moment) => [moment.event, moment.last]));
  return new Map(
    (dialect?.events ?? []).map((event) => [
      event.name,
      {
        event,
        ...activeHooks(hooksOf(document.hooks, dialect?.id ?? "", event.name)),
        outcomes: lastOutcomes(last.get(event.name)),
        open: failedOpen(last.get(event.name)),
      },
    ]),
  );
}
