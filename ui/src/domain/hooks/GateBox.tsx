/** What stands below a check that failed: the comparison of a condition, and the fixes. */
import type { ReactNode } from "react";
import { type Gate, type GateFix, type HookRow, type Payload, useCall } from "@/ipc";
import { FileFixes } from "./FileFixes";
import { FilterBox } from "./FilterBox";

const NO_HOOKS: HookRow[] = [];

interface GateSubject {
  gate: Gate;
  hook: HookRow;
  event: string;
  payload: Payload;
  project: string;
}

/** Null where there is nothing to compare or to fix. */
export function gateBox({ gate, hook, event, payload, project }: GateSubject): ReactNode {
  if (gate.gate === "filter") {
    return <FilterBox gate={gate} hook={hook} event={event} payload={payload} project={project} />;
  }
  const files = (gate.fixes ?? []).filter((fix) => fix.kind === "file");
  return files.length === 0 ? null : <StartFixes fixes={files} hook={hook} project={project} />;
}

interface StartFixesProps {
  fixes: readonly Extract<GateFix, { kind: "file" }>[];
  hook: HookRow;
  project: string;
}

function StartFixes({ fixes, hook, project }: StartFixesProps) {
  const hooks = useCall("hooks.list", { project }).data?.hooks ?? NO_HOOKS;
  return <FileFixes fixes={fixes} hook={hook.hook} hooks={hooks} project={project} />;
}
