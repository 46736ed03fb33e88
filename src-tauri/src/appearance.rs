//! The appearance of the window before its page has drawn anything: the chosen theme and language, from the settings
//! file.

use hookwright_workspace::HostEnv;
use hookwright_workspace::settings::{Settings, Theme, UiSettings};
use tauri::utils::config::Color;

/// The background of the dark theme, `--bg-1`.
const DARK: Color = Color(0x12, 0x16, 0x18, 0xff);
/// The background of the light theme, `--bg-1`.
const LIGHT: Color = Color(0xfb, 0xfc, 0xfc, 0xff);

/// The settings at the time when the window opens. After that, the page follows the settings itself.
pub struct Appearance(UiSettings);

impl Appearance {
    /// Reads the settings file. The page reports what is wrong with it.
    pub fn read(env: &HostEnv) -> Self {
        Self(Settings::read(&env.data_dir.join("settings.toml"), &env.home).ui)
    }

    /// The background colour for a desktop with this theme.
    pub fn background(&self, desktop: tauri::Theme) -> Color {
        match self.0.theme {
            Theme::Dark => DARK,
            Theme::Light => LIGHT,
            Theme::System if desktop == tauri::Theme::Light => LIGHT,
            Theme::System => DARK,
        }
    }

    /// A script that gives theme and language to the page before it draws anything. The page's `appearance.js` reads them.
    pub fn script(&self) -> String {
        let look = serde_json::json!({"theme": self.0.theme.as_str(), "language": self.0.language.as_str()});
        format!("window.hookwrightLook = {look};")
    }
}

#[cfg(test)]
mod tests {
    use hookwright_workspace::settings::Language;

    use super::*;

    #[test]
    fn the_theme_of_the_settings_wins_over_that_of_the_desktop() {
        let appearance = |theme| {
            Appearance(UiSettings {
                theme,
                language: Language::Chinese,
            })
        };
        assert_eq!(appearance(Theme::Light).background(tauri::Theme::Dark), LIGHT);
        assert_eq!(appearance(Theme::System).background(tauri::Theme::Dark), DARK);
        assert_eq!(appearance(Theme::System).background(tauri::Theme::Light), LIGHT);
        assert_eq!(
            appearance(Theme::Dark).script(),
            r#"window.hookwrightLook = {"theme":"dark","language":"zh-CN"};"#
        );
    }
}
