/**
 * The names the interface uses for what the engine says.
 *
 * Everything is derived from the generated command list, so that a change of the contract shows up here, in one file.
 */
import type { Commands, Push as GeneratedPush } from "./gen";

export type { NoticeReason } from "./gen";

/** What only the desktop window answers, because it concerns the window itself. */
interface WindowCommands {
  "login.get": { params: Record<string, never>; reply: { on: boolean } };
  "login.set": { params: { on: boolean }; reply: { on: boolean } };
  /** How many files have unsaved text; the program asks before it ends. */
  "window.unsaved": { params: { files: number }; reply: Record<string, never> };
  "window.quit": { params: Record<string, never>; reply: Record<string, never> };
  "engine.start": { params: Record<string, never>; reply: Record<string, never> };
}

type AllCommands = Commands & WindowCommands;

export type Method = keyof AllCommands;
export type Params<M extends Method> = AllCommands[M]["params"];
export type Reply<M extends Method> = AllCommands[M]["reply"];
/** A payload as it travels: a JSON object. */
export type Payload = Record<string, unknown>;

export type State = Reply<"state">;
export type Project = State["projects"][number];
export type Dialect = Reply<"dialects">["dialects"][number];
export type EventInfo = Dialect["events"][number];
/** The schema of a dialect's hook files. */
export type Definition = Reply<"definitions">["definitions"][number];
export type DefinitionField = Definition["outside"][number];
export type DefinitionValue = Definition["root"];
export type FieldCondition = NonNullable<DefinitionField["only"]>;
export type ChoiceInfo = DefinitionValue["choices"][number];
export type EditStep = Params<"edit.change">["steps"][number];
export type HooksDocument = Reply<"hooks.list">;
export type HookRow = HooksDocument["hooks"][number];
export type Health = HookRow["health"];
export type HealthState = Health["state"];
export type StatusDoc = Reply<"overview">;
export type Need = StatusDoc["needs"][number];
export type FileDiff = Reply<"edit.save">["changes"][number];
export type DiffHunk = FileDiff["hunks"][number];
export type HookGroup = HooksDocument["groups"][number];
export type SourceRow = HooksDocument["sources"][number];
export type TurnedOffHook = NonNullable<HooksDocument["turned_off"]>[number];
export type Problem = HooksDocument["problems"][number];
export type HookStats = Reply<"stats">["hooks"][number];
export type Bar = HookStats["bars"][number];
export type EventBar = Reply<"history.bars">["buckets"][number];
export type Fixture = Reply<"fixtures">["fixtures"][number];
export type ExplainDocument = Reply<"explain">;
export type ExplainStep = ExplainDocument["steps"][number];
export type Trace = Reply<"fire">;
export type Step = Trace["steps"][number];
export type Attempt = Step["attempts"][number];
export type Notice = Trace["notices"][number];
export type Edit = Step["edits"][number];
export type Gate = ExplainStep["gates"][number];
export type GateName = Gate["gate"];
export type NearMiss = NonNullable<Gate["near_miss"]>;
export type GateFix = NonNullable<Gate["fixes"]>[number];
export type Outcome = Step["outcome"];
export type Verdict = Trace["verdict"];
export type VerdictKind = Verdict["kind"];
export type Layer = HookRow["layer"];
export type HistoryRow = Reply<"history.page">["traces"][number];
export type TrustReview = Reply<"trust.review">;
/** The program that registered a session hook. */
export type AgentProgram = NonNullable<TrustReview["agent"]>;
export type TrustItem = Reply<"trust.list">["pending"][number];
export type AgentRow = Reply<"agents.list">["agents"][number];
export type AgentLogLine = Reply<"agents.log">["lines"][number];
export type RunningChain = Reply<"chains.list">["chains"][number];
export type RunningStep = RunningChain["steps"][number];
export type AgentTestRun = Reply<"chains.list">["at_agents"][number];
export type AgentAnswer = Reply<"agents.fire">;
export type SimulateDocument = Reply<"simulate">;
export type LlmCall = SimulateDocument["llm_calls"][number];
export type SeenMessage = LlmCall["messages"][number];
export type ScenarioRow = Reply<"scenarios">["scenarios"][number];
export type ScenarioReading = Reply<"scenarios.read">;
export type Scenario = NonNullable<ScenarioReading["scenario"]>;
export type ScenarioProblem = NonNullable<ScenarioReading["problem"]>;
export type ScenarioChange = NonNullable<Params<"scenarios.read">["changes"]>[number];
export type Sample = Reply<"samples.list">["samples"][number];
export type HookTemplate = Reply<"templates.list">["templates"][number];
export type TemplateKind = HookTemplate["kind"];
export type FirstValue = HookTemplate["fields"][number];
export type TemplateField = FirstValue["field"];
export type GuardDraft = NonNullable<Reply<"guards.draft">["guard"]>;
export type Settings = Reply<"settings.get">;

export type Push = GeneratedPush;
export type PushOf<K extends Push["kind"]> = Extract<Push, { kind: K }>;
export type Topic = PushOf<"stale">["what"][number];

/** A sentence of the engine: English beside the code and arguments it can be written from. */
export interface Message {
  code?: string | null;
  args?: Record<string, unknown> | null;
  /** The line of a script that a problem was found in. */
  in?: { path: string; line: number; also?: number[] };
}
