import about from "./about";
import agents from "./agents";
import common from "./common";
import convert from "./convert";
import editor from "./editor";
import edits from "./edits";
import emptyHooks from "./emptyHooks";
import explain from "./explain";
import filter from "./filter";
import fire from "./fire";
import fix from "./fix";
import form from "./form";
import history from "./history";
import hooks from "./hooks";
import lifecycle from "./lifecycle";
import matches from "./matches";
import metrics from "./metrics";
import newHook from "./newHook";
import newHookForm from "./newHookForm";
import notRun from "./notRun";
import order from "./order";
import overview from "./overview";
import overviewParts from "./overviewParts";
import parts from "./parts";
import payloadTypes from "./payloadTypes";
import programs from "./programs";
import prompt from "./prompt";
import review from "./review";
import running from "./running";
import settings from "./settings";
import shell from "./shell";
import simulator from "./simulator";
import start from "./start";
import trust from "./trust";
import turnedOff from "./turnedOff";
import words from "./words";

export const en = {
  ...common,
  ...parts,
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
  history,
  hooks,
  lifecycle,
  matches,
  metrics,
  newHook: { ...newHook, ...newHookForm },
  notRun,
  order,
  overview,
  overviewParts,
  payloadTypes,
  programs,
  prompt,
  review,
  running,
  settings,
  shell,
  simulator,
  start,
  trust,
  turnedOff,
  words,
} as const;
