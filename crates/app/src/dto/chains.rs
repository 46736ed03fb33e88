//! The chains that run now, and how one of them is stopped.

use hookwright_model::{Origin, Outcome};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How far a step of a running chain has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum StepPhase {
    /// Its turn has not come.
    Waiting,
    /// It runs.
    Running,
    /// It has ended.
    Ended,
}

dto! {
    /// The reply of `chains.list`.
    struct ChainsDoc {
        /// The chains that run in this engine for at least 400 ms, oldest first.
        chains: Vec<RunningChain>,
        /// The test events that connected agents run.
        at_agents: Vec<AgentTestRun>,
        /// How many more run than are listed.
        more: u32,
    }
    /// A chain that runs now. All texts are masked.
    struct RunningChain {
        /// The id of its trace.
        trace: String,
        /// Dialect id.
        dialect: String,
        /// The event in the dialect's spelling.
        event: String,
        /// Where the event comes from.
        origin: Origin,
        /// The session id of the agent; `null` without a session.
        session: Option<String>,
        /// The name of the agent; `null` without one.
        agent: Option<String>,
        /// The project directory.
        project: String,
        /// The name of the run, from the request that started it; `null` for the event of an agent.
        run: Option<String>,
        /// When the event was fired.
        #[ts(type = "string")]
        #[schemars(with = "String")]
        at: Timestamp,
        /// The time since the chain began, in milliseconds.
        elapsed_ms: u64,
        /// The hooks that run, in run order. Hooks that do not run are not listed.
        steps: Vec<RunningStep>,
    }
    /// One step of a running chain.
    struct RunningStep {
        /// The id of the hook.
        hook: String,
        /// The hook's label.
        label: String,
        /// Its place among the hooks of this chain that run, from 1.
        number: u32,
        /// How far it has come.
        phase: StepPhase,
        /// How it ended; `null` before, and while hooks that began together with it still run.
        outcome: Option<Outcome>,
        /// How many attempts have begun.
        attempts: u32,
        /// The time since its first attempt began, or from then to its end, in milliseconds; `null` before.
        elapsed_ms: Option<u64>,
        /// The time limit of an attempt, in milliseconds.
        timeout_ms: u64,
        /// The complete lines that the present attempt wrote to stderr, at most the last 16 KiB. Empty for other steps.
        stderr: String,
        /// Whether earlier lines are left out.
        truncated: bool,
    }
    /// A test event that a connected agent runs. Agents do not report how far they are.
    struct AgentTestRun {
        /// The name of the run, from the request that started it.
        run: String,
        /// The agent's name.
        agent: String,
        /// The session id.
        session: String,
        /// Dialect id.
        dialect: String,
        /// The event in the dialect's spelling.
        event: String,
        /// The time since the agent was asked, in milliseconds.
        elapsed_ms: u64,
    }
    /// The request of `chains.stop`.
    struct ChainStopRequest {
        /// The id of the chain's trace.
        trace: String,
    }
}
