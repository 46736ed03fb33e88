import { isNotMeant } from "@/components";
import { t } from "@/i18n";
import type { Gate, HookRow, Payload } from "@/ipc";
import { useDialect } from "@/ipc/dialects";
import { oneLine } from "@/lib/escape";
import { pretty } from "@/lib/pretty";
import { Link } from "@/routes/router";
import { FilterFixes } from "./FilterFixes";
import { nearestName } from "./plainNames";

interface FilterBoxProps {
  gate: Gate;
  hook: HookRow;
  event: string;
  payload: Payload;
  project: string;
}

/** The text in three: what both begin with, what differs, what both end with. */
export function differingPart(text: string, other: string): [string, string, string] {
  const most = Math.min(text.length, other.length);
  let begin = 0;
  while (begin < most && text[begin] === other[begin]) begin += 1;
  let end = 0;
  while (end < most - begin && text.at(-1 - end) === other.at(-1 - end)) end += 1;
  return [text.slice(0, begin), text.slice(begin, text.length - end), text.slice(text.length - end)];
}

function Marked({ text, other }: { text: string; other: string | null }) {
  if (other === null) return oneLine(text, 120);
  const [before, differs, after] = differingPart(text, other);
  return (
    <>
      {before}
      <mark>{differs === "" ? "\u00a0" : differs}</mark>
      {after}
    </>
  );
}

/** A filter as checks write it: names of a list are alternatives. */
function textOf(wanted: unknown): string {
  return Array.isArray(wanted) ? wanted.join("|") : pretty(wanted);
}

/** The wanted text, with the name that the event nearly had marked in it. */
function Wanted({ wanted, got, near }: { wanted: unknown; got: unknown; near: Gate["near_miss"] }) {
  const text = textOf(wanted);
  const names = text.split("|");
  const nearest = typeof got === "string" ? nearestName(names, got, near) : null;
  if (nearest === null || typeof got !== "string") return oneLine(text, 120);
  const at = names.indexOf(nearest);
  const before = names.slice(0, at).map((name) => `${name}|`);
  const after = names.slice(at + 1).map((name) => `|${name}`);
  return (
    <>
      {before.join("")}
      <Marked text={nearest} other={got} />
      {after.join("")}
    </>
  );
}

function nearestIn(wanted: unknown, got: unknown, near: Gate["near_miss"]): string | null {
  if (typeof got !== "string") return null;
  const text = textOf(wanted);
  return nearestName(text.split("|"), got, near);
}

export function FilterBox({ gate, hook, event, payload, project }: FilterBoxProps) {
  const toolField = useDialect(hook.dialect)?.tool_field;
  const clauses = Object.entries(hook.filter ?? {});
  if (clauses.length === 0) return null;
  return (
    <div
      className={`p-3 ${isNotMeant(gate) ? "bg-2" : "bg-deny-bg"} [&>dl]:grid [&>dl]:grid-cols-[88px_minmax(0,1fr)] [&>dl]:gap-y-1.5 [&>dl]:gap-x-2 [&>dl]:mb-2 [&>dl]:text-sm/[inherit] [&_dt]:text-ink-3 [&_.variable]:whitespace-normal [&_.variable]:wrap-anywhere [&_mark]:bg-accent-lo [&_.bad>mark]:bg-deny-line`}
    >
      {clauses.map(([name, now]) => {
        const isChecked = gate.args?.key === name;
        const checked = isChecked ? gate.args.field : undefined;
        // A recorded check compared with the filter of its time.
        const wanted = isChecked && typeof gate.args.wanted === "string" ? gate.args.wanted : now;
        const isChanged = textOf(wanted) !== textOf(now);
        // A matcher is about the tool, whatever the dialect calls that field.
        const field =
          typeof checked === "string" ? checked : name in payload || toolField === undefined ? name : toolField;
        const value = payload[field];
        const nearest = nearestIn(wanted, value, gate.near_miss);
        return (
          <dl key={name}>
            <dt>{t("explain.wants")}</dt>
            <dd className="mono">
              {name}{" "}
              <span className="variable">
                <Wanted wanted={wanted} got={value} near={gate.near_miss} />
              </span>
            </dd>
            <dt>{t("explain.has")}</dt>
            <dd className="mono">
              {field}{" "}
              {value === undefined ? (
                <span className="variable empty">{t("explain.noField")}</span>
              ) : (
                <span className="variable bad">
                  <Marked text={pretty(value)} other={nearest} />
                </span>
              )}
            </dd>
            {isChanged ? (
              <>
                <dt>{t("fix.now")}</dt>
                <dd className="mono">
                  {name} <span className="variable">{oneLine(textOf(now), 120)}</span>
                </dd>
              </>
            ) : null}
          </dl>
        );
      })}
      <FilterFixes gate={gate} hook={hook} event={event} payload={payload} project={project} />
      <Link className="link text-tiny" to="/hooks" search={{ hook: hook.hook, event: hook.event, tab: "source" }}>
        {t("explain.openSource")}
      </Link>
    </div>
  );
}
