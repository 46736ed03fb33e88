//! The hooks that agents registered, for `hookwright trust`: only the running engine knows them (`CONTRACTS.md` §3.1).

use std::path::Path;

use hookwright_app::agent_programs::is_program_id;
use hookwright_app::dto::{Pending, ReviewDoc, TrustDoc, TrustItem};
use hookwright_app::fault::ENGINE_NOT_RUNNING;
use hookwright_app::{App, Fault};
use serde_json::json;

use crate::output::{Output, pluralize};
use crate::running_engine;

/// The hooks of the agents of one project that need an approval.
pub struct RegisteredHooks<'a> {
    app: &'a App,
    project: String,
    /// Those that wait. Hooks of several sessions can have the same id.
    pub pending: Vec<TrustItem>,
    /// Those that are approved.
    pub approved: Vec<TrustItem>,
    /// Those that are denied.
    pub denied: Vec<TrustItem>,
}

impl<'a> RegisteredHooks<'a> {
    /// Asks the running engine. Without one there are none.
    pub async fn of_running_engine(app: &'a App, output: &Output, project: &Path) -> Self {
        let project = project.display().to_string();
        let asked = running_engine::ask::<TrustDoc>(app, "trust.list", json!({ "project": project })).await;
        let doc = asked.unwrap_or_else(|fault| {
            if fault.code != ENGINE_NOT_RUNNING.code {
                output.print_note(format!("hooks of connected agents are not listed: {fault}"));
            }
            TrustDoc {
                pending: Vec::new(),
                approved: Vec::new(),
                denied: Vec::new(),
                problems: Vec::new(),
            }
        });
        let of_agents = |items: Vec<TrustItem>| items.into_iter().filter(|item| item.kind == "session_hook").collect();
        Self {
            app,
            project,
            pending: of_agents(doc.pending),
            approved: of_agents(doc.approved),
            denied: of_agents(doc.denied),
        }
    }

    /// Whether an agent registered a hook of this id.
    pub fn has(&self, id: &str) -> bool {
        let mut all = self.pending.iter().chain(&self.approved).chain(&self.denied);
        all.any(|item| item.hook == id)
    }

    /// Whether a hook of this id waits.
    pub fn is_pending(&self, id: &str) -> bool {
        self.pending.iter().any(|item| item.hook == id)
    }

    /// Prints how many commands of agents wait, which only an approval by name covers.
    pub fn print_waiting(&self, output: &Output) {
        if let (Some(first), count) = (self.pending.first(), self.pending.len()) {
            output.print_note(format!(
                "{} that agents registered {}; approve each by name, such as `hookwright trust {}`",
                pluralize(count, "command"),
                if count == 1 { "waits" } else { "wait" },
                first.hook
            ));
        }
    }

    /// The ids of the named hooks; without names, of those that wait. An id stands here once for each that waits.
    pub fn chosen(&self, named: &[String]) -> Vec<String> {
        let pending = self.pending.iter().map(|item| item.hook.clone());
        if named.is_empty() {
            return pending.collect();
        }
        let programs = named.iter().filter(|id| is_program_id(id)).cloned();
        let is_done = |item: &&TrustItem| !self.is_pending(&item.hook);
        let decided = self.approved.iter().chain(&self.denied);
        let decided = decided.filter(is_done).map(|item| item.hook.clone());
        pending
            .chain(decided)
            .filter(|id| named.contains(id))
            .chain(programs)
            .collect()
    }

    /// What an approval of the next hook of this id would cover.
    ///
    /// # Errors
    /// The agent or the engine has left.
    pub async fn review(&self, id: &str) -> Result<ReviewDoc, Fault> {
        let params = json!({ "project": self.project, "hook": id });
        running_engine::ask(self.app, "trust.review", params).await
    }

    /// Approves exactly what was reviewed.
    ///
    /// # Errors
    /// It changed, cannot be approved, or the engine has left.
    pub async fn approve(&self, review: &ReviewDoc) -> Result<(), Fault> {
        let params = json!({ "project": self.project, "hook": review.hook, "fingerprint": review.fingerprint });
        let _: Pending = running_engine::ask(self.app, "trust.approve", params).await?;
        Ok(())
    }

    /// Denies exactly what was reviewed.
    ///
    /// # Errors
    /// It changed, or the engine has left.
    pub async fn deny(&self, review: &ReviewDoc) -> Result<(), Fault> {
        let params = json!({ "project": self.project, "hook": review.hook, "fingerprint": review.fingerprint });
        let _: Pending = running_engine::ask(self.app, "trust.deny", params).await?;
        Ok(())
    }

    /// Revokes what was decided about a hook. Returns its definition if it was approved or denied.
    ///
    /// # Errors
    /// The agent or the engine has left.
    pub async fn revoke(&self, id: &str) -> Result<Option<String>, Fault> {
        let mut decided = self.approved.iter().chain(&self.denied);
        let decided = decided.find(|item| item.hook == id);
        let params = json!({ "project": self.project, "hook": id });
        let _: Pending = running_engine::ask(self.app, "trust.revoke", params).await?;
        Ok(decided.map(|item| item.definition.clone()))
    }
}
