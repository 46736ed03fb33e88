// Generated from the command list in `app::commands`; do not edit by hand.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Args = { [key: string]: Json };

export type Outcome =
  | "not_matched" | "skipped" | "no_opinion" | "allowed" | "changed" | "asked" | "denied"
  | "failed_open" | "failed_closed" | "timed_out_open" | "timed_out_closed" | "detached";
export type VerdictKind =
  | "proceed" | "approve" | "respond" | "ask" | "skip" | "deny" | "retry" | "stop" | "end_turn" | "end_session";
export type SkipReason =
  | "untrusted" | "disabled" | "muted" | "chain_ended" | "budget_spent" | "invalid" | "agent_runs_it" | "cancelled";
export type Layer = "builtin" | "user" | "project" | "session" | "skill";
export type GateName = "valid" | "trusted" | "enabled" | "event" | "filter" | "chain";

export interface Problem {
  code: string; severity: "error" | "warning" | "hint"; path: string; line: number | null; column: number | null;
  message: string; hint: string | null; hook: string | null; args: Args;
}
export interface Source { layer: Layer; path: string; line: number | null }
export interface Gate {
  gate: GateName; pass: boolean; why?: string | null;
  near_miss?: "case" | "blanks" | "spelling" | "missing_field" | null; code?: string | null; args?: Args;
}
export interface Edit { field: string; before: Json; after: Json; truncated?: boolean }
export interface Ignored { what: string; why: string; code: string; args: Args }
export interface Attempt {
  end: "exit" | "signal" | "timed_out" | "cancelled" | "not_started" | "replied" | "refused" | "peer_gone" | "done";
  code: number | null; stdin: string; stdout: string; stderr: string;
  started_ms: number; took_ms: number; truncated: boolean;
}
export interface Step {
  hook: string; label: string; position: number | null; source: Source; handler: string; outcome: Outcome;
  reason: string | null; code?: string | null; args?: Args;
  gates: Gate[]; edits: Edit[]; ignored: Ignored[]; attempts: Attempt[];
}
export interface Notice { kind: string; text: string; hook: string | null; code: string | null; args: Args }
export interface Verdict {
  kind: VerdictKind; reason: string | null; feedback: string | null; by: string | null; code: string | null; args: Args;
}
export interface Trace {
  trace: string; dialect: string; event: string; origin: string; session: string | null; agent: string | null;
  project: string | null; at: string; took_ms: number; verdict: Verdict;
  payload_before: Json; payload_after: Json; reply: { json: Json; exit_code: number; stderr: string };
  notices: Notice[]; steps: Step[]; redacted?: boolean;
}
export interface HistoryRow {
  trace: string; dialect: string; event: string; origin: string; session: string | null; agent: string | null;
  project: string | null; at: string; took_ms: number; verdict: Verdict; notices: Notice[]; redacted?: boolean;
  outcomes: Outcome[];
}
export interface HookRow {
  hook: string; dialect: string; event: string; label: string; layer: Layer; path: string; line: number | null;
  handler: string; filter: Json; timeout_ms: number | null; attempts: number; on_failure: "open" | "closed"; rank: number | null;
  position: number | null; mode: "await" | "detach"; enabled: boolean; trusted: boolean; muted: boolean;
  muted_until: string | null; shadowed_by: string | null; fingerprint: string | null; accepts: string[]; verdicts: string[];
}
export interface SourceRow { dialect: string; layer: Layer; path: string; exists: boolean; hooks: number; last_good: boolean }
export interface HookBar { at: string; outcomes: { [outcome: string]: number } }
export interface HookStats {
  hook: string; project: string | null; label: string; dialect: string; event: string; runs: number;
  outcomes: { [outcome: string]: number }; attempts: number; total_ms: number; p50_ms: number; p95_ms: number;
  p99_ms: number; max_ms: number; timeouts: number; native: Json; bars: HookBar[];
}
export interface ExplainStep {
  hook: string; label: string; source: Source; would_run: boolean; position: number | null; gates: Gate[]; handler?: string;
}
export interface ExplainDocument { dialect: string; event: string; payload: Json; steps: ExplainStep[] }
export interface TrustItem {
  kind: string; hook: string; project: string | null; definition: Json; files: { path: string; hash: string }[]; old: Json;
}
export interface EventInfo {
  name: string; group: string; about: { en: string; zh: string }; notify_only: boolean;
  fields: { name: string; kind: string }[]; accepts: string[]; verdicts: string[];
}
export interface ProjectRow { path: string; name: string; exists: boolean; last_used: string | null }
export interface SettingsDocument { values: { [section: string]: { [key: string]: Json } }; problems: Problem[]; path: string }

