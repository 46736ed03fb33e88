/** Texts that the first screen does not need. */
import about from "./about";
import agents from "./agents";
import convert from "./convert";
import editor from "./editor";
import edits from "./edits";
import emptyHooks from "./emptyHooks";
import explain from "./explain";
import filter from "./filter";
import fire from "./fire";
import fix from "./fix";
import form from "./form";
import lifecycle from "./lifecycle";
import matches from "./matches";
import metrics from "./metrics";
import newHook from "./newHookForm";
import notRun from "./notRun";
import order from "./order";
import overviewParts from "./overviewParts";
import payloadTypes from "./payloadTypes";
import programs from "./programs";
import prompt from "./prompt";
import review from "./review";
import running from "./running";
import settings from "./settings";
import simulator from "./simulator";
import trust from "./trust";
import turnedOff from "./turnedOff";

export const late = {
  about,
  agents,
  convert,
  editor,
  edits,
  emptyHooks,
  explain,
  filter,
  fire,
  fix,
  form,
  lifecycle,
  matches,
  metrics,
  newHook,
  notRun,
  order,
  overviewParts,
  payloadTypes,
  programs,
  prompt,
  review,
  running,
  settings,
  simulator,
  trust,
  turnedOff,
} as const;
