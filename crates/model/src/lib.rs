//! The words of Hookwright as types.
//!
//! What it is: everything two rooms of the house talk about (events, hooks, chains, runs, traces, problems) and the
//! traits between them ([`Dialect`], [`Runner`], [`Clearance`]).
//!
//! What it deliberately does not do: it has no verbs that touch the world. No file is read here, no process started,
//! no clock asked, no runtime needed.
//!
//! How it works: the *documents* ([`trace`], [`problem`], [`listing`]) are what leaves the program as JSON; they derive
//! serde, JSON Schema and TypeScript. The *live* types ([`Hook`], [`Event`], [`Run`]) are what the engine works with.

pub mod chain;
pub mod deep;
pub mod dialect;
pub mod edit;
pub mod event;
pub mod hook;
pub mod listing;
pub mod map;
pub mod matcher;
pub mod outcome;
pub mod peer;
pub mod ports;
pub mod problem;
pub mod run;
pub mod saying;
pub mod simulate;
pub mod spaced;
pub mod term;
pub mod trace;

pub use chain::{Additions, Answer, Ask, ChainPolicy, Decides, Decoded, FAN_WIDTH, Flow, Order, Resolution, Seat};
pub use dialect::{
    Card, Dialect, DirOf, DirVar, EventMethod, Ground, HEAD_BYTES, InnerFolder, LintDesk, MAX_FILE_HOOKS, Manners,
    Parsed, Places, Reads, Rival, Rivalry, Root, SessionState, Settled, SourceFile, SourceTree,
};
pub use edit::{
    Change, EditDesk, EditPlan, Editing, Expected, FileChange, FileKind, Former, Given, HookKey, Intention, Past, Shelf,
};
pub use event::{Event, EventSpec, Facts, FieldKind, FieldSpec, Merge, Origin, OutputKind, OutputSpec, Payload, Text};
pub use hook::{Command, Cover, EVERY_EVENT, Handler, Hook, HookId, Layer, Mode, Off, OnFailure, Source};
pub use listing::{ExplainDoc, ExplainStep, HookRow, InList, ListDoc, SourceRow};
pub use map::{LabelSide, LifeMap, LineEnd, MapEvent, MapFrame, MapLine, MapMoment};
pub use matcher::{Anchor, Clause, Condition, Match, Pattern, Test};
pub use outcome::{Counts, Outcome, SkipReason, ToolCalls, ToolCounts, VerdictKind};
pub use peer::{Heard, Loads, PeerCall, PeerMessage, PeerRules, Welcome, Wire};
pub use ports::{Cancelled, Clearance, Cleared, Clock, Instead, RunOrder, Runner};
pub use problem::{Code, Problem, Severity, Spot};
pub use run::{Call, Captured, End, ProcessCall, Program, PromptCall, Run, Ungreeted};
pub use saying::{Args, Saying, Words};
pub use simulate::{
    LlmCall, Message, MessageOrigin, Persisted, Played, Prompts, Scenario, SeenMessage, SimulateDoc, Stage, ToolCall,
    Turn, TurnStep,
};
pub use trace::{
    Attempt, Edit, Gate, GateName, Ignored, NearMiss, Notice, NoticeKind, Removal, Reply, SourceRef, Step, Trace,
    Verdict,
};
