//! Agent programs that may register commands without a review: "always for this agent" (`CONTRACTS.md` §3).
//!
//! A program is reviewed, approved and revoked by the same commands as a hook, under the id `<dialect>:agent:<name>`.
//! It never waits by itself: its hooks do.

use std::sync::Arc;

use hookwright_model::{AgentProgram, Hook, Message, args};
use hookwright_workspace::trust::AllowedAgent;

use crate::app::App;
use crate::dto::{AgentProgramRow, ReviewDoc, Sentence, TrustItem};
use crate::fault::Fault;

hookwright_model::messages! {
    /// What an approval of a program means.
    ALLOWS_COMMANDS = "agent_program" { "once approved, every command that {program} registers as {name} runs without a review, in every project", "批准后，{program} 以 {name} 的名义注册的每条命令都不经审阅即执行，对所有项目生效" };
    /// The program is one that runs scripts of others.
    ANY_SCRIPT = "agent_program" / "script" { "if {program} runs scripts, each script can use this name", "如果 {program} 会执行脚本，则任何脚本都可以使用此名称" };
    /// No agent of this name waits or is approved.
    UNKNOWN_PROGRAM = "unknown_agent_program" { "unknown agent program {id}: no connected agent of this name has registered a command", "未知的 Agent 程序 {id}：没有使用此名称的已连接 Agent 注册过命令" } hint { "run `hookwright trust --list` to see what waits and what is approved", "执行 `hookwright trust --list` 可查看等待批准和已批准的内容" };
}

/// The part of an id after the dialect that marks a program.
const MARK: &str = ":agent:";

/// The id under which a program is reviewed.
fn id_of(dialect: &str, name: &str) -> String {
    format!("{dialect}{MARK}{name}")
}

/// Whether this is the id of a program, and not of a hook.
#[must_use]
pub fn is_program_id(id: &str) -> bool {
    parse(id).is_some()
}

/// The dialect and the name.
fn parse(id: &str) -> Option<(&str, &str)> {
    let (dialect, name) = id.split_once(MARK)?;
    (!dialect.contains(':')).then_some((dialect, name))
}

/// The program that registered a hook, for its review.
pub(crate) fn row_of(hook: &Hook) -> Option<AgentProgramRow> {
    let program = hook.registered_by.as_ref()?;
    Some(AgentProgramRow {
        id: id_of(hook.dialect, &program.name),
        name: program.name.clone(),
        program: program.path.display().to_string(),
    })
}

/// The approved programs.
pub(crate) fn approved_items(app: &App) -> Vec<TrustItem> {
    let allowed = &app.workspace.trust.approvals().agents;
    allowed
        .iter()
        .map(|known| TrustItem {
            kind: "agent_program".to_owned(),
            hook: id_of(&known.dialect, &known.name),
            project: String::new(),
            definition: known.program.display().to_string(),
            inherited: String::new(),
            files: Vec::new(),
            data: Vec::new(),
            data_changed: Vec::new(),
            not_covered: Vec::new(),
            old: None,
        })
        .collect()
}

/// The dialect and program of this id that registered a hook of a session that lives. Those that are not allowed yet come
/// first.
fn registered(app: &App, id: &str) -> Result<(&'static str, Arc<AgentProgram>), Message> {
    let unknown = || UNKNOWN_PROGRAM.render(args! { "id" => id });
    let (dialect, name) = parse(id).ok_or_else(unknown)?;
    let mut hooks = app.agents.all_hooks();
    hooks.retain(|hook| hook.dialect == dialect && hook.registered_by.as_ref().is_some_and(|it| it.name == name));
    hooks.sort_by_key(|hook| app.workspace.trust.is_agent_allowed(hook));
    let hook = hooks.into_iter().next().ok_or_else(unknown)?;
    let program = hook.registered_by.clone().ok_or_else(unknown)?;
    Ok((hook.dialect, program))
}

/// What the user must see before every command of a program is allowed.
pub(crate) fn review(app: &App, id: &str) -> Result<ReviewDoc, Message> {
    let (dialect, program) = registered(app, id)?;
    let path = program.path.display().to_string();
    let known = AllowedAgentKey(dialect, &program);
    let first = [
        ALLOWS_COMMANDS.render(args! { "program" => path, "name" => program.name }),
        ANY_SCRIPT.render(args! { "program" => path }),
    ];
    Ok(ReviewDoc {
        hook: id.to_owned(),
        event: String::new(),
        label: program.name.clone(),
        path: String::new(),
        line: 0,
        definition: path,
        first: first.into_iter().map(Sentence::from).collect(),
        inherited: String::new(),
        fingerprint: known.fingerprint(),
        files: Vec::new(),
        data: Vec::new(),
        data_changed: Vec::new(),
        not_covered: Vec::new(),
        trusted: known.is_allowed(app),
        old: None,
        agent: None,
    })
}

/// Allows the program that was reviewed. Returns `false` if the id now means another program.
pub(crate) fn approve(app: &App, id: &str, fingerprint: &str) -> Result<bool, Fault> {
    let (dialect, program) = registered(app, id)?;
    if AllowedAgentKey(dialect, &program).fingerprint() != fingerprint {
        return Ok(false);
    }
    let now = app.workspace.now();
    app.workspace.trust.allow_agent(dialect, &program, now)?;
    Ok(true)
}

/// Revokes the approval of every program of this id, and returns them.
///
/// # Errors
/// The trust file cannot be written.
pub fn revoke(app: &App, id: &str) -> Result<Vec<AllowedAgent>, Fault> {
    let (dialect, name) = parse(id).ok_or_else(|| UNKNOWN_PROGRAM.render(args! { "id" => id }))?;
    Ok(app.workspace.trust.disallow_agents(dialect, name)?)
}

/// What identifies a program.
struct AllowedAgentKey<'a>(&'static str, &'a AgentProgram);

impl AllowedAgentKey<'_> {
    fn fingerprint(&self) -> String {
        let Self(dialect, AgentProgram { name, path }) = self;
        let mut hasher = blake3::Hasher::new();
        for part in [dialect.as_bytes(), name.as_bytes(), path.as_os_str().as_encoded_bytes()] {
            // The length comes first, so that no two lists of parts have the same hash.
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        hasher.finalize().to_hex().to_string()
    }

    fn is_allowed(&self, app: &App) -> bool {
        let allowed = &app.workspace.trust.approvals().agents;
        let Self(dialect, AgentProgram { name, path }) = self;
        let is_it = |known: &AllowedAgent| known.dialect == *dialect && known.name == *name && known.program == *path;
        allowed.iter().any(is_it)
    }
}
