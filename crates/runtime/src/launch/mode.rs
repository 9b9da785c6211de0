//! With a window, or without a display.

use serde::{Deserialize, Serialize};
use szk_config::Headless;

/// How Chromium is displayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// A window on the user's display.
    Window,
    /// No display: the headed browser on the headless ozone platform. Never `--headless`, which pages
    /// can detect.
    Headless,
}

impl Mode {
    /// The mode for a setting; `auto` checks the environment for a display.
    #[must_use]
    pub fn pick(setting: Headless, env: impl Fn(&str) -> Option<String>) -> Self {
        match setting {
            Headless::On => Self::Headless,
            Headless::Off => Self::Window,
            Headless::Auto if has_display(env) => Self::Window,
            Headless::Auto => Self::Headless,
        }
    }
}

#[cfg(target_os = "linux")]
fn has_display(env: impl Fn(&str) -> Option<String>) -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| env(name).is_some_and(|value| !value.is_empty()))
}

#[cfg(not(target_os = "linux"))]
fn has_display(_: impl Fn(&str) -> Option<String>) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn auto_follows_the_display() {
        let with = |name: &'static str, value: &'static str| {
            move |asked: &str| (asked == name).then(|| value.to_owned())
        };
        assert_eq!(
            Mode::pick(Headless::Auto, with("DISPLAY", ":1")),
            Mode::Window
        );
        assert_eq!(
            Mode::pick(Headless::Auto, with("WAYLAND_DISPLAY", "wayland-0")),
            Mode::Window
        );
        assert_eq!(
            Mode::pick(Headless::Auto, with("DISPLAY", "")),
            Mode::Headless
        );
        assert_eq!(Mode::pick(Headless::Auto, |_| None), Mode::Headless);
        assert_eq!(
            Mode::pick(Headless::On, with("DISPLAY", ":1")),
            Mode::Headless
        );
        assert_eq!(Mode::pick(Headless::Off, |_| None), Mode::Window);
    }
}