export interface Commands {
  state: {
    params: { project?: string };
    reply: {
      version: string;
      engine: { mode: "embedded" | "attached" | "serve"; pid: number; socket: string | null; listening: boolean };
      projects: ProjectRow[]; project: string | null; first_start: boolean; redaction: boolean;
      watching: { sources: number; live: boolean; why: string | null };
      store: { traces: number; bytes: number; ok: boolean; why: string | null };
      pending: number; model: { configured: boolean; why: string | null };
      platform: string; data_dir: string; window: boolean;
    };
  };
  dialects: { params: Record<string, never>; reply: { dialects: { id: string; name: string; tag: string; events: EventInfo[] }[] } };
  "projects.add": { params: { path: string }; reply: { projects: ProjectRow[] } };
  "projects.remove": { params: { path: string }; reply: { projects: ProjectRow[] } };
  "projects.use": { params: { path: string }; reply: { projects: ProjectRow[] } };
  "sample.open": { params: Record<string, never>; reply: { path: string } };
  "hooks.list": { params: { project: string }; reply: { hooks: HookRow[]; problems: Problem[]; sources: SourceRow[] } };
  "hooks.text": { params: { project: string; path: string }; reply: { path: string; text: string; problems: Problem[] } };
  stats: { params: { project: string; since_ms: number }; reply: { since: string; hooks: HookStats[] } };
  explain: { params: { project: string; dialect: string; event: string; payload: Json }; reply: ExplainDocument };
  fixtures: {
    params: { project: string; dialect?: string };
    reply: { fixtures: { dialect: string; event: string; name: string; about: string; payload: Json }[] };
  };
  fire: {
    params: { run: string; project: string; dialect: string; event: string; payload: Json; session?: string };
    reply: Trace;
  };
  "fire.stop": { params: { run: string }; reply: { stopped: boolean } };
  "fire.plan": { params: { project: string; dialect: string; event: string; payload: Json }; reply: ExplainDocument };
  "fire.command_line": { params: { project: string; dialect: string; event: string; payload: Json }; reply: { text: string } };
  "history.page": {
    params: { project?: string; limit: number; after?: string; event?: string; outcome?: string; hook?: string };
    reply: { traces: HistoryRow[]; next: string | null };
  };
  "history.show": { params: { trace: string }; reply: Trace };
  "history.bars": { params: { project?: string; since_ms: number; buckets: number }; reply: { buckets: HookBar[] } };
  "trust.list": { params: { project: string }; reply: { pending: TrustItem[]; approved: TrustItem[] } };
  "trust.review": {
    params: { project: string; hook: string };
    reply: {
      hook: string; event: string; label: string; definition: string; fingerprint: string;
      files: { path: string; hash: string; text: string | null; binary: boolean; size: number }[];
      not_covered: { what: string; why: string; code: string; args: Args }[];
      old: { definition: string; files: { path: string; hash: string }[] } | null;
    };
  };
  "trust.approve": { params: { project: string; hook: string; fingerprint: string }; reply: { pending: number } };
  "trust.revoke": { params: { project: string; hook: string }; reply: { pending: number } };
  mute: { params: { project: string; hook: string; for_ms?: number | null }; reply: Record<string, never> };
  unmute: { params: { project: string; hook: string }; reply: Record<string, never> };
  "settings.get": { params: Record<string, never>; reply: SettingsDocument };
  "settings.set": { params: { key: string; value: Json }; reply: SettingsDocument };
  "settings.redact": { params: { text: string }; reply: { text: string; masked: number } };
  "login.get": { params: Record<string, never>; reply: { on: boolean } };
  "login.set": { params: { on: boolean }; reply: { on: boolean } };
}

export type Topic = "hooks" | "history" | "trust" | "settings" | "state" | "projects" | "stats";
export type Push =
  | { kind: "stale"; what: Topic[] }
  | { kind: "traces"; rows: HistoryRow[] }
  | { kind: "notice"; code: string; text: string; args: Args }
  | { kind: "engine"; state: "stopped" | "running" }
  | { kind: "navigate"; to: string; project?: string };
