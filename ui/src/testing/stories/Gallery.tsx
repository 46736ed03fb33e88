/** Every component in its states, beside `10-components` of the design. Never shipped. */
import { Ellipsis, RotateCcw, ShieldX } from "lucide-react";
import { useState } from "react";
import {
  Button,
  ChainPosition,
  Diff,
  Field,
  HookState,
  Input,
  MiniChain,
  Note,
  Outcome,
  Segmented,
  Select,
  Switch,
  Timeline,
} from "@/components";
import { GLYPH_KINDS } from "@/components/Glyph";
import { KINDS, KINDS_TOOK_MS } from "@/testing/handlerSteps";
import { BARE_HOOK, HEALTHS } from "@/testing/healthData";
import { TRACE } from "@/testing/sampleData";

export function Gallery() {
  const [on, setOn] = useState(true);
  const [choice, setChoice] = useState<"on" | "off" | "auto">("on");
  const [engine, setEngine] = useState("embedded");
  const [step, setStep] = useState<number | null>(0);
  return (
    <div style={{ display: "grid", gridTemplateColumns: "420px 400px 1fr", height: "100%", overflow: "auto" }}>
      <div className="pad-16 column" style={{ gap: 8 }}>
        <h3>Outcomes</h3>
        {GLYPH_KINDS.map((kind) => (
          <div key={kind} className="row gap-3" style={{ height: 24 }}>
            <Outcome kind={kind} variant="glyph" size={24} />
            <Outcome kind={kind} variant="glyph" size={16} />
            <Outcome kind={kind} variant="glyph" size={12} />
            <Outcome kind={kind} />
          </div>
        ))}
        <h3>Chain in a row</h3>
        <MiniChain
          steps={[
            { outcome: "no_opinion" },
            { outcome: "allowed" },
            { outcome: "changed" },
            { outcome: "no_opinion" },
            { outcome: "allowed" },
          ]}
        />
        <MiniChain
          steps={[
            { outcome: "changed" },
            { outcome: "failed_open" },
            { outcome: "not_matched" },
            { outcome: "no_opinion" },
            { outcome: "denied" },
            { outcome: "skipped", reason: "chain_ended" },
          ]}
        />
        <h3>Notes</h3>
        <Note>j-cli sends arguments as a JSON string.</Note>
        <Note kind="warning">p95 uses 92 % of the limit.</Note>
        <Note kind="failing_open" lead="Fails open.">
          The tool runs anyway.
        </Note>
        <Note kind="error" lead="on_error: ignore">
          is not a known value.
        </Note>
      </div>
      <div className="pad-16 column" style={{ gap: 10, borderLeft: "1px solid var(--line-2)" }}>
        <h3>Chain rail</h3>
        <ChainPosition
          label="Rail"
          current="d"
          steps={[
            { hook: "a", label: "changed, line carries it", outcome: "changed", side: "" },
            { hook: "b", label: "failed open, dashed", outcome: "failed_open", side: "" },
            { hook: "c", label: "sees the change", outcome: "no_opinion", side: "" },
            { hook: "d", label: "timed out closed", outcome: "timed_out_closed", side: "" },
            { hook: "e", label: "not reached", outcome: "skipped", reason: "chain_ended", side: "" },
          ]}
        />
        <h3>Hook state</h3>
        <div className="row gap-3" style={{ flexWrap: "wrap" }}>
          {([true, false] as const).flatMap((guard) =>
            HEALTHS.map((health) => (
              <HookState key={`${health.state} ${guard}`} hook={{ ...BARE_HOOK, health, guard }} detail />
            )),
          )}
        </div>
        <h3>Buttons</h3>
        <div className="row" style={{ flexWrap: "wrap" }}>
          <Button kind="primary">Save</Button>
          <Button icon={RotateCcw} action="hook.fire">
            Replay
          </Button>
          <Button kind="ghost">Export</Button>
          <Button kind="danger" icon={ShieldX}>
            Deny
          </Button>
          <Button disabledBecause="because">Disabled</Button>
          <Button icon={Ellipsis} label="More" />
          <Button size="small">Small</Button>
          <Button busy icon={RotateCcw}>
            Busy
          </Button>
        </div>
        <Segmented
          label="Choice"
          value={choice}
          onChange={setChoice}
          items={[
            { value: "on", label: "On" },
            { value: "off", label: "Off" },
            { value: "auto", label: "Auto" },
          ]}
        />
        <h3>Fields</h3>
        <Input mono defaultValue="guard-shell" aria-label="a" />
        <Field label="With an error" error="ignore is not a known value.">
          {({ id }) => <Input id={id} mono invalid defaultValue="ignore" />}
        </Field>
        <Input warned unit="s" defaultValue="1" aria-label="c" />
        <Select
          label="Target"
          value={engine}
          onChange={setEngine}
          options={Array.from({ length: 12 }, (_, index) => ({
            value: index === 0 ? "embedded" : `event_${index}`,
            label: index === 0 ? "Embedded engine" : `event_${index}`,
            mono: index > 0,
          }))}
        />
        <div className="row">
          <Switch on={on} label="Switch" onChange={setOn} />
          <Switch on={!on} label="Other switch" onChange={(now) => setOn(!now)} />
        </div>
        <Diff
          label="Diff"
          before={'    on_error: skip\n    tool_matcher: "Bash|Shell"\n'}
          after={'    on_error: skip\n    tool_matcher: "Bash|Shell|bash"\n'}
        />
      </div>
      <div className="column" style={{ borderLeft: "1px solid var(--line-2)" }}>
        <Timeline steps={TRACE.steps} took={TRACE.took_ms} selected={step} onSelect={setStep} />
        <Timeline steps={KINDS} took={KINDS_TOOK_MS} selected={null} onSelect={() => undefined} />
      </div>
    </div>
  );
}
