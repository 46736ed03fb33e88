//! Agent programs that may register commands without a review: "always for this agent" (`CONTRACTS.md` §3).
//!
//! A program is reviewed, approved and revoked by the same commands as a hook, under the id `<dialect>:agent:<name>`.
//! It never waits by itself: its hooks do.

use std::path::Path;
use std::sync::Arc;

use hookwright_model::{AgentProgram, Hook, Message, render};
use hookwright_workspace::trust::AllowedAgent;

use crate::app::App;
use crate::dto::{AgentProgramRow, ReviewDoc, Sentence, TrustItem};
use crate::fault::Fault;

pub(crate) mod name;

hookwright_model::messages! {
    /// What an approval of a program means.
    ALLOWS_COMMANDS = "agent_program" { "once approved, every command that {program} registers as {name} runs without a review, in every project", "批准后，{program} 以 {name} 的名义注册的每条命令都不经审阅即执行，对所有项目生效" };
    /// The program is one that runs scripts of others.
    ANY_SCRIPT = "agent_program" / "script" { "if {program} runs scripts, each script can use this name", "如果 {program} 会执行脚本，则任何脚本都可以使用此名称" };
    /// No agent of this name waits or is approved.
    UNKNOWN_PROGRAM = "unknown_agent_program" { "unknown agent program {id}: no connected agent of this name has registered a command", "未知的 Agent 程序 {id}：没有使用此名称的已连接 Agent 注册过命令" } hint { "run `hookwright trust --list` to see what waits for approval and what is approved", "执行 `hookwright trust --list` 可查看等待批准和已批准的内容" };
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

/// The program that registered a hook, with what an approval of it means and what identifies it.
pub(crate) fn row_of(hook: &Hook) -> Option<AgentProgramRow> {
    let registered_by = hook.registered_by.as_deref()?;
    let program = Program::new(hook.dialect, registered_by);
    Some(AgentProgramRow {
        id: id_of(program.dialect, program.name),
        name: program.name.to_owned(),
        program: program.path.display().to_string(),
        fingerprint: program.fingerprint(),
        first: program.first(),
        refused: name::check(program.name).err().map(Sentence::from),
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
            label: known.name.clone(),
            event: String::new(),
            project: String::new(),
            definition: known.program.display().to_string(),
            inherited: String::new(),
            files: Vec::new(),
            data: Vec::new(),
            data_changed: Vec::new(),
            not_covered: Vec::new(),
            old: None,
            agent_trust: None,
            denied: None,
        })
        .collect()
}

/// The hooks of living sessions that programs of this id registered, those of programs that are not allowed yet first.
fn registered(app: &App, id: &str) -> Result<Vec<Arc<Hook>>, Message> {
    let (dialect, name) = parse(id).ok_or_else(|| unknown(id))?;
    let mut hooks = app.agents.all_hooks();
    hooks.retain(|hook| hook.dialect == dialect && hook.registered_by.as_ref().is_some_and(|it| it.name == name));
    hooks.sort_by_cached_key(|hook| app.workspace.trust.is_agent_allowed(hook));
    Ok(hooks)
}

fn unknown(id: &str) -> Message {
    render!(UNKNOWN_PROGRAM, "id" => id)
}

/// What the user must see before every command of a program is allowed: of one that waits, else of one that is allowed.
pub(crate) fn review(app: &App, id: &str) -> Result<ReviewDoc, Message> {
    let hooks = registered(app, id)?;
    let living = hooks.iter().find_map(|hook| Program::of(hook));
    let approvals = app.workspace.trust.approvals();
    let program = living.or_else(|| {
        let of_id = |known: &&AllowedAgent| id_of(&known.dialect, &known.name) == id;
        approvals.agents.iter().find(of_id).map(Program::from)
    });
    let program = program.ok_or_else(|| unknown(id))?;
    name::check(program.name)?;
    Ok(ReviewDoc {
        hook: id.to_owned(),
        event: String::new(),
        label: program.name.to_owned(),
        path: String::new(),
        line: 0,
        definition: program.path.display().to_string(),
        first: program.first(),
        inherited: String::new(),
        fingerprint: program.fingerprint(),
        files: Vec::new(),
        data: Vec::new(),
        data_changed: Vec::new(),
        not_covered: Vec::new(),
        trusted: approvals.agents.iter().any(|known| Program::from(known) == program),
        denied: false,
        found: Vec::new(),
        old: None,
        agent: None,
    })
}

/// Allows the program that was reviewed. Returns `false` if no program of this id is the reviewed one.
pub(crate) fn approve(app: &App, id: &str, fingerprint: &str) -> Result<bool, Fault> {
    let hooks = registered(app, id)?;
    if hooks.is_empty() {
        return Err(unknown(id).into());
    }
    // Two programs can have one name. The user saw the path of one of them.
    let is_reviewed = |hook: &&Arc<Hook>| Program::of(hook).is_some_and(|it| it.fingerprint() == fingerprint);
    let Some(hook) = hooks.iter().find(is_reviewed) else {
        return Ok(false);
    };
    let Some(program) = hook.registered_by.as_deref() else {
        return Ok(false);
    };
    name::check(&program.name)?;
    let now = app.workspace.now();
    app.workspace.trust.allow_agent(hook.dialect, program, now)?;
    Ok(true)
}

/// Revokes the approval of every program of this id, and returns them.
///
/// # Errors
/// The trust file cannot be written.
pub fn revoke(app: &App, id: &str) -> Result<Vec<AllowedAgent>, Fault> {
    let (dialect, name) = parse(id).ok_or_else(|| unknown(id))?;
    Ok(app.workspace.trust.disallow_agents(dialect, name)?)
}

/// What identifies a program of this user: nothing less than all three.
#[derive(PartialEq, Eq)]
struct Program<'a> {
    dialect: &'a str,
    name: &'a str,
    path: &'a Path,
}

impl<'a> Program<'a> {
    fn new(dialect: &'a str, program: &'a AgentProgram) -> Self {
        Self {
            dialect,
            name: &program.name,
            path: &program.path,
        }
    }

    fn of(hook: &'a Hook) -> Option<Self> {
        Some(Self::new(hook.dialect, hook.registered_by.as_deref()?))
    }

    fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let path = self.path.as_os_str().as_encoded_bytes();
        for part in [self.dialect.as_bytes(), self.name.as_bytes(), path] {
            // The length comes first, so that no two lists of parts have the same hash.
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        hasher.finalize().to_hex().to_string()
    }

    /// What an approval means, to be read before it.
    fn first(&self) -> Vec<Sentence> {
        let path = self.path.display().to_string();
        let means = [
            render!(ALLOWS_COMMANDS, "program" => path, "name" => self.name),
            render!(ANY_SCRIPT, "program" => path),
        ];
        means
            .into_iter()
            .chain(name::look_alikes(self.name))
            .map(Sentence::from)
            .collect()
    }
}

impl<'a> From<&'a AllowedAgent> for Program<'a> {
    fn from(known: &'a AllowedAgent) -> Self {
        Self {
            dialect: &known.dialect,
            name: &known.name,
            path: &known.program,
        }
    }
}
