//! What the engine notifies of, outside the page: notifications of the desktop, and what needs the user in the tray's menu.
//!
//! The page always shows a toast. The desktop is notified as well while the window is not in front. A desktop without
//! notifications or without a tray loses nothing else.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookwright_app::{NoticeReason, Push, notices};
use hookwright_model::Args;
use serde_json::{Value, json};
use tauri::{AppHandle, Manager as _};
use tauri_plugin_notification::{ActionPerformed, NotificationExt as _};

use crate::engine::Engine;
use crate::strings::{CurrentLanguage, TrayStrings};
use crate::tray::{self, Tray};
use crate::window;

/// How many places are remembered for the tray. The oldest one is dropped.
const MAX_UNSEEN: usize = 99;
/// Approvals often change several times at once. They are counted once after that.
const SETTLE: Duration = Duration::from_millis(500);
/// How the notification plugin calls a click on the notification itself.
const CLICK: &str = "tap";

/// A page of the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its path in the user interface.
    pub to: String,
    /// The project to switch to first; `None` to stay with the current one.
    pub project: Option<String>,
}

/// What needs the user: hooks that wait for approval, and notices that were not seen yet.
#[derive(Debug, Default)]
pub struct Attention {
    state: Mutex<Needs>,
    /// A count of the hooks that wait is under way.
    is_counting: AtomicBool,
}

#[derive(Debug, Default)]
struct Needs {
    unseen: VecDeque<Place>,
    pending: usize,
}

impl Needs {
    fn add(&mut self, reason: NoticeReason, place: Place) {
        match reason {
            // Counted by the engine, which also knows when the approval was given.
            NoticeReason::WaitsForApproval => {}
            NoticeReason::FailedOpen | NoticeReason::OverBudget | NoticeReason::SessionJoined => {
                if self.unseen.len() >= MAX_UNSEEN {
                    self.unseen.pop_front();
                }
                self.unseen.push_back(place);
            }
        }
    }

    fn count(&self) -> usize {
        self.unseen.len() + self.pending
    }

    /// The newest notice, or else the hooks that wait for approval.
    fn place(&self) -> Option<Place> {
        let review = || Place {
            to: "/trust".to_owned(),
            project: None,
        };
        let newest = self.unseen.back().cloned();
        newest.or_else(|| (self.pending > 0).then(review))
    }
}

impl Attention {
    fn needs(&self) -> MutexGuard<'_, Needs> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many things need the user.
    pub fn count(&self) -> usize {
        self.needs().count()
    }
}

/// Leads a click on a notification to its place.
pub fn set_up(app: &AppHandle) {
    let handle = app.clone();
    let registered = app
        .notification()
        .on_action(move |performed| on_action(&handle, performed));
    if let Err(error) = registered {
        tracing::warn!(%error, "a click on a notification does nothing");
    }
}

fn on_action(app: &AppHandle, performed: &ActionPerformed) {
    if performed.action_id() != CLICK {
        return;
    }
    window::show(app);
    let text = |name: &str| {
        let extra = performed.notification()?.extra();
        extra.get(name).and_then(Value::as_str).map(str::to_owned)
    };
    // The notification that the window is in the tray has no place.
    if let Some(to) = text("to") {
        open_page(
            app,
            Place {
                to,
                project: text("project"),
            },
        );
    }
}

/// Handles a push that is a notice: it is counted and shown by the desktop, unless the user looks at the window.
pub fn on_push(app: &AppHandle, push: &Push) {
    let Push::Notice {
        code,
        text,
        args,
        reason: Some(reason),
        to: Some(to),
        project,
    } = push
    else {
        return;
    };
    if window::is_in_front(app) {
        return;
    }
    let place = Place {
        to: to.clone(),
        project: project.clone(),
    };
    app.state::<Attention>().needs().add(*reason, place.clone());
    tray::refresh_menu(app);
    let strings = app.state::<CurrentLanguage>().strings();
    show(
        app.clone(),
        strings.title(*reason),
        sentence(strings, code, text, args),
        place,
    );
}

/// The text in the language of the tray; `english` if this version does not know the code.
fn sentence(strings: &TrayStrings, code: &str, english: &str, args: &Args) -> String {
    let text = notices::text_in(strings.language, code, args).unwrap_or_else(|| english.to_owned());
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    format!("{}{}{}", first.unwrap_or_default(), letters.as_str(), strings.full_stop)
}

fn show(app: AppHandle, title: &'static str, text: String, place: Place) {
    tauri::async_runtime::spawn_blocking(move || {
        let Some(format) = body_format() else { return };
        let builder = app
            .notification()
            .builder()
            .title(title)
            .body(format.write(&text))
            .extra("to", place.to)
            .extra("project", place.project);
        if let Err(error) = builder.show() {
            tracing::warn!(%error, "the desktop does not accept notifications");
        }
    });
}

/// How the desktop reads the text of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyFormat {
    /// As it is.
    Plain,
    /// With tags like those of HTML. The names of hooks must not be read as such.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "other desktops read the text as it is")
    )]
    Markup,
}

impl BodyFormat {
    fn write(self, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Markup => text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
        }
    }
}

