import common from "./common";
import explain from "./explain";
import fire from "./fire";
import history from "./history";
import hooks from "./hooks";
import lifecycle from "./lifecycle";
import parts from "./parts";
import settings from "./settings";
import shell from "./shell";
import trust from "./trust";
import words from "./words";

export const en = {
  ...common,
  ...parts,
  words,
  shell,
  hooks,
  lifecycle,
  trust,
  settings,
  fire,
  history,
  explain,
} as const;
