/** How an agent connects: the command to run, or the line that a program of one's own sends first. */
import { Cable, Copy } from "lucide-react";
import { useState } from "react";
import { Button, InlineCode, Select } from "@/components";
import { copyText } from "@/domain/clipboard";
import { useProject } from "@/domain/project";
import { t } from "@/i18n";
import { useDialects } from "@/ipc/dialects";
import { escapeInvisible } from "@/lib/escape";
import { ConnectSheet } from "./ConnectSheet";

/** The choice of a program that no dialect's files describe. */
const OWN = "own";

/** The line that such a program sends first. */
function firstLine(dialect: string): string {
  const params = { dialect, agent: { name: "my-agent" }, cwd: "/path/to/project", offers: [], protocol: 1 };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session.open", params });
}

interface ConnectProps {
  title: string;
  /** Where the engine listens; null if it does not. */
  socket: string | null;
  /** Of the button: primary where the screen has nothing else to do. */
  kind: "primary" | "default";
}

export function Connect({ title, socket, kind }: ConnectProps) {
  const dialects = useDialects();
  const targets = dialects.filter((one) => one.connects);
  const [picked, setPicked] = useState<string | null>(null);
  const target = picked ?? targets[0]?.id ?? OWN;
  const chosen = targets.find(({ id }) => id === target);
  const [isConnecting, setConnecting] = useState(false);
  const project = useProject();
  return (
    <div className="column gap-2 [&>h3]:text-md/4 [&>h3]:text-ink-1 [&>h3]:font-strong short:[.list-foot>&>p]:hidden">
      <h3 className="medium">{title}</h3>
      {socket === null ? <p className="text-small ink-late">{t("agents.connect.noSocket")}</p> : null}
      <p className="text-small ink-2">
        <InlineCode text={t(target === OWN ? "agents.connect.ownText" : "agents.connect.text")} />
      </p>
      <Select
        label={t("agents.connect.target")}
        icon={Cable}
        value={target}
        onChange={setPicked}
        options={[
          ...targets.map((one) => ({ value: one.id, label: one.name })),
          { value: OWN, label: t("agents.connect.own") },
        ]}
      />
      {target === OWN ? (
        <>
          {socket === null ? null : <Line label={t("agents.connect.socket")} text={socket} />}
          <Line label={t("agents.connect.line")} text={firstLine(dialects[0]?.id ?? "")} />
        </>
      ) : (
        <>
          {chosen !== undefined && project !== null ? (
            <>
              <Button kind={kind} icon={Cable} onClick={() => setConnecting(true)}>
                {t("agents.connect.do", { agent: chosen.name })}
              </Button>
              {isConnecting ? (
                <ConnectSheet dialect={chosen} project={project} onClose={() => setConnecting(false)} />
              ) : null}
            </>
          ) : null}
          <p className="text-small dim">{t("agents.connect.orRun")}</p>
          <Line label={t("agents.connect.command")} text={`hookwright connect ${target}`} />
          <p className="text-tiny dim">
            <InlineCode text={t("agents.connect.undo", { command: `hookwright disconnect ${target}` })} />
          </p>
        </>
      )}
      <p className="text-tiny dim">
        <InlineCode text={t("agents.connect.sample", { command: "./dev demo" })} />
      </p>
    </div>
  );
}

/** A text to paste elsewhere. */
function Line({ label, text }: { label: string; text: string }) {
  return (
    <div className="flex items-start gap-2 pt-1 pr-1 pb-1 pl-2 border border-line-3 rounded-2 bg-code select-text [&>.grow]:py-1 [&>.grow]:wrap-anywhere">
      <span className="mono text-small grow wrap">
        <span className="visually-hidden">{label} </span>
        {escapeInvisible(text)}
      </span>
      <Button
        kind="ghost"
        size="small"
        icon={Copy}
        label={`${t("agents.connect.copy")}: ${label}`}
        onClick={() => copyText(text)}
      />
    </div>
  );
}
