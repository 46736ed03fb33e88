//! Changing people's files (`CONTRACTS.md` §2.7): the one place from which they are written.
//!
//! What it deliberately does not do: it knows no format and no dialect. A dialect says what is to be written and what the
//! files must say then; here the files are read, the would-be result is read as an agent would and held against that, and
//! only then something is written, if nobody changed the files meanwhile.
//!
//! How it works: [`App::edit`] makes a draft (which is all of a dry run), writes it through [`people`], and [`carry`]
//! takes approval and mute along. What was there before is kept for [`undo`] as long as this process lives.

mod bounds;
mod carry;
mod diff;
mod draft;
mod folders;
mod leftover;
pub mod people;
pub mod requests;
pub mod undo;

use std::path::Path;
use std::sync::PoisonError;

use hookwright_model::{Intention, Notice, Saying, Severity, args};

use crate::dto::EditDoc;
use crate::fault::Fault;
use crate::hooks::find_event;
use crate::library::{Snapshot, Source};
use crate::review::unknown_hook;
use crate::{App, Hosting};

use carry::Held;
use draft::Draft;

/// Every sentence of this module.
#[must_use]
pub fn sayings() -> Vec<&'static Saying> {
    [ALL, bounds::ALL, people::ALL, folders::ALL, undo::ALL].concat()
}

hookwright_model::sayings! {
    /// A hook without a file of its own.
    NO_FILE = "edit_no_file" { "{hook} stands in no file: it lives as long as its session", "{hook} 不在任何文件中：它随会话结束" } hint { "the agent that registered it can remove it; `hookwright mute {hook}` leaves it out", "可由注册它的 agent 移除；`hookwright mute {hook}` 可跳过它" };
    /// A dialect whose files are not changed.
    NO_EDITOR = "edit_not_for_dialect" { "{dialect} files are not changed here", "此处不更改 {dialect} 的文件" } hint { "edit the file by hand", "请手工编辑文件" };
    /// The would-be text does not say what was meant.
    NOT_AS_MEANT = "edit_differs" / "hooks" { "the changed file would not define the hooks that were meant", "修改后的文件所定义的 hook 与意图不符" } hint { "edit the file by hand; nothing was changed", "请手工编辑文件；未作任何更改" };
    /// The change would bring an error.
    WOULD_BE_WRONG = "edit_would_be_wrong" { "that would be an error: {message}", "这样会出错：{message}" } hint { "{hint}", "{hint}" };
    /// A hook that may stand in a file that does not parse.
    IN_BROKEN = "edit_in_broken_file" { "{hook} is not known: {path}:{line} has an error: {why}", "不知道 {hook}：{path}:{line} 有错误：{why}" } hint { "correct it first; nothing was changed", "请先更正；未作任何更改" };
    /// Nothing was asked for.
    NOTHING_ASKED = "edit_nothing_asked" { "nothing was asked to change", "没有指定任何更改" } hint { "say what: --set FIELD=VALUE, --unset FIELD, --move-to N, --to-layer L, --duplicate", "请指定：--set FIELD=VALUE、--unset FIELD、--move-to N、--to-layer L、--duplicate" };
    /// A layer that no dialect has.
    UNKNOWN_LAYER = "edit_unknown_layer" { "there is no layer {layer}", "没有 {layer} 层" } hint { "known: {known}", "已知：{known}" };
    /// A definition that is none.
    BAD_DEFINITION = "edit_bad_definition" { "the definition must be one JSON object: {why}", "定义必须是一个 JSON 对象：{why}" } hint { "write it as {\"command\": \"…\"}", "请写成 {\"command\": \"…\"}" };
    /// A project's hook that becomes a person's own.
    UNREVIEWED = "edit_unreviewed" { "nobody approved {hook}: where it stands then it runs without a review", "{hook} 从未获得批准：在新位置它会不经审阅直接运行" } hint { "read its definition and the files that it names", "请阅读它的定义以及它涉及的文件" };
    /// A hook whose approval does not hold for what it is now.
    UNAPPROVED = "edit_unapproved" { "{hook} does not run before you approve it: `hookwright trust {hook}`", "{hook} 在获得批准前不会运行：`hookwright trust {hook}`" };
    /// Files that go with a hook.
    GONE_TOO = "edit_gone_too" { "goes with it: {paths}", "随之删除：{paths}" };
    /// A place in a list that another hook has by now.
    ANOTHER_BY_NOW = "edit_another" { "{hook} is another hook by now", "{hook} 现在已是另一个 hook" } hint { "look at the list and try again; nothing was changed", "请查看列表后重试；未作任何更改" };
    /// What goes along did not, and neither did the file go back.
    HALF_DONE = "edit_half_done" { "{path} is changed, but {why}; and it could not be put back: {then}", "{path} 已更改，但{why}；且无法恢复：{then}" } hint { "look at the file", "请查看该文件" };
    /// Words that name no field and value.
    BAD_SET = "edit_bad_set" { "`{text}` sets nothing", "`{text}` 没有设置任何值" } hint { "write it as FIELD=VALUE", "请写成 FIELD=VALUE" };
}

/// Whether files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// They are.
    Now,
    /// They stay as they are; the answer says what would be.
    DryRun,
}

/// An edit that is refused because the new definition would be an error says which; any other just why.
#[derive(Debug)]
pub enum Refused {
    /// With the document that names the problems.
    Problems(Box<EditDoc>, Fault),
    /// Why not.
    Fault(Fault),
}

