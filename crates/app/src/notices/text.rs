//! The texts and addresses of notifications.

use std::fmt::Write as _;

use hookwright_model::message::fill_template;
use hookwright_model::{Args, Message, args, render};
use hookwright_redact::Redactor;
use hookwright_workspace::settings::Language;
use serde_json::Value;

use super::finding::Finding;
use super::{ALL, JOINED, JOINED_UNKNOWN};
use crate::agent_sessions::{AgentSession, Member};

/// The longest label or event in a notification, in characters.
const MAX_CHARACTERS: usize = 60;

/// The sentence of one finding. Labels and names of events are texts of hooks and agents, so they are masked, made
/// visible and bounded.
pub(super) fn sentence(finding: &Finding, redactor: &Redactor) -> Message {
    finding.message.render(args! {
        "hook" => shown(&finding.label, redactor),
        "event" => shown(&finding.event, redactor),
    })
}

/// The sentence that a program joined a session. What agents say of themselves is masked, made visible and bounded.
pub(crate) fn program_joined(session: &AgentSession, member: &Member, redactor: &Redactor) -> Message {
    let (id, agent) = (shown(&session.id, redactor), shown(&member.agent.name, redactor));
    match (member.peer.lineage.process(), &member.program) {
        (Some(process), Some(program)) => {
            render!(
                JOINED,
                "session" => id, "agent" => agent, "program" => shown(&program.display().to_string(), redactor),
                "pid" => process.pid
            )
        }
        _ => render!(JOINED_UNKNOWN, "session" => id, "agent" => agent),
    }
}

fn shown(text: &str, redactor: &Redactor) -> String {
    let (masked, _) = redactor.text(text);
    let visible: String = masked
        .chars()
        .map(|char| if char.is_whitespace() { ' ' } else { char })
        .filter(|char| !is_invisible(*char))
        .collect();
    let words: Vec<&str> = visible.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= MAX_CHARACTERS {
        return line;
    }
    let kept: String = line.chars().take(MAX_CHARACTERS - 1).collect();
    kept + "…"
}

/// Control characters, and those that draw nothing or move others.
fn is_invisible(char: char) -> bool {
    char.is_control()
        || matches!(char,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}')
}

/// The sentence of a notification in a language; `None` if the code is not one of a notification. `system` is English
/// here: which language the system has is known to the host.
#[must_use]
pub fn text_in(language: Language, code: &str, args: &Args) -> Option<String> {
    let case = args.get("case").and_then(Value::as_str).unwrap_or_default();
    let template = ALL
        .iter()
        .find(|template| template.code == code && template.case == case)?;
    let text = match language {
        Language::System | Language::English => template.en,
        Language::Chinese => template.zh,
    };
    Some(fill_template(text, args))
}

/// A path of the user interface with its parameters, as `ui/src/routes/router.tsx` reads them.
pub(crate) fn path(screen: &str, parameters: &[(&str, &str)]) -> String {
    let mut out = screen.to_owned();
    for (index, (name, value)) in parameters.iter().enumerate() {
        out.push(if index == 0 { '?' } else { '&' });
        out.push_str(name);
        out.push('=');
        for byte in value.bytes() {
            if byte.is_ascii_alphanumeric() || b"-_.~:/".contains(&byte) {
                out.push(char::from(byte));
            } else {
                // Writing into a String cannot fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use hookwright_redact::RedactionSettings;
    use serde_json::json;

    use super::super::{FAILED_OPEN, RULES};
    use super::*;
    use crate::pushes::NoticeReason;

    fn redactor() -> Redactor {
        let settings = RedactionSettings::default();
        Redactor::new(std::iter::empty::<(&str, &str)>(), &settings)
    }

    fn finding(label: &str) -> Finding {
        Finding {
            reason: NoticeReason::FailedOpen,
            message: &FAILED_OPEN,
            hook: "jcli:project:x:0".to_owned(),
            subject: "jcli:project:x:0".to_owned(),
            label: label.to_owned(),
            event: "pre_tool_execution".to_owned(),
            project: None,
            at: "/hooks".to_owned(),
        }
    }

    #[test]
    fn a_sentence_is_said_in_both_languages() {
        let message = sentence(&finding("./guard.sh"), &redactor());
        assert_eq!(
            message.text,
            "guard ./guard.sh failed at pre_tool_execution; the agent continued"
        );
        let said = |language| text_in(language, message.code, &message.args).unwrap();
        assert_eq!(said(Language::English), message.text);
        assert_eq!(
            said(Language::Chinese),
            "防护 Hook ./guard.sh 在 pre_tool_execution 失败，Agent 已继续执行"
        );
        assert_eq!(text_in(Language::Chinese, "unknown", &message.args), None);
        for rule in RULES {
            let many = rule.many.render(args! { "count" => 3 });
            let said = text_in(Language::Chinese, many.code, &many.args).unwrap();
            assert!(said.starts_with("3 个"), "{said}");
        }
    }

    #[test]
    fn the_label_of_a_hook_is_masked_bounded_and_one_visible_line() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let label = format!("a\u{1b}[31m\u{202e}b\n\t c\u{200b} {token} {}", "x".repeat(200));
        let said = sentence(&finding(&label), &redactor()).args["hook"].clone();
        let said = said.as_str().unwrap();
        assert!(said.starts_with("a[31mb c "), "{said:?}");
        assert!(!said.contains("ghp_a1B2"), "{said:?}");
        assert_eq!(said.chars().count(), MAX_CHARACTERS, "{said:?}");
        assert!(said.ends_with('…'), "{said:?}");
    }

    #[test]
    fn a_label_that_looks_like_a_placeholder_stays_a_text() {
        let message = sentence(&finding("{event}<b>&"), &redactor());
        assert_eq!(
            message.text,
            "guard {event}<b>& failed at pre_tool_execution; the agent continued"
        );
    }

    #[test]
    fn a_path_can_contain_every_hook_id() {
        assert_eq!(
            path("/hooks", &[("hook", "a:b/c d&e=中")]),
            "/hooks?hook=a:b/c%20d%26e%3D%E4%B8%AD"
        );
        assert_eq!(
            path("/history", &[("trace", "01K"), ("step", "2")]),
            "/history?trace=01K&step=2"
        );
        assert_eq!(json!(path("/trust", &[])), json!("/trust"));
    }
}
