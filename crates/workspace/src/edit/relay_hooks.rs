//! `connect` and `disconnect`: the relay's hooks in an agent's own configuration (`CONTRACTS.md` §4).
//!
//! What it deliberately does not do: it knows no format, no event and no command. The dialect says which hooks the
//! relay needs, and edits its files for each of them.

use std::path::Path;
use std::sync::Arc;

use hookwright_dialects::relay::{self, RELAY_PROGRAM, RelayChange};
use hookwright_model::{
    AgentTrust, AgentTrustChange, Card, CommandStart, Dialect, DisabledReason, EditDoc, EditKind, EditRequest,
    FieldValue, Handler, Hook, HookChange, Layer, Message, Notice, Problem, RelayTrust, RootKind, Severity,
    TargetLayer, args, render,
};
use serde_json::{Map, Value};

use super::approval_transfer::TransferUndo;
use super::edit_sequence::EditSequence;
use super::interrupted;
use super::refusal::{EditRefusal, WriteMode};
use super::relay_found::{is_relay_in_file, relay_hooks, user_hooks};
use super::relay_restore::RoundTrip;
use super::store::{EditRecord, EditStore};
use crate::discovery::MAX_SOURCE_BYTES;
use crate::disk_probe::DiskProbe;
use crate::files::Opener;
use crate::project::OpenProject;
use crate::snapshot::{LoadedSource, Snapshot};
use crate::start_texts::{start_text, started_relay};
use crate::workspace::Workspace;

hookwright_model::messages! {
    /// No agent of this name can be connected by its files.
    UNKNOWN_TARGET = "connect_unknown_target" { "unknown target {target}", "未知的目标 {target}" } hint { "known targets: {known}", "可用的目标：{known}" };
    /// The relay's program is not installed.
    NO_RELAY = "connect_no_relay" { "the program {program} is neither next to Hookwright nor in PATH", "在 Hookwright 所在文件夹和 PATH 中都找不到程序 {program}" } hint { "install it next to Hookwright; nothing was changed", "把它安装到 Hookwright 所在文件夹；未作任何更改" };
    /// The file in which the relay's hooks would be does not parse.
    BROKEN_FILE = "connect_broken_file" { "{path}:{line} has an error: {why}", "{path}:{line} 有错误：{why}" } hint { "correct it first; nothing was changed", "先更正；未作任何更改" };
    /// The agent's own trust is in the text of each command.
    WRAP_COSTS_TRUST = "connect_no_wrap" / "trust" { "{target} skips a changed command until you have reviewed it, so its hooks cannot be wrapped", "命令改动后，{target} 会在你审阅之前跳过它，因此无法包装其 Hook" } hint { "run the command without `--wrap`; nothing was changed", "去掉 `--wrap` 再执行；未作任何更改" };
    /// The agent has no trust of its own.
    NO_AGENT_TRUST = "connect_no_trust" { "{target} has no review of hooks: it runs those in its files", "{target} 不经自身审阅即执行其文件中的 Hook" } hint { "run the command without `--trust`; nothing was changed", "去掉 `--trust` 再执行；未作任何更改" };
    /// The dialect's hooks are not shell commands.
    NOT_WRAPPABLE = "connect_no_wrap" { "the hooks of {target} are programs and not shell commands, so they cannot be wrapped", "{target} 的 Hook 是程序而非 shell 命令，无法包装" } hint { "run the command without `--wrap`; nothing was changed", "去掉 `--wrap` 再执行；未作任何更改" };
    /// A hook that no shell starts.
    LEFT_OUT_PROGRAM = "connect_left_out" / "program" { "{hook} is not wrapped: with `{field}` no shell starts it, so a missing relay would stop it", "{hook} 未包装：设置了 `{field}` 时不经 shell 启动，中继缺失会使其失效" };
    /// A hook whose command PowerShell reads.
    LEFT_OUT_POWER_SHELL = "connect_left_out" / "power_shell" { "{hook} is not wrapped: PowerShell reads its command, and the wrapper is written for `sh`", "{hook} 未包装：其命令由 PowerShell 解释，而包装是为 `sh` 编写的" };
    /// A hook whose variables change how the wrapper itself would start.
    LEFT_OUT_VARIABLE = "connect_left_out" / "variable" { "{hook} is not wrapped: its variable `{variable}` would also change how the wrapper starts", "{hook} 未包装：其变量 `{variable}` 也会改变包装的启动方式" };
    /// A hook whose command is almost as long as the system allows.
    LEFT_OUT_LONG = "connect_left_out" / "long" { "{hook} is not wrapped: with the wrapper its command would have more than {limit} bytes", "{hook} 未包装：加上包装后命令将超过 {limit} 字节" };
    /// A hook whose command a shell reads as its own options.
    LEFT_OUT_OPTION = "connect_left_out" / "option" { "{hook} is not wrapped: a shell takes its command for an option, because it begins with `{sign}`", "{hook} 未包装：其命令以 `{sign}` 开头，shell 会当成选项" };
    /// A hook whose definition has an error.
    LEFT_OUT_INVALID = "connect_left_out" / "invalid" { "{hook} is not wrapped, because it has an error: {why}", "{hook} 未包装，因为其定义有错误：{why}" };
    /// A hook that starts the relay at another place, in a way that is not understood.
    OTHER_RELAY = "connect_other_relay" { "{hook} starts {relay}, which is another relay; it stays as it is", "{hook} 启动另一个中继 {relay}，保持不变" };
    /// A switch of the agent's file turns all hooks off.
    AGENT_OFF = "connect_off" { "{agent} starts no hook now, so the relay gets no event: {why}", "{agent} 现在不启动任何 Hook，因此中继收不到事件：{why}" } hint { "set this switch of {agent} so that its hooks run", "调整 {agent} 的此开关，使其执行 Hook" };
    /// A wrapped hook that is in no file of the user.
    WRAPPER_STAYS = "connect_relay_stays" / "elsewhere" { "{hook} in {path}:{line} stays wrapped: the file belongs to a project", "{hook}（{path}:{line}）保持包装：该文件属于项目" } hint { "move it back with `hookwright edit {hook} --to-layer user` and disconnect again", "先用 `hookwright edit {hook} --to-layer user` 移回，再断开连接" };
    /// A hook that starts the relay and does other work too.
    RELAY_STAYS = "connect_relay_stays" { "{hook} also does other work, so the relay in it stays; remove it by hand in {path}:{line}", "{hook} 还有其他操作，因此其中的中继保留；可在 {path}:{line} 手工删除" };
}

