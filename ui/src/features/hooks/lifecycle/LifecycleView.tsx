/** Lifecycle: where in an agent's life its hooks stand, and what they last came to there. */
import { useMemo, useState } from "react";
import { Empty, Note, Skeleton } from "@/components";
import { hooksOfEvent } from "@/domain/hooks/facts";
import { type Dialect, type HooksDocument, useCall } from "@/ipc";
import { firstDialect, useDialects } from "@/ipc/dialects";
import { useStepping } from "@/lib/actions";
import { useMedia } from "@/lib/media";
import type { HooksSearch } from "@/routes/search";
import { EventDrawer } from "./EventDrawer";
import { LifecycleCanvas, type NodeFacts } from "./LifecycleCanvas";
import { activeHooks, failedOpen, lastOutcomes } from "./lifecycle";
import "./lifecycle.css";
import { t } from "@/i18n";

const HOUR_MS = 3_600_000;
const WIDE = "(min-width: 1120px)";

interface LifecycleViewProps {
  document: HooksDocument;
  search: HooksSearch;
  onChange: (part: Partial<HooksSearch>) => void;
  project: string;
}

export default function LifecycleView({ document, project, search, onChange }: LifecycleViewProps) {
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
  // With room beside the map the busiest event explains it; who closes it is not shown another.
  const hasRoom = useMedia(WIDE);
  const [closed, setClosed] = useState(false);
  const busiest = closed || !hasRoom ? undefined : busiestOf(moments.data?.moments ?? [], facts);
  const shown = search.event ?? busiest;
  const order = (dialect?.map.events ?? [])
    .map((node) => node.event)
    .filter((event) => search.events !== "hooked" || (facts.get(event)?.hooks ?? 0) > 0);
  const at = shown === undefined ? -1 : order.indexOf(shown);
  const step = useStepping(order, at, (event) => onChange({ event }));
  if (dialect === undefined) return <Skeleton rows={8} height={64} what={t("lifecycle.tab")} />;
  const chosen = dialect.events.find((event) => event.name === shown);
  const focusChosen = () =>
    globalThis.document.querySelector<HTMLElement>(`[data-event="${CSS.escape(shown ?? "")}"]`)?.focus();
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
          <Empty title={t("lifecycle.none", { dialect: dialect.name })} />
        ) : order.length === 0 ? (
          <Empty title={t("lifecycle.noneHooked", { dialect: dialect.name })} />
        ) : (
          <LifecycleCanvas
            dialect={dialect}
            facts={facts}
            order={order}
            selected={shown ?? null}
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
            setClosed(true);
            onChange({ event: undefined });
          }}
        />
      ) : null}
    </>
  );
}

/** The event that fired most, else the one with most hooks; none where there is neither. */
function busiestOf(
  moments: readonly { event: string; traces: number }[],
  facts: ReadonlyMap<string, NodeFacts>,
): string | undefined {
  const rated = [...facts.values()].map(({ event, hooks }) => ({
    event: event.name,
    hooks,
    traces: moments.find((one) => one.event === event.name)?.traces ?? 0,
  }));
  const first = rated.sort((a, b) => b.traces - a.traces || b.hooks - a.hooks)[0];
  return first !== undefined && first.traces + first.hooks > 0 ? first.event : undefined;
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
        ...activeHooks(hooksOfEvent(document, dialect?.id ?? "", event.name)),
        outcomes: lastOutcomes(last.get(event.name)),
        open: failedOpen(last.get(event.name)),
      },
    ]),
  );
}
