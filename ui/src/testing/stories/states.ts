/** Every screen and what it can show, as stories. They are looked through for accessibility, in jsdom and in a browser. */
import { problemKey } from "@/domain/hooks/problemKey";
import type { Problem } from "@/ipc";
import { addressOf } from "@/testing/address";
import { CONFLICTS } from "@/testing/doctorData";
import { EXPLAIN, historyRows, PROBLEMS, PROJECT, TRACE } from "@/testing/sampleData";

const GUARD = "jcli:project:pre_tool_execution:1";
/** Fires the event on show, or runs the scenario. */
export const FIRE = "Control+Enter";
/** Edits the file on show. */
export const EDIT = "Shift+E";
/** The key of its row in Metrics. */
const KEEP_GOING = JSON.stringify([PROJECT, "jcli:project:stop:0", "stop", "0123456789abcdef"]);
/** The first problem of a list, with its file. */
const problemAt = ([first]: readonly Problem[]) =>
  addressOf({ to: "/hooks", search: { view: "problems", problem: first && problemKey(first) } });
const TRACE_OPEN = `#/history?trace=${TRACE.trace}`;

/** Story, address, and what is pressed there. */
export const STATES: readonly [story: string, address: string, key?: string][] = [
  ...["overview", "default", "well", "nothingrecorded", "empty", "fault", "first"].map((story): [string, string] => [
    story,
    "#/overview",
  ]),
  ["default", "#/hooks?by=event"],
  ...["cannotstart", "brokenfile"].flatMap((story): [string, string, string?][] => [
    [story, "#/overview"],
    [story, `#/hooks?hook=${GUARD}`],
    [story, "#/fire", FIRE],
  ]),
  ...["summary", "source", "explain", "runs"].map((tab): [string, string] => [
    "default",
    `#/hooks?hook=${GUARD}&tab=${tab}`,
  ]),
  ["form", `#/hooks?hook=${GUARD}&tab=source`, EDIT],
  ["default", "#/hooks", "n"],
  ["default", "#/hooks", "?"],
  ["default", "#/hooks", "Control+k"],
  ["default", "#/hooks?view=lifecycle&dialect=jcli&event=pre_tool_execution"],
  ["default", "#/hooks?view=lifecycle&dialect=jcli&events=hooked"],
  ["empty", "#/hooks?view=lifecycle&dialect=jcli&events=hooked"],
  ["default", problemAt(PROBLEMS)],
  ["doctor", problemAt(CONFLICTS)],
  ["default", "#/hooks?view=problems&problem=gone"],
  ["doctor", `#/hooks?view=order&hook=${GUARD}`],
  ["empty", "#/hooks?view=order"],
  ["doctor", "#/fire", FIRE],
  ["default", "#/hooks?view=edits&edit=01E4"],
  ["noedits", "#/hooks?view=edits"],
  ...["first", "firstempty", "firstbroken", "empty", "fault", "rejected", "notlive", "taken"].map(
    (story): [string, string] => [story, "#/hooks"],
  ),
  ["default", "#/fire", FIRE],
  ["long", "#/fire", FIRE],
  ["waitingonly", "#/fire", FIRE],
  ["default", "#/fire", "p"],
  ["empty", "#/history"],
  ["default", "#/history"],
  ["default", `${TRACE_OPEN}&with=${TRACE.trace}`],
  ["compared", `${TRACE_OPEN}&with=${historyRows(2)[1]?.trace}`],
  ...["#/hooks", "#/hooks?view=problems", "#/hooks?view=lifecycle&dialect=jcli&event=stop", "#/history"].map(
    (address): [string, string] => ["edges", address],
  ),
  ["default", `#/history/explain?dialect=${EXPLAIN.dialect}&event=${EXPLAIN.event}`],
  ["default", `#/history/explain?trace=${TRACE.trace}`],
  ["metrics", "#/metrics"],
  ["metrics", "#/metrics?as=tables"],
  ["metrics", `#/metrics?row=${encodeURIComponent(KEEP_GOING)}`],
  ["nometrics", "#/metrics"],
  ["metricsfault", "#/metrics"],
  ["agents", "#/agents"],
  ["agents", "#/agents?session=cron&tab=protocol"],
  ["agents", "#/agents?tab=runs"],
  ["agents", "#/agents?tab=hooks"],
  ["noagent", "#/agents"],
  ["agentsfault", "#/agents"],
  ["agents", "#/fire?agent=4f21", FIRE],
  ["simulator", "#/simulator"],
  ["simulator", "#/simulator?scenario=sample/skill/house-rules"],
  ["simulator", "#/simulator?scenario=new/skill", FIRE],
  ["simulator", "#/simulator?scenario=new/skill&event=0", FIRE],
  ["simulatorwaits", "#/simulator?scenario=new/skill", FIRE],
  ["simulatorfault", "#/simulator?scenario=new/skill", FIRE],
  ["trust", "#/trust"],
  ["notkept", "#/trust"],
  ["nothingwaits", "#/trust"],
  ["gone", "#/trust"],
  ["gone", "#/fire"],
  ["gone", `#/history/explain?dialect=${EXPLAIN.dialect}&event=${EXPLAIN.event}`],
  ["default", "#/trust?tab=approved"],
  ...["general", "model", "history", "redaction", "watching", "notifications", "about"].map(
    (section): [string, string] => ["default", `#/settings?section=${section}`],
  ),
  ["notified", "#/hooks"],
  // Last, because the page stays signed out.
  ["needslink", "#/hooks"],
  ["signedout", "#/hooks"],
];