impl<F: Into<Fault>> From<F> for Refused {
    fn from(fault: F) -> Self {
        Self::Fault(fault.into())
    }
}

impl Refused {
    /// Why.
    #[must_use]
    pub fn fault(self) -> Fault {
        match self {
            Self::Problems(_, fault) | Self::Fault(fault) => fault,
        }
    }
}

impl App {
    /// Does what a person wants of a hook's file. `dialect` is that of a new hook.
    ///
    /// # Errors
    /// Why not; then no file was changed.
    pub fn edit(
        &self,
        project: &Path,
        dialect: Option<&str>,
        intention: &Intention,
        writing: Writing,
    ) -> Result<EditDoc, Refused> {
        let desk = self.desk(project)?;
        desk.refresh();
        let before = desk.snapshot();
        let dialect = match intention {
            Intention::Add { event, .. } => find_event(dialect.unwrap_or_default(), event)?.0.card().id,
            Intention::Change { hook, .. } | Intention::Remove { hook } => self.dialect_of(&before, hook)?,
        };
        let draft = Draft::of(&self.around, &desk.project, &before, dialect, intention)?;
        let mut doc = draft.document();
        if let Some(problem) = draft.new_error() {
            let hint = problem.hint.clone().unwrap_or_default();
            let words = WOULD_BE_WRONG.say(args! { "message" => problem.message, "hint" => hint });
            let mut fault = Fault::from(words);
            fault.hint = fault.hint.filter(|hint| !hint.is_empty());
            return Err(Refused::Problems(Box::new(doc), fault));
        }
        let held = self.holds(&before, intention);
        if held.as_ref().is_some_and(Held::unreviewed) && draft.runs_unreviewed {
            let words = UNREVIEWED.say(args! { "hook" => draft.hook });
            doc.notices.push(Notice::warning(words, draft.hook.as_deref()));
        }
        if matches!(intention, Intention::Remove { .. }) {
            doc.notices.extend(gone_with_it(&draft, &doc));
        }
        if writing == Writing::DryRun || draft.work.is_empty() {
            if held.is_none() && !draft.runs_unreviewed {
                doc.notices.extend(unapproved(&doc));
            }
            return Ok(doc);
        }
        let back = people::write(&self.around.data_dir, &draft.work)?;
        desk.refresh();
        let carried = self.carry(&held, &draft, &desk.snapshot());
        let carried = match carried {
            Ok(carried) => carried,
            Err(fault) => {
                let undone = people::write(&self.around.data_dir, &back);
                desk.refresh();
                return Err(Refused::Fault(match undone {
                    Ok(_) => fault,
                    Err(then) => {
                        let args = args! { "path" => doc.path, "why" => fault.message, "then" => then.message };
                        HALF_DONE.say(args).into()
                    }
                }));
            }
        };
        doc.written = true;
        let stands = desk.snapshot();
        let stands = doc.hook.as_ref().and_then(|id| stands.hook(id));
        let dropped = stands.is_some_and(|hook| self.trust.judge(hook).is_err());
        if dropped && held.as_ref().is_none_or(Held::approved) {
            doc.notices.extend(unapproved(&doc));
        }
        // What one command did nobody can ask it to take back.
        if self.hosting == Hosting::Engine {
            doc.undo = Some(
                self.undo
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .keep(back, carried),
            );
        }
        Ok(doc)
    }

    fn dialect_of(&self, before: &Snapshot, hook: &str) -> Result<&'static str, Fault> {
        if let Some(found) = before.hook(hook) {
            return Ok(found.dialect);
        }
        if hook.split(':').nth(1) == Some("session") {
            return Err(NO_FILE.say(args! { "hook" => hook }).into());
        }
        Err(in_broken_file(before, hook).unwrap_or_else(|| unknown_hook(before, hook)))
    }
}

/// That somebody has to approve a hook before it runs.
fn unapproved(doc: &EditDoc) -> Option<Notice> {
    let hook = doc.hook.as_deref()?;
    Some(Notice::warning(UNAPPROVED.say(args! { "hook" => hook }), Some(hook)))
}

/// Which files go with a hook beside the one that defines it.
fn gone_with_it(draft: &Draft, doc: &EditDoc) -> Option<Notice> {
    let gone = draft.work.files.iter().filter(|file| file.after.is_none());
    let mut paths: Vec<String> = gone.map(|file| file.path.display().to_string()).collect();
    paths.retain(|path| *path != doc.path);
    let words = GONE_TOO.say(args! { "paths" => paths.join(", ") });
    (!paths.is_empty()).then(|| Notice::warning(words, None))
}

/// Why a hook may not be known: a file of its dialect and layer does not parse.
fn in_broken_file(before: &Snapshot, hook: &str) -> Option<Fault> {
    let mut words = hook.splitn(3, ':');
    let (dialect, layer) = (words.next()?, words.next()?);
    let mine = |source: &&Source| source.dialect == dialect && source.root.layer.word() == layer;
    let mut problems = before.sources.iter().filter(mine).flat_map(|source| {
        source
            .problems
            .iter()
            .filter(|problem| source.broken.contains(&problem.path))
    });
    let problem = problems.find(|problem| problem.severity == Severity::Error)?;
    let words = IN_BROKEN.say(args! {
        "hook" => hook, "path" => problem.path.display().to_string(), "line" => problem.line.unwrap_or(1), "why" => problem.message
    });
    Some(words.into())
}
