/**
 * The controls of a form, by the form of a field's value. A screen of its own, such as a builder of conditions or an
 * editor of prompts, takes the place of the plain control here.
 */
import type { ComponentType } from "react";
import type { DefinitionField, DefinitionValue, EditStep, HookRow } from "@/ipc";
import type { Draft } from "../source/drafts";
import { ChoiceControl, EventControl, EventsControl, FlagControl, NumberControl } from "./ChoiceControls";
import { FilterControl } from "./FilterControl";
import { PromptControl } from "./PromptControl";
import { LinesControl, TextControl, VariablesControl } from "./TextControls";

export interface ControlProps {
  field: DefinitionField;
  /** The dotted name of the field. */
  name: string;
  /** The id that its label refers to. */
  id: string;
  describedBy: string | undefined;
  /** What the file has; undefined where the field is absent. */
  value: unknown;
  /** What counts if the field is absent. */
  fallback: string | number | boolean | undefined;
  invalid: boolean;
  /** Sets the field, or a field inside it by its own name; undefined removes it. */
  onChange: (value: unknown, inner?: string) => void;
  /** Makes any changes of the hook at once, also of other fields. */
  onSteps: (steps: readonly EditStep[]) => void;
  /** The hook as the unsaved text defines it. */
  hook: HookRow;
  draft: Draft;
}

export const CONTROLS: Partial<Record<DefinitionValue["form"], ComponentType<ControlProps>>> = {
  text: TextControl,
  command: TextControl,
  file: TextControl,
  pattern: TextControl,
  prompt: PromptControl,
  choice: ChoiceControl,
  event: EventControl,
  events: EventsControl,
  flag: FlagControl,
  number: NumberControl,
  words: LinesControl,
  tools: LinesControl,
  text_map: VariablesControl,
  filter: FilterControl,
};
