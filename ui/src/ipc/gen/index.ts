// Generated from the command list in `app::commands`; do not edit by hand.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Args = Record<string, unknown>;

export type Outcome =
  | "not_matched" | "skipped" | "no_opinion" | "allowed" | "changed" | "asked" | "denied"
  | "failed_open" | "failed_closed" | "timed_out_open" | "timed_out_closed" | "detached";
export type VerdictKind =
  | "proceed" | "approve" | "respond" | "ask" | "skip" | "deny" | "retry" | "stop" | "end_turn" | "end_session";
export type Origin = "cli" | "window" | "agent" | "simulated" | "replay" | "test" | "reported";
export type SkipReason =
  | "untrusted" | "disabled" | "muted" | "chain_ended" | "budget_spent" | "invalid" | "agent_runs_it" | "cancelled";
export type Layer = "builtin" | "user" | "project" | "session" | "skill";
export type GateName = "valid" | "trusted" | "enabled" | "event" | "filter" | "chain";

export interface Problem {
  code: string; severity: "error" | "warning" | "hint"; path: string; line: number | null; column: number | null;
  message: string; hint: string | null; hook: string | null; args: Args;
}
export interface Source { layer: Layer; path: string; line: number }
export interface Gate {
  gate: GateName; pass: boolean; why?: string | null;
  near_miss?: "case" | "blanks" | "spelling" | "missing_field" | null; code?: string | null; args?: Args;
}
export interface Edit { field: string; before: unknown; after: unknown; truncated: boolean }
export interface Ignored { what: string; why: string; code: string; args: Args }
export interface Attempt {
  end: "exit" | "signal" | "timed_out" | "cancelled" | "not_started" | "replied" | "refused" | "peer_gone" | "done";
  code: number | null; stdin: string; stdout: string; stderr: string;
  started_ms: number; took_ms: number; truncated: boolean;
  signal: number | null; command: string[]; cwd: string | null; env: string[];
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
  trace: string; dialect: string; event: string; origin: Origin; session: string | null; agent: string | null;
  project: string | null; at: string; took_ms: number; verdict: Verdict;
  payload_before: Record<string, unknown>; payload_after: Record<string, unknown>; bodies_removed_days?: number | null; reply: { json: unknown; exit_code: number; stderr: string };
  notices: Notice[]; steps: Step[]; redacted?: boolean;
}
export interface HistoryRow {
  trace: string; dialect: string; event: string; origin: Origin; session: string | null; agent: string | null;
  project: string | null; at: string; took_ms: number; verdict: Verdict; notices: Notice[]; redacted?: boolean;
  outcomes: Outcome[]; reasons: (string | null)[]; about: string;
}
export interface HookRow {
  hook: string; dialect: string; event: string; label: string; layer: Layer; path: string; line: number;
  handler: string; filter: unknown; timeout_ms: number; attempts: number; on_failure: "open" | "closed"; rank: number | null;
  position: number | null; mode: "await" | "detach"; enabled: boolean; trusted: boolean; muted: boolean;
  muted_until: string | null; shadowed_by: string | null; wrapped: boolean; valid: boolean; definition: unknown; accepts: string[]; verdicts: VerdictKind[];
}
export interface SourceRow { dialect: string; layer: Layer; path: string; exists: boolean; hooks: number; last_good: boolean }
export interface HookBar { at: string; outcomes: { [outcome in Outcome]?: number } }
export interface HookStats {
  hook: string; project: string | null; label: string; dialect: string; event: string; runs: number;
  outcomes: { [outcome in Outcome]?: number }; attempts: number; total_ms: number; p50_ms: number; p95_ms: number;
  p99_ms: number; max_ms: number; timeouts: number; chars_added: number; native: Record<string, number>; bars: HookBar[];
}
export interface ExplainStep {
  hook: string; label: string; source: Source; would_run: boolean; position: number | null; gates: Gate[]; handler: string; event: string;
}
export interface ExplainDocument { dialect: string; event: string; payload: Record<string, unknown>; steps: ExplainStep[] }
export interface TrustItem {
  kind: string; hook: string; project: string; definition: string; files: { path: string; hash: string }[];
  old: { definition: string; files: { path: string; hash: string }[]; at: string } | null;
}
export interface Bilingual { en: string; zh: string }
export interface FieldInfo { name: string; kind: string; about: Bilingual }
export interface EventInfo {
  name: string; group: Bilingual; about: Bilingual; notify_only: boolean;
  fields: FieldInfo[]; accepts: FieldInfo[]; verdicts: VerdictKind[];
}
export interface ProjectRow { path: string; name: string; exists: boolean; last_used: string | null }
export interface SettingsDocument { values: Record<string, Record<string, unknown>>; problems: Problem[]; path: string }

