//! The few words that the system shows for us, outside the page.

use std::sync::{Mutex, PoisonError};

use hookwright_app::HostEnv;

/// What tray and notifications say.
#[derive(Debug, PartialEq, Eq)]
pub struct Words {
    /// Tray: the window is hidden.
    pub show: &'static str,
    /// Tray: the window is there.
    pub hide: &'static str,
    /// Tray.
    pub quit: &'static str,
    /// Said once: the window was closed to the tray.
    pub hidden_title: &'static str,
    /// What that means.
    pub hidden_body: &'static str,
}

/// English.
pub const EN: Words = Words {
    show: "Show window",
    hide: "Hide window",
    quit: "Quit Hookwright",
    hidden_title: "Hookwright is still here",
    hidden_body: "It keeps watching your hooks. Open it again, or quit, from its icon in the tray.",
};

/// Simplified Chinese.
pub const ZH: Words = Words {
    show: "显示窗口",
    hide: "隐藏窗口",
    quit: "退出 Hookwright",
    hidden_title: "Hookwright 仍在运行",
    hidden_body: "它会继续监视你的 hook。可从托盘图标重新打开或退出。",
};

/// The language to speak now.
#[derive(Debug)]
pub struct Speaker {
    desktop: &'static Words,
    now: Mutex<&'static Words>,
}

impl Speaker {
    /// Speaks as the desktop does, until the settings are known.
    pub fn new(around: &HostEnv) -> Self {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
            .into_iter()
            .find_map(|name| around.var(name));
        let desktop = of_locale(locale.as_deref().unwrap_or_default());
        Self {
            desktop,
            now: Mutex::new(desktop),
        }
    }

    /// What is spoken now.
    pub fn words(&self) -> &'static Words {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Speaks as the settings say: `system`, or a language.
    pub fn follow(&self, language: &str) -> &'static Words {
        let words = if language == "system" || language.is_empty() {
            self.desktop
        } else {
            of_locale(language)
        };
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = words;
        words
    }
}

fn of_locale(locale: &str) -> &'static Words {
    if locale.starts_with("zh") { &ZH } else { &EN }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn the_settings_come_before_the_desktop() {
        let vars = [("HOME", "/home/me"), ("LANG", "zh_CN.UTF-8")];
        let vars = vars
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        let around = HostEnv::new(vars, PathBuf::from("/"), PathBuf::from("/bin/true")).unwrap();
        let speaker = Speaker::new(&around);
        assert_eq!(speaker.words(), &ZH);
        assert_eq!(speaker.follow("en"), &EN);
        assert_eq!(speaker.words(), &EN);
        assert_eq!(speaker.follow("system"), &ZH);
    }
}
