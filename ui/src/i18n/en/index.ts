import common from "./common";
import history from "./history";
import hooks from "./hooks";
import newHook from "./newHook";
import overview from "./overview";
import parts from "./parts";
import shell from "./shell";
import start from "./start";
import words from "./words";

export const en = {
  ...common,
  ...parts,
  history,
  hooks,
  newHook,
  overview,
  shell,
  start,
  words,
} as const;
