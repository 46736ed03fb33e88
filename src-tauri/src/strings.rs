//! The few texts that the system shows for Hookwright outside the page.

use std::sync::{Mutex, PoisonError};

use hookwright_app::NoticeReason;
use hookwright_workspace::HostEnv;
use hookwright_workspace::settings::Language;

/// The texts of the tray and of notifications, in one language.
#[derive(Debug, PartialEq, Eq)]
pub struct TrayStrings {
    /// The language of these texts.
    pub language: Language,
    /// What ends a sentence.
    pub full_stop: char,
    /// Menu item while the window is hidden.
    pub show: &'static str,
    /// Menu item while the window is shown.
    pub hide: &'static str,
    /// Menu item that shows what needs the user, before the number.
    pub needs: &'static str,
    /// The same item while nothing needs the user.
    pub needs_nothing: &'static str,
    /// Menu item that ends the program.
    pub quit: &'static str,
    /// Title of the notification that is shown once, when the window was closed to the tray.
    pub hidden_title: &'static str,
    /// Text of that notification.
    pub hidden_body: &'static str,
    /// Title of a notification of [`NoticeReason::FailedOpen`].
    pub failed_open: &'static str,
    /// Title of a notification of [`NoticeReason::OverBudget`].
    pub over_budget: &'static str,
    /// Title of a notification of [`NoticeReason::WaitsForApproval`].
    pub waits_for_approval: &'static str,
    /// Title of a notification of [`NoticeReason::SessionJoined`].
    pub session_joined: &'static str,
}

impl TrayStrings {
    /// The title of a notification.
    pub const fn title(&self, reason: NoticeReason) -> &'static str {
        match reason {
            NoticeReason::FailedOpen => self.failed_open,
            NoticeReason::OverBudget => self.over_budget,
            NoticeReason::WaitsForApproval => self.waits_for_approval,
            NoticeReason::SessionJoined => self.session_joined,
        }
    }

    /// The menu item that shows what needs the user.
    pub fn needs(&self, count: usize) -> String {
        if count == 0 {
            self.needs_nothing.to_owned()
        } else {
            format!("{}{count}", self.needs)
        }
    }
}

pub const EN: TrayStrings = TrayStrings {
    language: Language::English,
    full_stop: '.',
    show: "Show window",
    hide: "Hide window",
    needs: "Needs you: ",
    needs_nothing: "Nothing needs you",
    quit: "Quit Hookwright",
    hidden_title: "Hookwright is still running",
    hidden_body: "It continues to watch your hooks. Open it again or quit from its icon in the tray.",
    failed_open: "A guard failed open",
    over_budget: "A hook exceeded its time",
    waits_for_approval: "A new hook waits for approval",
    session_joined: "Another program joined a session",
};

/// Simplified Chinese.
pub const ZH: TrayStrings = TrayStrings {
    language: Language::Chinese,
    full_stop: '。',
    show: "显示窗口",
    hide: "隐藏窗口",
    needs: "待处理：",
    needs_nothing: "没有待处理事项",
    quit: "退出 Hookwright",
    hidden_title: "Hookwright 仍在运行",
    hidden_body: "它会继续监视你的 Hook。可从托盘图标重新打开或退出。",
    failed_open: "防护 Hook 失败并放行",
    over_budget: "Hook 用时超限",
    waits_for_approval: "新的 Hook 待批准",
    session_joined: "另一个程序加入了会话",
};

/// The language of the tray and of notifications.
#[derive(Debug)]
pub struct CurrentLanguage {
    desktop_strings: &'static TrayStrings,
    current: Mutex<&'static TrayStrings>,
}

impl CurrentLanguage {
    /// Uses the desktop's language until the settings are known.
    pub fn new(env: &HostEnv) -> Self {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
            .into_iter()
            .find_map(|name| env.var(name));
        let desktop_strings = for_locale(locale.as_deref().unwrap_or_default());
        Self {
            desktop_strings,
            current: Mutex::new(desktop_strings),
        }
    }

    /// The texts of the current language.
    pub fn strings(&self) -> &'static TrayStrings {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the language of the settings: `system`, or a language such as `zh-CN`.
    pub fn set(&self, language: &str) -> &'static TrayStrings {
        let strings = if language == "system" || language.is_empty() {
            self.desktop_strings
        } else {
            for_locale(language)
        };
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = strings;
        strings
    }
}

fn for_locale(locale: &str) -> &'static TrayStrings {
    if locale.starts_with("zh") { &ZH } else { &EN }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn the_language_of_the_settings_wins_over_that_of_the_desktop() {
        let vars = [("HOME", "/home/me"), ("LANG", "zh_CN.UTF-8")];
        let vars = vars
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        let env = HostEnv::new(vars, PathBuf::from("/"), PathBuf::from("/bin/true")).unwrap();
        let language = CurrentLanguage::new(&env);
        assert_eq!(language.strings(), &ZH);
        assert_eq!(language.set("en"), &EN);
        assert_eq!(language.strings(), &EN);
        assert_eq!(language.set("system"), &ZH);
    }

    #[test]
    fn the_menu_says_how_much_needs_the_user() {
        assert_eq!(
            (EN.needs(0), EN.needs(3)),
            ("Nothing needs you".to_owned(), "Needs you: 3".to_owned())
        );
        assert_eq!(
            (ZH.needs(0), ZH.needs(3)),
            ("没有待处理事项".to_owned(), "待处理：3".to_owned())
        );
    }
}
