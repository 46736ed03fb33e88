//! How the window looks before its page has drawn itself: the chosen theme and language, from the settings file.

use hookwright_app::HostEnv;
use hookwright_app::settings::{Settings, Theme, UiSettings};
use tauri::utils::config::Color;

/// The canvas of the dark theme, `--bg-1`.
const DARK: Color = Color(0x12, 0x16, 0x18, 0xff);
/// The canvas of the light theme, `--bg-1`.
const LIGHT: Color = Color(0xfb, 0xfc, 0xfc, 0xff);

/// What the settings say when the window opens. The page follows them from then on.
pub struct Look(UiSettings);

impl Look {
    /// Reads the settings file; what is wrong with it is told by the page.
    pub fn read(around: &HostEnv) -> Self {
        Self(Settings::read(&around.data_dir.join("settings.toml"), &around.home).ui)
    }

    /// The colour behind the page, on a desktop of this theme.
    pub fn canvas(&self, desktop: tauri::Theme) -> Color {
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
    fn the_settings_come_before_the_desktop() {
        let look = |theme| {
            Look(UiSettings {
                theme,
                language: Language::Chinese,
            })
        };
        assert_eq!(look(Theme::Light).canvas(tauri::Theme::Dark), LIGHT);
        assert_eq!(look(Theme::System).canvas(tauri::Theme::Dark), DARK);
        assert_eq!(look(Theme::System).canvas(tauri::Theme::Light), LIGHT);
        assert_eq!(
            look(Theme::Dark).script(),
            r#"window.hookwrightLook = {"theme":"dark","language":"zh-CN"};"#
        );
    }
}
