//! The commands about connected agents: who is connected, what they send, and a test event for one of them.

mod disconnect;
pub(crate) mod find;
mod listing;
mod log;
mod missing_programs;
pub(crate) mod test_fire;

pub use disconnect::{AgentDisconnectRequest, agents_disconnect};
use find::{WantedSession, find_session};
pub use listing::{AgentConnectionRow, AgentIdentity, AgentRow, AgentsDoc, SessionHookRow, agents_list};
pub use log::{AgentLogDoc, AgentLogLine, AgentLogRequest, agents_log};
pub use missing_programs::MissingProgram;
pub use test_fire::{AgentFireDoc, AgentFireRequest, agents_fire};
