//! The commands about connected agents: who is connected, and a test event for one of them.

mod listing;
pub(crate) mod test_fire;

pub use listing::{AgentIdentity, AgentRow, AgentsDoc, agents_list};
pub use test_fire::{AgentFireDoc, AgentFireRequest, agents_fire};
