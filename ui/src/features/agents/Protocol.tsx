/** The last messages of a session in both directions, and the text of the chosen one. */
import { ArrowDownLeft, ArrowUpRight, Copy, Pause, Play } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import {
  Button,
  CodePane,
  type Column,
  DataTable,
  FaultNote,
  Icon,
  Note,
  Segmented,
  Skeleton,
  Tooltip,
} from "@/components";
import { copyText } from "@/domain/clipboard";
import { t } from "@/i18n";
import { bytes, duration, exactTime } from "@/i18n/format";
import { faultText } from "@/i18n/messages";
import type { AgentLogLine, AgentRow } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { oneLine } from "@/lib/escape";
import { joinSentences } from "@/lib/sentences";
import { contentOf, isError, layOut } from "./messages";
import { type ProtocolLog, useProtocolLog } from "./useProtocolLog";

type Shown = "all" | "errors";
type Layout = "decoded" | "bytes";

interface ProtocolParts {
  /** Beside the tabs. */
  tools: ReactNode;
  body: ReactNode;
}

/** `isOn` while the messages are on show: only then they are asked for. */
export function useProtocol(row: AgentRow, isOn: boolean): ProtocolParts {
  const [paused, setPaused] = useState(false);
  const [shown, setShown] = useState<Shown>("all");
  const log = useProtocolLog(row, paused || !isOn);
  const errors = log.lines.filter(isError).length;
  useScreenActions({ "live.toggle": isOn ? () => setPaused(!paused) : null });
  const tools = (
    <>
      <span className="flex items-center gap-1 whitespace-nowrap [&>.icon:not(:first-child)]:ml-2 @max-[681px]:hidden text-tiny dim">
        <Icon of={ArrowDownLeft} size={12} className="ink-accent" />
        {t("agents.log.fromAgent")}
        <Icon of={ArrowUpRight} size={12} />
        {t("agents.log.toAgent")}
      </span>
      <Segmented<Shown>
        label={t("agents.log.show")}
        value={shown}
        onChange={setShown}
        items={[
          { value: "all", label: t("agents.log.all") },
          { value: "errors", label: t("agents.log.errors", { count: errors }) },
        ]}
      />
      <Button
        kind="ghost"
        size="small"
        icon={paused ? Play : Pause}
        label={t(paused ? "agents.log.resume" : "agents.log.pause")}
        action="live.toggle"
        aria-pressed={paused}
        onClick={() => setPaused(!paused)}
      />
    </>
  );
  return { tools, body: <Messages log={log} shown={shown} /> };
}

function Messages({ log, shown }: { log: ProtocolLog; shown: Shown }) {
  const [picked, setPicked] = useState<AgentLogLine | null>(null);
  // The newest is the first one, as in the history.
  const rows = [...log.lines].reverse().filter((line) => shown === "all" || isError(line));
  const columns = useColumns();
  // The chosen one stays, even when it is no longer among the last.
  const chosen = log.lines.find((line) => line.number === picked?.number) ?? picked;
  if (log.fault !== null && log.lines.length === 0) return <FaultNote fault={log.fault} />;
  if (log.isPending) return <Skeleton rows={8} height={28} what={t("agents.log.label")} />;
  return (
    <>
      {log.fault === null ? null : (
        <Note kind="warning" className="flat">
          {log.fault.code === "unknown_agent" ? t("agents.log.ended") : faultText(log.fault).message}
        </Note>
      )}
      <DataTable<AgentLogLine>
        label={t("agents.log.label")}
        className="flex-1 min-h-21 [&_td]:h-7 [&_.agents-error>td]:bg-fail-bg"
        columns={columns}
        rows={rows}
        rowKey={(line) => String(line.number)}
        rowHeight={28}
        selected={chosen === null ? null : String(chosen.number)}
        onSelect={setPicked}
        rowClass={(line) => (isError(line) ? "agents-error" : "")}
        empty={
          <p className="pad-16 text-small dim">{t(shown === "all" ? "agents.log.none" : "agents.log.noErrors")}</p>
        }
      />
      <MessageText line={chosen} />
    </>
  );
}

function useColumns(): readonly Column<AgentLogLine>[] {
  return useMemo(() => {
    const frame = (line: AgentLogLine) =>
      line.kind === "request" || line.kind === "notification"
        ? oneLine(line.method ?? "", 40)
        : t(`agents.log.kind.${line.kind as "result"}`);
    return [
      {
        id: "time",
        head: t("agents.log.time"),
        width: "124px",
        cell: (line) => <span className="mono dim">{exactTime(line.at)}</span>,
      },
      {
        id: "way",
        head: "",
        headLabel: t("agents.log.way"),
        width: "32px",
        cell: (line) => (
          <Tooltip text={t(line.from === "agent" ? "agents.log.fromAgent" : "agents.log.toAgent")}>
            <span
              role="img"
              aria-label={t(line.from === "agent" ? "agents.log.fromAgent" : "agents.log.toAgent")}
              className={line.from === "agent" ? "ink-accent" : "dim"}
            >
              <Icon of={line.from === "agent" ? ArrowDownLeft : ArrowUpRight} size={12} />
            </span>
          </Tooltip>
        ),
      },
      {
        id: "frame",
        head: t("agents.log.frame"),
        width: "132px",
        cell: (line) => <span className="mono ink-1">{frame(line)}</span>,
      },
      {
        id: "content",
        head: t("agents.log.content"),
        cell: (line) => (
          <span className="mono ink-2">
            {line.id === null ? "" : <span className="dim">#{oneLine(line.id, 20)} </span>}
            {contentOf(line)}
            {line.took_ms === null ? "" : <span className="dim"> · {duration(line.took_ms)}</span>}
          </span>
        ),
      },
      {
        id: "size",
        head: t("agents.log.size"),
        width: "72px",
        align: "right",
        cell: (line) => <span className="mono dim">{bytes(line.bytes)}</span>,
      },
    ];
  }, []);
}

function MessageText({ line }: { line: AgentLogLine | null }) {
  const [layout, setLayout] = useState<Layout>("decoded");
  if (line === null) {
    return (
      <p className="flex-none py-2 px-3 border-t border-t-line-2 text-tiny dim">
        {joinSentences(t("agents.log.choose"), t("agents.log.bounds"))}
      </p>
    );
  }
  const name = t("agents.log.message", { method: oneLine(line.method ?? line.kind, 60) });
  return (
    <section className="flex-[0_1_40%] min-h-30 flex flex-col border-t border-line-2" aria-label={t("agents.log.text")}>
      <div className="pane-head">
        <b className="medium trunc">{name}</b>
        <span className="spacer" />
        {line.cut ? (
          <span className="text-tiny ink-late nowrap">{t("agents.log.cut", { size: bytes(line.bytes) })}</span>
        ) : null}
        <span className="text-tiny dim nowrap">
          {t(line.redacted ? "agents.log.redacted" : "agents.log.notRedacted")}
        </span>
        <Segmented<Layout>
          label={t("agents.log.layout.label")}
          value={layout}
          onChange={setLayout}
          items={[
            { value: "decoded", label: t("agents.log.layout.decoded") },
            { value: "bytes", label: t("agents.log.layout.bytes") },
          ]}
        />
        <Button
          kind="ghost"
          size="small"
          icon={Copy}
          label={t("agents.log.copy")}
          onClick={() => copyText(layOut(line, layout))}
        />
      </div>
      <div className="flex-1 min-h-0 flex *:flex-1 *:min-w-0">
        <CodePane label={t("agents.log.text")} value={layOut(line, layout)} language="json" />
      </div>
    </section>
  );
}