/// How the desktop reads the text of a notification; `None` if it shows none.
#[cfg(target_os = "linux")]
fn body_format() -> Option<BodyFormat> {
    let server = "org.freedesktop.Notifications";
    let query = || -> zbus::Result<Vec<String>> {
        let bus = zbus::blocking::connection::Builder::session()?
            .method_timeout(Duration::from_secs(1))
            .build()?;
        let path = "/org/freedesktop/Notifications";
        let answer = bus.call_method(Some(server), path, Some(server), "GetCapabilities", &())?;
        answer.body().deserialize()
    };
    match query() {
        Ok(capabilities) if capabilities.iter().any(|name| name == "body-markup") => Some(BodyFormat::Markup),
        Ok(_) => Some(BodyFormat::Plain),
        Err(error) => {
            tracing::info!(%error, "the desktop shows no notifications");
            None
        }
    }
}

/// These platforms always show notifications, as plain text.
#[cfg(not(target_os = "linux"))]
fn body_format() -> Option<BodyFormat> {
    Some(BodyFormat::Plain)
}

/// Called when the user looks at the window: its pages show what was not seen.
pub fn set_seen(app: &AppHandle) {
    app.state::<Attention>().needs().unseen.clear();
    tray::refresh_menu(app);
}

/// Shows the window at what needs the user.
pub fn show_first(app: &AppHandle) {
    let place = app.state::<Attention>().needs().place();
    window::show(app);
    if let Some(place) = place {
        open_page(app, place);
    }
    set_seen(app);
}

/// Opens a page as soon as the engine and the page are ready.
pub fn open_page(app: &AppHandle, place: Place) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let engine = app.state::<Engine>();
        let host = engine.host().await;
        engine.wait_until_page_listens().await;
        host.push(Push::Navigate {
            to: place.to,
            project: place.project,
        });
    });
}

/// Counts the hooks that wait for approval in the project on screen, soon. Only the tray shows the number.
pub fn count_pending(app: &AppHandle) {
    if app.try_state::<Tray>().is_none() || app.state::<Attention>().is_counting.swap(true, Ordering::Relaxed) {
        return;
    }
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(SETTLE).await;
        let attention = app.state::<Attention>();
        attention.is_counting.store(false, Ordering::Relaxed);
        let state = app.state::<Engine>().host().await.call("state", json!({})).await;
        // Without an engine nothing can be approved.
        let pending = state
            .ok()
            .and_then(|state| state["pending"].as_u64())
            .unwrap_or_default();
        attention.needs().pending = usize::try_from(pending).unwrap_or(usize::MAX);
        tray::refresh_menu(&app);
    });
}

#[cfg(test)]
mod tests {
    use hookwright_model::args;

    use super::*;
    use crate::strings::{EN, ZH};

    fn place(to: &str) -> Place {
        Place {
            to: to.to_owned(),
            project: Some("/p".to_owned()),
        }
    }

    #[test]
    fn the_tray_leads_to_the_newest_notice_and_then_to_the_review() {
        let mut needs = Needs::default();
        assert_eq!((needs.count(), needs.place()), (0, None));
        needs.pending = 2;
        assert_eq!(needs.place().map(|place| place.to), Some("/trust".to_owned()));
        needs.add(NoticeReason::FailedOpen, place("/history?trace=A"));
        needs.add(NoticeReason::OverBudget, place("/hooks?hook=B"));
        needs.add(NoticeReason::WaitsForApproval, place("/trust?hook=C"));
        assert_eq!((needs.count(), needs.place()), (4, Some(place("/hooks?hook=B"))));
        needs.add(NoticeReason::SessionJoined, place("/agents?session=D"));
        assert_eq!((needs.count(), needs.place()), (5, Some(place("/agents?session=D"))));
        for n in 0..200 {
            needs.add(NoticeReason::FailedOpen, place(&n.to_string()));
        }
        assert_eq!(needs.count(), MAX_UNSEEN + 2);
    }

    #[test]
    fn a_notification_is_a_full_sentence_in_the_language_of_the_tray() {
        let args = args! { "case" => "failed", "hook" => "./guard.sh", "event" => "stop" };
        let english = "guard ./guard.sh failed at stop; the agent continued";
        assert_eq!(
            sentence(&EN, "notice_failed_open", english, &args),
            "Guard ./guard.sh failed at stop; the agent continued."
        );
        assert_eq!(
            sentence(&ZH, "notice_failed_open", english, &args),
            "防护 Hook ./guard.sh 在 stop 失败，Agent 已继续执行。"
        );
        assert_eq!(
            sentence(&ZH, "of_a_later_version", "something happened", &args),
            "Something happened。"
        );
    }

    #[test]
    fn the_name_of_a_hook_is_no_markup() {
        let text = "Guard <a href=\"x\">a & b</a> failed.";
        assert_eq!(
            BodyFormat::Markup.write(text),
            "Guard &lt;a href=\"x\"&gt;a &amp; b&lt;/a&gt; failed."
        );
        assert_eq!(BodyFormat::Plain.write(text), text);
    }
}
