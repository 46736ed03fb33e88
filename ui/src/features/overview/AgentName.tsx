/** An agent and its session: the end of the session stays readable where the name has no room. */
import { Tooltip } from "@/components";
import { oneLine } from "@/lib/escape";

/** A longer session id is told by its end: generated ones begin alike. */
const SESSION_SHOWN = 8;
const SESSION_END = 4;

interface AgentNameProps {
  name: string;
  session: string;
  className: string;
}

export function AgentName({ name: given, session: id, className }: AgentNameProps) {
  const name = oneLine(given, 40);
  const session = oneLine(id, 40);
  const short = session.length > SESSION_SHOWN ? session.slice(-SESSION_END) : session;
  return (
    <Tooltip text={[name, session].filter(Boolean).join(" · ")}>
      <span className={`flex gap-[0.3em] min-w-0 ${className}`}>
        <span className="trunc">{name || short}</span>{" "}
        {name !== "" && short !== "" ? <span className="flex-none">· {short}</span> : null}
      </span>
    </Tooltip>
  );
}
