//! How the window looks before its page has drawn itself: the chosen theme and language, from the settings file.

use hookwright_app::HostEnv;
use hookwright_app::settings::{Settings, Theme, UiSettings};
use tauri::utils::config::Color;

/// The canvas of the dark theme, `--bg-1`.
const DARK: Color = Color(0x12, 0x16, 0x18, 0xff);
/// The canvas of the light theme, `--bg-1`.
const LIGHT: Color = Color(0xfb, 0xfc, 0xfc, 0xff);

/// What the settings say when the window opens. The page follows them from then on.
pub struct Appearance(UiSettings);

impl Appearance {
    /// Reads the settings file; what is wrong with it is told by the page.
    pub fn read(env: &HostEnv) -> Self {
        Self(Settings::read(&env.data_dir.join("settings.toml"), &env.home).ui)
    }

    /// The colour behind the page, on a desktop of this theme.
    pub fn background(&self, desktop: tauri::Theme) -> Color {
        match self.0.theme {
            Theme::Dark => DARK,
            Theme::Light => LIGHT,
            Theme::System if desktop == tauri::Theme::Light => LIGHT,
            Theme::System => DARK,
        }
    }

    /// Tells the page before it draws anything; its `look.js` reads it.
    pub fn script(&self) -> String {
        let look = serde_json::json!({"theme": self.0.theme.as_str(), "language": self.0.language.as_str()});
        format!("window.hookwrightLook = {look};")
    }
}

#[cfg(test)]
mod tests {
    use hookwright_app::settings::Language;

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
