/** The chains that run now, one line each: their present step, and how to stop them. */
import { ChevronDown, ChevronRight, Square } from "lucide-react";
import { useState } from "react";
import { Button, DialectTag, Elapsed, Spinner, toast } from "@/components";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { type RunningChain, useCommand } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { PresentStep, RunningSteps } from "./RunningChain";
import { useRunning } from "./running";

interface RunningChainsProps {
  /** Which of them are listed. */
  wanted: (chain: RunningChain) => boolean;
}

export function RunningChains({ wanted }: RunningChainsProps) {
  const { chains, at } = useRunning(true);
  const shown = chains.filter(wanted);
  if (shown.length === 0) return null;
  return (
    <ul className="max-h-[40vh] overflow-auto flex-none border-b border-line-2" aria-label={t("running.list")}>
      {shown.map((chain) => (
        <Row key={chain.trace} chain={chain} at={at} />
      ))}
    </ul>
  );
}

function Row({ chain, at }: { chain: RunningChain; at: number }) {
  const [open, setOpen] = useState(false);
  const stop = useCommand("chains.stop", {
    onSuccess: ({ stopped }) => (stopped ? undefined : toast(t("running.notStopped"), null)),
    onError: toastFault,
  });
  return (
    <li>
      <div className="flex items-center gap-2 min-h-row px-3">
        <Button
          kind="ghost"
          size="small"
          icon={open ? ChevronDown : ChevronRight}
          label={t(open ? "running.hide" : "running.show")}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
        <Spinner size={14} />
        <DialectTag dialect={chain.dialect} />
        <span className="mono nowrap">{chain.event}</span>
        {chain.agent === null ? null : <span className="dim trunc">{oneLine(chain.agent, 40)}</span>}
        <span className="grow trunc text-small">
          <PresentStep chain={chain} />
        </span>
        <Elapsed since={at - chain.elapsed_ms} />
        <Button
          size="small"
          icon={Square}
          aria-label={t("running.stopChain", { event: chain.event })}
          busy={stop.isPending}
          onClick={() => stop.mutate({ trace: chain.trace })}
        >
          {t("running.stop")}
        </Button>
      </div>
      {open ? <RunningSteps chain={chain} at={at} /> : null}
    </li>
  );
}