export interface Commands {
  state: {
    params: { project?: string };
    reply: {
      version: string;
      engine: { mode: string; pid: number; socket: string | null; listening: boolean };
      projects: ProjectRow[]; project: string | null; first_start: boolean; redaction: boolean;
      watching: { sources: number; live: boolean; why: string | null };
      store: { traces: number; bytes: number; ok: boolean; why: string | null; dropped_bodies: number };
      pending: number; model: { configured: boolean; why: string | null; code: string | null; args: Args };
      platform: string; data_dir: string; window: boolean; shell: string;
    };
  };
  dialects: { params: Record<string, never>; reply: { dialects: { id: string; name: string; tag: string; about: Bilingual; events: EventInfo[] }[] } };
  "projects.add": { params: { path: string }; reply: { projects: ProjectRow[] } };
  "projects.remove": { params: { path: string }; reply: { projects: ProjectRow[] } };
  "projects.use": { params: { path: string }; reply: { projects: ProjectRow[] } };
  "sample.open": { params: Record<string, never>; reply: { path: string } };
  "hooks.list": { params: { project: string }; reply: { hooks: HookRow[]; problems: Problem[]; sources: SourceRow[] } };
  "hooks.text": { params: { project: string; path: string }; reply: { path: string; text: string; problems: Problem[]; last_good: boolean } };
  "hooks.refresh": { params: Record<string, never>; reply: Record<string, never> };
  stats: { params: { project?: string; since_ms: number }; reply: { since: string; hooks: HookStats[] } };
  explain: { params: { project: string; dialect: string; event: string; payload: Record<string, unknown> }; reply: ExplainDocument };
  fixtures: {
    params: { project: string; dialect?: string };
    reply: { fixtures: { dialect: string; event: string; name: string; about: Bilingual; payload: Record<string, unknown> }[] };
  };
  fire: {
    params: { run: string; project: string; dialect: string; event: string; payload: Record<string, unknown>; session?: string };
    reply: Trace;
  };
  "fire.stop": { params: { run: string }; reply: { stopped: boolean } };
  "fire.command_line": { params: { project: string; dialect: string; event: string; payload: Record<string, unknown> }; reply: { text: string } };
  "history.page": {
    params: { project?: string; limit: number; after?: string; dialect?: string; event?: string; outcome?: Outcome; verdict?: VerdictKind; hook?: string };
    reply: { traces: HistoryRow[]; next: string | null };
  };
  "history.show": { params: { trace: string }; reply: Trace };
  "history.bars": { params: { project?: string; since_ms: number; buckets: number }; reply: { buckets: HookBar[] } };
  "trust.list": { params: { project: string }; reply: { pending: TrustItem[]; approved: TrustItem[] } };
  "trust.review": {
    params: { project: string; hook: string };
    reply: {
      hook: string; event: string; label: string; path: string; line: number; definition: string; fingerprint: string;
      files: { path: string; hash: string; text: string | null; size: number }[];
      not_covered: { why: string; code: string; args: Args }[]; trusted: boolean;
      old: { definition: string; files: { path: string; hash: string }[]; at: string } | null;
    };
  };
  "trust.approve": { params: { project: string; hook: string; fingerprint: string }; reply: { pending: number } };
  "trust.revoke": { params: { project: string; hook: string }; reply: { pending: number } };
  mute: { params: { project: string; hook: string; for_ms?: number }; reply: Record<string, never> };
  unmute: { params: { project: string; hook: string }; reply: Record<string, never> };
  "settings.get": { params: Record<string, never>; reply: SettingsDocument };
  "settings.set": { params: { key: string; value: unknown }; reply: SettingsDocument };
  "settings.redact": { params: { text: string }; reply: { text: string; masked: number } };
}

export type Topic = "hooks" | "history" | "trust" | "settings" | "state" | "projects" | "stats";
export type Push =
  | { kind: "stale"; what: Topic[] }
  | { kind: "traces"; rows: HistoryRow[] }
  | { kind: "notice"; code: string; text: string; args: Args }
  | { kind: "engine"; state: "stopped" | "running" }
  | { kind: "navigate"; to: string; project: string | null };