/// The system starts no program with a longer argument (Linux, `MAX_ARG_STRLEN`).
const MAX_ARGUMENT_BYTES: usize = (128 << 10) - 1;
/// Variables that change how a shell starts: where programs are, and what `bash` reads first.
const START_VARIABLES: [&str; 2] = ["PATH", "BASH_ENV"];

/// What `connect` does in addition to the relay's own hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrapMode {
    /// The agent's own hooks stay as they are.
    OwnHooksStay,
    /// The relay is also put around each command of the agent's own hooks.
    WrapOwnHooks,
}

/// Whether `connect` also makes the agent's own trust approve the relay's hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustMode {
    /// The user reviews them in the agent.
    UserReviews,
    /// It writes what the agent's own trust needs, for the relay's hooks and no others.
    ApproveRelay,
}

/// Adds the relay to the user's files of an agent, at every event. Relay hooks that are there already stay, and those
/// that start another relay are replaced.
///
/// # Errors
/// The reason why it is refused. No file was changed then.
pub fn connect(
    workspace: &Workspace,
    project: &Path,
    target: &str,
    wrap: WrapMode,
    trust: TrustMode,
    mode: WriteMode,
) -> Result<EditDoc, EditRefusal> {
    let dialect = connectable(target)?;
    if wrap == WrapMode::WrapOwnHooks && dialect.card().command.is_none() {
        return Err(render!(NOT_WRAPPABLE, "target" => target).into());
    }
    if wrap == WrapMode::WrapOwnHooks && !dialect.can_wrap() {
        return Err(render!(WRAP_COSTS_TRUST, "target" => dialect.card().name).into());
    }
    let no_relay = || render!(NO_RELAY, "program" => RELAY_PROGRAM);
    let relay = workspace.env.program_beside(RELAY_PROGRAM).ok_or_else(no_relay)?;
    let relay = relay.to_str().ok_or_else(no_relay)?;
    let open_project = workspace.open_project(project)?;
    let completed = interrupted::complete(workspace, dialect.card().id, mode)?;
    open_project.refresh();
    let before = open_project.snapshot();
    if let Some(message) = before.misplaced_messages(dialect.card().id).next() {
        return Err(message.into());
    }
    check_readable(&before, dialect)?;
    let mut edits = EditSequence::new(workspace, &before, dialect)?;
    let mut notices: Vec<Notice> = completed.into_iter().collect();
    if wrap == WrapMode::WrapOwnHooks {
        notices.extend(wrap_own_hooks(&mut edits, &before, relay)?);
    }
    let wanted = dialect.relay_hooks(relay);
    for hook in relay_hooks(&before, dialect).iter().rev() {
        notices.extend(keep_or_replace(&mut edits, hook, relay, &wanted)?);
    }
    for (event, definition) in &wanted {
        let present = edits.snapshot();
        let covers = |hook: &Arc<Hook>| hook.event == *event || is_wanted_at(hook, event, definition);
        if user_hooks(present, dialect).any(|hook| covers(hook) && is_relay_in_file(present, hook)) {
            continue;
        }
        edits.apply(&EditRequest::Add {
            event: (*event).to_owned(),
            layer: TargetLayer::User,
            definition: definition.clone(),
        })?;
    }
    notices.extend(switched_off(workspace, &before, dialect, &wanted));
    let agent_trust = trust_relay(&mut edits, trust)?;
    if agent_trust.as_ref().is_none_or(|trust| !trust.waiting.is_empty()) {
        let notice = dialect.relay_notice(&workspace.env.locations(project), &DiskProbe);
        notices.extend(notice.map(|message| Notice::warning(message, None)));
    }
    let mut doc = finish(workspace, &open_project, edits, EditKind::Add, mode)?;
    doc.notices.extend(notices);
    doc.agent_trust = agent_trust.map(|trust| RelayTrust {
        written: trust.written && doc.written,
        ..trust
    });
    Ok(doc)
}

