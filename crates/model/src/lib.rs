//! The shared types of Hookwright: events, hooks, chains, runs, traces and problems. The traits between the crates are
//! here too: [`Dialect`], [`Runner`], [`PreSpawnCheck`].
//!
//! This crate has no side effects: it reads no file, starts no process, reads no clock and needs no runtime.
//!
//! There are two kinds of types. *Documents* ([`trace`], [`problem`], [`listing`]) leave the program as JSON and derive
//! serde, JSON Schema and TypeScript. *Live* types ([`Hook`], [`Event`], [`Run`]) are what the engine works with.

// The types are the contracts; their comments become the descriptions of the schemas.
#![warn(missing_docs)]

pub mod agent_trust;
pub mod catalog;
pub mod chain;
pub mod clock;
pub mod compact;
pub mod conversation;
pub mod definition;
pub mod dialect;
pub mod edit;
pub mod edit_doc;
pub mod event;
pub mod exact_json;
pub mod filter_key;
pub mod glossary;
pub mod health;
pub mod hook;
mod hook_template;
pub mod journal;
pub mod json_depth;
pub mod json_size;
pub mod lifecycle_map;
pub mod listing;
pub mod matcher;
pub mod message;
pub mod outcome;
pub mod output_problem;
pub mod peer;
pub mod ports;
pub mod problem;
pub mod prompt_rendering;
pub mod python_json;
pub mod request_list;
pub mod run;
pub mod session_hook;
pub mod simulate;
pub mod source_tree;
pub mod status;
mod token_usage;
pub mod trace;

pub use agent_trust::{AgentTrust, AgentTrustChange, AgentTrustContext, AgentTrustEdit, AgentTrustFact, ReadText};
pub use catalog::Catalog;
pub use chain::{
    Additions, ChainPolicy, Decision, Decoded, FAN_WIDTH, Flow, HookOutput, Order, Placement, Reasons, Resolution,
    VerdictRule,
};
pub use clock::{AgeClock, Ages, Clock, ClockReading, Uptime};
pub use compact::CompactTrace;
pub use conversation::{Conversation, ConversationRead, NoMemory};
pub use dialect::{
    BlockingOutput, BrokenFile, Card, CommandSpec, CommandStart, ConflictReport, Dialect, DialectSetting,
    DialectSettings, DirOf, DirProbe, DirVar, EngineVars, FileText, Files, InnerFolder, Life, LintContext, Locations,
    POWER_SHELL, Parsed, ReplacementRule, Replacements, SettingsRule, Wire,
};
pub use edit::{
    EditContext, EditPlan, EditRequest, EditSupport, FieldValue, FileChange, FileKind, Former, HookChange, HookKey,
    Past, TargetLayer,
};
pub use edit_doc::{
    DiffHunk, EditDoc, EditKind, EditRow, EditsDoc, FileDiff, ModeChange, RelayTrust, TurnedTo, UndoDoc,
    WholeFileChange,
};
pub use event::{
    Bilingual, Event, EventConnection, EventDefaults, EventSpec, FieldKind, FieldSpec, Merge, Origin, OutputKind,
    OutputSpec, Payload, text,
};
pub use filter_key::{FilterChoices, FilterKey, FilterSpec, FilterSubject, FilterTest, OtherNames, WithoutSubject};
pub use health::{BLOCK_EXIT_CODE, Diagnosis, Health, HealthState, OnFailureEffect, StartFault};
pub use hook::{
    AgentProgram, ApprovalScope, Command, DisabledReason, EVERY_EVENT, FieldPositions, Handler, Hook, HookId,
    HttpTarget, Layer, OnFailure, PathStep, PlacedBy, RunMode, Source,
};
pub use hook_template::{FirstValue, HookTemplate, TemplateField, TemplateKind};
pub use journal::{Follower, Journal, JournalBatch, JournalEntry, JournalHub, QueueLimits, SpoolLine};
pub use lifecycle_map::{EdgeEnd, LabelSide, LifecycleMap, MapAction, MapEdge, MapEvent, MapFrame};
pub use listing::{
    ExplainDoc, ExplainStep, GroupFault, HookChain, HookGroup, HookListDoc, HookRow, ListDoc, ListPosition, SourceRow,
    TurnedOffHook,
};
pub use matcher::{Anchor, Clause, Condition, Match, Pattern, Predicate, Rule, SubjectForm};
pub use message::{Args, Message, MessageTemplate};
pub use outcome::{HookCounts, Outcome, SkipReason, ToolCalls, ToolCounts, VerdictKind};
pub use output_problem::{OutputMark, OutputProblem, OutputStream};
pub use peer::{CodePathVars, Handshake, PeerCall, PeerLine, PeerMessage, PeerProtocol, PeerRules};
pub use ports::{
    AgentCalls, Cancelled, ChainTimer, OtherDir, PlaceRequest, PreSpawnCheck, RunContext, RunPlace, RunProgress,
    Runner, SpawnApproval,
};
pub use problem::{Code, FieldReplacement, FileFix, FixChange, HealthFault, Problem, Severity, TextPosition};
pub use prompt_rendering::{PromptPart, PromptPartKind, PromptRendering, PromptSupport, PromptVariable};
pub use request_list::{InsertedText, Insertion, RequestBegin, RequestList};
pub use run::{
    Call, CallbackCall, Captured, End, HeldPipe, HttpCall, NoHandshake, ProcessCall, Program, PromptCall, Provider, Run,
};
pub use session_hook::{SessionRegistration, session_hook_at};
pub use simulate::{
    ChatMessage, Lifetime, LlmCall, MessageOrigin, Persisted, Prompts, Scenario, SeenMessage, SimulateDoc,
    SimulationHost, SimulationResult, TextInsertion, ToldTurn, ToolCall, Turn, TurnStep, UserText,
};
pub use source_tree::{HEAD_BYTES, MAX_FILE_HOOKS, MAX_FILE_PROBLEMS, Root, RootKind, SourceFile, SourceTree};
pub use status::StatusDoc;
pub use token_usage::token_counters;
pub use trace::{
    Attempt, ConditionFix, FieldEdit, Gate, GateFix, GateName, Ignored, NearMiss, Notice, NoticeKind, Removal, Reply,
    SourceRef, Step, Trace, Verdict,
};
