//! The messages about events that are not recorded, or not completely (`CONTRACTS.md` §2.6).

use hookwright_model::{Message, MessageTemplate, Notice, Trace, args, render};
use hookwright_store::{AppendError, AppendResult, NoSpace};

hookwright_model::messages! {
    /// An event is not recorded.
    EVENT_NOT_RECORDED = "not_recorded" / "event" { "this event is not recorded: {why}", "此事件未记录：{why}" };
    /// An event is not recorded, because the disk is full.
    EVENT_NOT_RECORDED_DISK = "not_recorded" / "disk" { "this event is not recorded: the disk is full", "此事件未记录：磁盘已满" } hint { "free space on the disk of the data folder", "释放数据文件夹所在磁盘的空间" };
    /// An event is not recorded, because too many traces wait for the import.
    EVENT_NOT_RECORDED_SPOOL = "not_recorded" / "spool" { "this event is not recorded: {mib} MiB wait to be imported into the history", "此事件未记录：已有 {mib} MiB 等待导入历史记录" } hint { "run `hookwright history` to see what prevents the import", "执行 `hookwright history` 查看无法导入的原因" };
    /// Only the outcomes of an event are recorded, because the disk is full.
    BODIES_NOT_RECORDED_DISK = "bodies_not_recorded" / "disk" { "this event is recorded without payloads and output: the disk is full", "此事件的记录不含载荷和输出：磁盘已满" } hint { "free space on the disk of the data folder", "释放数据文件夹所在磁盘的空间" };
    /// Only the outcomes of an event are recorded, because too many traces wait for the import.
    BODIES_NOT_RECORDED_SPOOL = "bodies_not_recorded" / "spool" { "this event is recorded without payloads and output: {mib} MiB wait to be imported into the history", "此事件的记录不含载荷和输出：已有 {mib} MiB 等待导入历史记录" } hint { "run `hookwright history` to see what prevents the import", "执行 `hookwright history` 查看无法导入的原因" };
    /// The spool folder was removed or replaced while the engine ran.
    SPOOL_RESTORED = "spool_restored" { "the spool folder was removed or replaced at {at}; events written to it again: {traces}", "spool 文件夹于 {at} 被删除或替换；已重新写入 {traces} 条记录" };
    /// Something else, such as a file or a broken link, had the path of the spool folder.
    SPOOL_ASIDE = "spool_aside" { "another file or folder had the name of the spool folder; it is now at {path}", "spool 文件夹的位置曾被其他内容占用，该内容现位于 {path}" } hint { "delete it if you do not need it", "不需要时可删除" };
    /// Lines of the spool are not traces, or the database refused them.
    SPOOL_UNREAD = "spool_unread" { "some lines of the spool could not be imported; they are kept in {path}", "spool 中有无法导入的行，已保留在 {path}" } hint { "delete the file if you do not need it", "不需要时可删除该文件" };
    /// The history cannot be read, so failing hooks are unknown.
    FAILING_UNKNOWN = "failing_unknown" { "the history cannot be read ({why}), so failing hooks are not shown", "无法读取历史记录（{why}），因此不显示持续失败的 Hook" };
    /// The history does not answer in time.
    TOO_SLOW = "failing_unknown" / "slow" { "the history did not respond within {ms} ms, so failing hooks are not shown", "历史记录未在 {ms} 毫秒内响应，因此不显示持续失败的 Hook" };
}

/// Why an event was not recorded, or not completely.
#[derive(Debug, Clone)]
pub struct Shortfall {
    /// Whether a part of the event was recorded.
    pub recorded: bool,
    /// What is missing, and why.
    pub message: Message,
}

impl Shortfall {
    /// Says in the trace what is not recorded of it.
    pub(crate) fn tell(&self, trace: &mut Trace) {
        trace.recorded = self.recorded;
        trace.notices.push(Notice::warning(self.message.clone(), None));
    }

    /// The shortfall of a write to the spool; `None` if the whole trace was recorded.
    pub(crate) fn from_result(result: Result<AppendResult, AppendError>) -> Option<Self> {
        let (recorded, message) = match result {
            Ok(AppendResult::Whole) => return None,
            Ok(AppendResult::WithoutBody(short)) => (
                true,
                space_message(short, &BODIES_NOT_RECORDED_DISK, &BODIES_NOT_RECORDED_SPOOL),
            ),
            Err(AppendError::NoSpace(short)) => (
                false,
                space_message(short, &EVENT_NOT_RECORDED_DISK, &EVENT_NOT_RECORDED_SPOOL),
            ),
            Err(error @ AppendError::Io { .. }) => (false, render!(EVENT_NOT_RECORDED, "why" => error.to_string())),
        };
        Some(Self { recorded, message })
    }
}

fn space_message(short: NoSpace, disk: &MessageTemplate, spool: &MessageTemplate) -> Message {
    match short {
        NoSpace::Disk => disk.render_plain(),
        NoSpace::Spool(bytes) => spool.render(args! { "mib" => bytes >> 20 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortfall_names_its_reason() {
        assert!(Shortfall::from_result(Ok(AppendResult::Whole)).is_none());
        let full = 300 << 20;
        for (kept, recorded, code, text) in [
            (
                Ok(AppendResult::WithoutBody(NoSpace::Disk)),
                true,
                "bodies_not_recorded",
                "disk is full",
            ),
            (
                Ok(AppendResult::WithoutBody(NoSpace::Spool(full))),
                true,
                "bodies_not_recorded",
                "300 MiB",
            ),
            (
                Err(AppendError::NoSpace(NoSpace::Disk)),
                false,
                "not_recorded",
                "disk is full",
            ),
            (
                Err(AppendError::NoSpace(NoSpace::Spool(full))),
                false,
                "not_recorded",
                "300 MiB",
            ),
        ] {
            let shortfall = Shortfall::from_result(kept).unwrap();
            assert_eq!((shortfall.recorded, shortfall.message.code), (recorded, code));
            assert!(shortfall.message.text.contains(text), "{}", shortfall.message.text);
        }
    }
}