/// A notice if a switch of the agent's file turns all hooks off. The relay's own hooks are off in Hookwright in any case,
/// so another hook at their place is looked at, in memory only.
fn switched_off(
    workspace: &Workspace,
    before: &Snapshot,
    dialect: &'static dyn Dialect,
    wanted: &[(&'static str, Map<String, Value>)],
) -> Option<Notice> {
    const OTHER_PROGRAM: &str = "/bin/true";
    let (event, _) = wanted.first()?;
    let (_, mut definition) = dialect
        .relay_hooks(OTHER_PROGRAM)
        .into_iter()
        .find(|(other, _)| other == event)?;
    if let Some(name) = definition.get_mut("name") {
        *name = OTHER_PROGRAM.trim_start_matches('/').replace('/', "-").into();
    }
    let mut edits = EditSequence::new(workspace, before, dialect).ok()?;
    let added = EditRequest::Add {
        event: (*event).to_owned(),
        layer: TargetLayer::User,
        definition,
    };
    edits.apply(&added).ok()?;
    let starts_other = |hook: &&Arc<Hook>| {
        start_text(hook).is_some_and(|text| text.contains(OTHER_PROGRAM) && text.contains("--dialect"))
    };
    let mut others = user_hooks(edits.snapshot(), dialect).filter(starts_other);
    let why = others.find_map(|hook| match &hook.disabled_reason {
        Some(DisabledReason::Disabled(why)) => Some(why.clone()),
        Some(_) | None => None,
    })?;
    let args = args! { "agent" => dialect.card().name, "why" => why.text, "why_message" => why.to_args() };
    Some(Notice::warning(AGENT_OFF.render(args), None))
}

/// What the agent's own trust needs to run the relay's hooks. It is written only if the user asked for it.
fn trust_relay(edits: &mut EditSequence<'_>, trust: TrustMode) -> Result<Option<RelayTrust>, Message> {
    let is_waiting = |hook: &Arc<Hook>| hook.agent_trust.is_none_or(AgentTrust::is_skipped);
    let mut hooks = relay_hooks(edits.snapshot(), edits.dialect());
    hooks.retain(is_waiting);
    let Some(change) = edits.agent_trust(&hooks, AgentTrustChange::Approve)? else {
        let target = edits.dialect().card().id;
        return match trust {
            TrustMode::UserReviews => Ok(None),
            TrustMode::ApproveRelay => Err(render!(NO_AGENT_TRUST, "target" => target)),
        };
    };
    if trust == TrustMode::UserReviews {
        return Ok(Some(RelayTrust {
            written: false,
            waiting: change.keys,
        }));
    }
    edits.change_agent_trust(&change)?;
    Ok(Some(RelayTrust {
        written: change.file.is_some(),
        waiting: Vec::new(),
    }))
}

/// Puts the relay around the agent's own commands. Returns a notice for each command that is left out.
fn wrap_own_hooks(edits: &mut EditSequence<'_>, before: &Snapshot, relay: &str) -> Result<Vec<Notice>, Message> {
    let dialect = edits.dialect();
    let mut notices = Vec::new();
    let (mut wrapped, mut unwrapped) = (Vec::new(), Vec::new());
    for hook in own_commands(before, dialect) {
        let Some(why) = wrap_obstacle(dialect.card(), &hook, relay) else {
            wrapped.push(hook);
            continue;
        };
        notices.push(Notice::warning(why, Some(&hook.id)));
        // An earlier version may have wrapped it nevertheless.
        if hook.wrapped.is_some() {
            unwrapped.push(hook);
        }
    }
    edits.change_relay(&unwrapped, RelayChange::Unwrap)?;
    edits.change_relay(&wrapped, RelayChange::Wrap(relay))?;
    Ok(notices)
}

/// Why a wrapper would not start this command in exactly the way in which the agent starts it; `None` if it would.
fn wrap_obstacle(card: &Card, hook: &Hook, relay: &str) -> Option<Message> {
    if let Some(why) = hook.invalid.as_ref().filter(|_| hook.wrapped.is_none()) {
        let args = args! { "hook" => hook.id, "why" => why.text, "why_message" => why.to_args() };
        return Some(LEFT_OUT_INVALID.render(args));
    }
    let command = card.command?;
    match command.start(&hook.definition) {
        CommandStart::Program(_) => {
            let field = command.args_field.unwrap_or_default();
            return Some(render!(LEFT_OUT_PROGRAM, "hook" => hook.id, "field" => field));
        }
        CommandStart::PowerShell => return Some(render!(LEFT_OUT_POWER_SHELL, "hook" => hook.id)),
        CommandStart::Shell(_) => {}
    }
    let own = card.env_field.and_then(|field| hook.definition.get(field)?.as_object());
    let sets = |name: &&&str| own.is_some_and(|own| own.contains_key(**name));
    if let Some(variable) = START_VARIABLES.iter().find(sets) {
        return Some(render!(LEFT_OUT_VARIABLE, "hook" => hook.id, "variable" => *variable));
    }
    let place = (hook.event.as_str(), hook.id.as_str());
    let written = start_text(hook)?;
    let inner = relay::unwrap_command(card, &written);
    let sign = inner.as_ref().unwrap_or(&written).chars().next();
    if let Some(sign) = sign.filter(|sign| ['-', '+'].contains(sign)) {
        return Some(render!(LEFT_OUT_OPTION, "hook" => hook.id, "sign" => sign.to_string()));
    }
    let wrapped = relay::change_wrapping(RelayChange::Wrap(relay), card, place, &hook.definition, &written);
    (wrapped.len() > MAX_ARGUMENT_BYTES)
        .then(|| render!(LEFT_OUT_LONG, "hook" => hook.id, "limit" => MAX_ARGUMENT_BYTES))
}

/// Keeps a relay hook that starts this relay. One that starts another relay is replaced, and keeps what the user added.
fn keep_or_replace(
    edits: &mut EditSequence<'_>,
    hook: &Hook,
    relay: &str,
    wanted: &[(&'static str, Map<String, Value>)],
) -> Result<Option<Notice>, Message> {
    if wanted
        .iter()
        .any(|(event, definition)| is_wanted_at(hook, event, definition))
    {
        return Ok(None);
    }
    let started = started_relay(hook).unwrap_or_default();
    let ours = edits.dialect().relay_hooks(&started);
    if ours.iter().any(|(_, definition)| is_started_by(hook, definition)) {
        edits.apply(&EditRequest::Remove { hook: hook.id.clone() })?;
        return Ok(None);
    }
    // A relay that is found by PATH is found there again.
    if started == relay || !Path::new(&started).is_absolute() {
        return Ok(None);
    }
    let Some((field, value)) = with_relay(hook, &started, relay) else {
        let message = render!(OTHER_RELAY, "hook" => hook.id, "relay" => started);
        return Ok(Some(Notice::warning(message, Some(&hook.id))));
    };
    let set = HookChange::Set {
        field: field.to_owned(),
        value: FieldValue::Value(value),
    };
    edits.apply(&EditRequest::Change {
        hook: hook.id.clone(),
        changes: vec![set],
    })?;
    Ok(None)
}

/// Removes the relay from the user's files of an agent: its hooks, and the relay around the agent's own commands. A file
/// that only `connect` changed since gets the bytes that it had before, or is removed if it did not exist. In a file that
/// the user changed, lists that were empty before `connect` are empty again. Hooks that start the relay and do other work
/// too stay, and are named in the notices.
///
/// # Errors
/// The reason why it is refused. No file was changed then.
pub fn disconnect(
    workspace: &Workspace,
    project: &Path,
    target: &str,
    mode: WriteMode,
) -> Result<EditDoc, EditRefusal> {
    let dialect = connectable(target)?;
    let open_project = workspace.open_project(project)?;
    let completed = interrupted::complete(workspace, dialect.card().id, mode)?;
    open_project.refresh();
    let before = open_project.snapshot();
    check_readable(&before, dialect)?;
    let mut edits = EditSequence::new(workspace, &before, dialect)?;
    let wrapped = own_commands(&before, dialect)
        .into_iter()
        .filter(|hook| hook.wrapped.is_some());
    edits.change_relay(&wrapped.collect::<Vec<_>>(), RelayChange::Unwrap)?;
    let relays = relay_hooks(&before, dialect);
    if let Some(change) = edits.agent_trust(&relays, AgentTrustChange::Forget)? {
        edits.change_agent_trust(&change)?;
    }
    // Ids contain positions, so the last hook of a list is removed first.
    for hook in relays.iter().rev() {
        edits.apply(&EditRequest::Remove { hook: hook.id.clone() })?;
    }
    for path in edits.changed_files() {
        restore_former(workspace, &mut edits, &before, &path);
    }
    let notices = remaining_notices(edits.snapshot(), dialect);
    let mut doc = finish(workspace, &open_project, edits, EditKind::Remove, mode)?;
    doc.notices.extend(completed.into_iter().chain(notices));
    Ok(doc)
}

/// Gives a file what the removal took away beyond the relay. Each former text is read again: if it contains the relay, the
/// removal stays as it was computed.
///
/// A file in the folder of a removed hook is part of that hook: a former text of it alone would start nothing, and stay.
fn restore_former(workspace: &Workspace, edits: &mut EditSequence<'_>, before: &Snapshot, path: &Path) {
    let is_part_of = |hook: &Arc<Hook>| {
        let folder = hook.source.path.parent();
        matches!(hook.handler, Handler::Script { .. }) && folder.is_some_and(|folder| path.starts_with(folder))
    };
    if relay_hooks(before, edits.dialect()).iter().any(is_part_of) {
        return;
    }
    let connected = EditStore::new(&workspace.env.data_dir).before_connect(path);
    if let Some(former) = connected.unchanged_since
        && restore_without_relay(edits, path, former)
    {
        return;
    }
    let former = connected.former.filter(|_| edits.text(path).is_some());
    if let Some(text) = former.and_then(|former| restored(workspace, edits, before, path, &former)) {
        restore_without_relay(edits, path, Some(text));
    }
    if connected.created && edits.is_empty(path) {
        restore_without_relay(edits, path, None);
    }
}

/// Restores a former text of a file, unless it contains more of the relay than the present one. Returns whether it is
/// restored.
fn restore_without_relay(edits: &mut EditSequence<'_>, path: &Path, former: Option<String>) -> bool {
    let dialect = edits.dialect();
    let count = |snapshot: &Snapshot| {
        let wrapped = own_commands(snapshot, dialect)
            .into_iter()
            .filter(|hook| hook.wrapped.is_some());
        relay_hooks(snapshot, dialect).len() + wrapped.count()
    };
    let computed = edits.change(path);
    let present = count(edits.snapshot());
    edits.restore(path, former);
    if count(edits.snapshot()) <= present {
        return true;
    }
    if let Some(computed) = computed {
        edits.set_change(computed);
    }
    false
}

/// A notice for each hook of the user that still starts the relay, and for each wrapped one that is in another file now.
fn remaining_notices(after: &Snapshot, dialect: &dyn Dialect) -> Vec<Notice> {
    let mut remaining: Vec<&Arc<Hook>> = user_hooks(after, dialect)
        .filter(|hook| start_text(hook).is_some_and(|text| relay::mentions_relay(&text)))
        .collect();
    remaining.dedup_by(|one, other| one.id == other.id);
    let notice = |hook: &&Arc<Hook>| {
        let path = hook.source.path.display().to_string();
        let args = args! { "hook" => hook.id, "path" => path, "line" => hook.source.line };
        Notice::warning(RELAY_STAYS.render(args), Some(&hook.id))
    };
    let mut elsewhere: Vec<&Arc<Hook>> = after.hooks(dialect.card().id).collect();
    elsewhere.retain(|hook| hook.wrapped.is_some() && hook.source.layer != Layer::User);
    elsewhere.dedup_by(|one, other| one.id == other.id);
    let stays_wrapped = |hook: &&Arc<Hook>| {
        let path = hook.source.path.display().to_string();
        let args = args! { "hook" => hook.id, "path" => path, "line" => hook.source.line };
        Notice::warning(WRAPPER_STAYS.render(args), Some(&hook.id))
    };
    let stays_wrapped = elsewhere.iter().map(stays_wrapped);
    remaining.iter().map(notice).chain(stays_wrapped).collect()
}

/// The text of a file that the user changed since `connect`, with what the removal took away beyond the relay's hooks.
fn restored(
    workspace: &Workspace,
    edits: &EditSequence<'_>,
    before: &Snapshot,
    path: &Path,
    former: &str,
) -> Option<String> {
    // Nothing starts it: these edits are made in memory only.
    let relay = format!("/{RELAY_PROGRAM}");
    let round_trip = RoundTrip {
        workspace,
        before,
        dialect: edits.dialect(),
        wanted: &edits.dialect().relay_hooks(&relay),
    };
    round_trip.restore_losses(path, former, edits.text(path)?)
}

/// The dialect of an agent that can be connected by its files.
fn connectable(target: &str) -> Result<&'static dyn Dialect, Message> {
    let can_connect = |dialect: &&dyn Dialect| !dialect.relay_hooks("").is_empty();
    let known = || hookwright_dialects::all().iter().copied().filter(can_connect);
    let unknown = || {
        let names: Vec<&str> = known().map(|dialect| dialect.card().id).collect();
        render!(UNKNOWN_TARGET, "target" => target, "known" => names.join(", "))
    };
    known().find(|dialect| dialect.card().id == target).ok_or_else(unknown)
}

/// Refuses if a user file with several hooks does not parse: what it contains is not known then. Also if it has lists of
/// hooks twice: the agent uses one of them only, which need not be the one that gets the relay's hooks.
fn check_readable(before: &Snapshot, dialect: &dyn Dialect) -> Result<(), Message> {
    let is_mine = |source: &&LoadedSource| {
        source.dialect == dialect.card().id
            && source.root.layer == Layer::User
            && !source.root.managed
            && source.root.reads == RootKind::File
    };
    let stands_in_the_way = |source: &LoadedSource, problem: &Problem| {
        let is_twice = problem.code.as_str() == "duplicate_key" && problem.hook.is_none();
        problem.severity == Severity::Error && (is_twice || !source.broken.is_empty())
    };
    let mine = before.sources.iter().filter(is_mine);
    let mut problems = mine.flat_map(|source| source.problems.iter().map(move |problem| (source, problem)));
    let found = problems.find(|(source, problem)| stands_in_the_way(source, problem));
    match found.map(|(_, problem)| problem) {
        None => Ok(()),
        Some(problem) => Err(render!(
            BROKEN_FILE,
            "path" => problem.path.display().to_string(), "line" => problem.line.unwrap_or(1),
            "why" => problem.message
        )),
    }
}

/// The agent's own hooks in the user's files that are commands.
fn own_commands(snapshot: &Snapshot, dialect: &dyn Dialect) -> Vec<Arc<Hook>> {
    let is_own = |hook: &&Arc<Hook>| {
        matches!(&hook.handler, Handler::Shell { command } if !command.trim().is_empty()) && !hook.is_relay()
    };
    user_hooks(snapshot, dialect).filter(is_own).cloned().collect()
}

/// The field of a relay hook that names the relay, with another relay in it.
fn with_relay(hook: &Hook, present: &str, relay: &str) -> Option<(&'static str, Value)> {
    match &hook.handler {
        Handler::Shell { command } => Some(("command", relay::with_relay(command, relay)?.into())),
        Handler::Script { .. } => Some(("script", relay::with_relay(&start_text(hook)?, relay)?.into())),
        Handler::Peer { argv } => {
            let words = argv.iter().map(|word| if word == present { relay } else { word });
            Some(("command", words.collect::<Vec<_>>().into()))
        }
        Handler::Module { .. }
        | Handler::Callback { .. }
        | Handler::Insert { .. }
        | Handler::Prompt { .. }
        | Handler::Http(_)
        | Handler::Builtin { .. } => None,
    }
}

/// Whether a hook is the relay's hook of this event. A definition that names its events itself has the first of them.
fn is_wanted_at(hook: &Hook, event: &str, definition: &Map<String, Value>) -> bool {
    (hook.event == event || !hook.is_placed_by_event()) && is_definition(hook, definition)
}

/// Whether a hook has this definition. A hook's definition does not contain its name and its script.
fn is_definition(hook: &Hook, wanted: &Map<String, Value>) -> bool {
    let is_same = |(name, value): (&String, &Value)| match (hook.definition.get(name), &hook.handler) {
        (Some(found), _) => found == value,
        (None, Handler::Script { entry: Some(path) }) => {
            name != "script" || {
                let text = Opener::user().read_text(path, MAX_SOURCE_BYTES);
                text.is_some_and(|text| value.as_str() == Some(&text))
            }
        }
        (None, _) => name == "name",
    };
    wanted.iter().all(is_same)
}

/// Whether a hook is started exactly as this definition is. Its other fields may differ.
fn is_started_by(hook: &Hook, definition: &Map<String, Value>) -> bool {
    let start = definition
        .iter()
        .filter(|(name, _)| ["command", "script"].contains(&name.as_str()));
    is_definition(
        hook,
        &start.map(|(name, value)| (name.clone(), value.clone())).collect(),
    )
}

/// Compares the result with the present files, and writes it.
fn finish(
    workspace: &Workspace,
    open_project: &OpenProject,
    edits: EditSequence<'_>,
    what: EditKind,
    mode: WriteMode,
) -> Result<EditDoc, EditRefusal> {
    let dialect = edits.dialect();
    let before = open_project.snapshot();
    let relays = relay_hooks(&before, dialect);
    let (mut edit, _) = edits.finish(relays.iter().map(|hook| hook.id.clone()).collect())?;
    // The user did not write the relay's hooks, and cannot change them.
    let after = &edit.after;
    let is_own = |id: &String| after.hook(id).is_some_and(|hook| hook.is_relay());
    edit.doc
        .problems
        .retain(|problem| !problem.hook.as_ref().is_some_and(is_own));
    if what == EditKind::Remove {
        let created = EditStore::new(&workspace.env.data_dir).created_folders_near(&edit.transaction);
        edit.transaction.removed_folders.extend(created);
    }
    let record = EditRecord {
        in_project: false,
        // It is about several hooks. With the id of one of them, its removal alone would restore the whole file.
        hook: None,
        label: Some(RELAY_PROGRAM.to_owned()),
        connects: what == EditKind::Add,
        ..edit.record(workspace, open_project, what, dialect.card().id)
    };
    edit.write(workspace, open_project, mode, record, None, |_, _| {
        Ok(TransferUndo::default())
    })
}
