//! Google Chrome, where it differs from Chromium.

use std::path::Path;

/// The first version of Google Chrome that loads no extension from its command line. From 137 on it did so
/// only with a feature turned off, which szk does.
const NO_EXTENSIONS: u32 = 142;

/// By the name of the command (`google-chrome-stable`), of the application on macOS, or of the folder it is
/// installed in. Chrome for Testing has no brand of its own.
#[must_use]
pub fn is_google_chrome(binary: &Path) -> bool {
    let text = binary.to_string_lossy().to_lowercase().replace(' ', "-");
    let name = text.rsplit('/').next().unwrap_or_default();
    if name.starts_with("google-chrome") {
        return !name.contains("for-testing");
    }
    name == "chrome" && text.contains("/google/chrome")
}

/// What becomes of extensions, as a warning; `None` if they are loaded. A version that is not known is taken for
/// a new one.
#[must_use]
pub fn ignores_extensions(binary: &Path, version: &str) -> Option<String> {
    let major = version
        .split('.')
        .next()
        .and_then(|major| major.parse().ok());
    let ignores = major.is_none_or(|major: u32| major >= NO_EXTENSIONS);
    (is_google_chrome(binary) && ignores).then(|| {
        "Google Chrome loads no extensions for others: name Chromium with SZK_CHROMIUM, or install them in a window of this profile"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn google_chrome_is_known_wherever_it_is_installed() {
        for chrome in [
            "/usr/bin/google-chrome-stable",
            "/opt/google/chrome/google-chrome",
            "/opt/google/chrome/chrome",
            "/opt/google/chrome-beta/chrome",
            "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        ] {
            assert!(is_google_chrome(Path::new(chrome)), "{chrome}");
        }
        for other in [
            "/usr/bin/chromium",
            "/home/me/chrome-linux/chrome",
            "/Applications/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
        ] {
            assert!(!is_google_chrome(Path::new(other)), "{other}");
        }
    }

    #[test]
    fn only_google_chrome_ignores_extensions() {
        let warns = |path: &str, version| ignores_extensions(Path::new(path), version).is_some();
        assert!(warns("/usr/bin/google-chrome-stable", "156.0.8078.79"));
        assert!(!warns("/usr/bin/google-chrome-stable", "141.0.1.2"));
        assert!(warns("/usr/bin/google-chrome-stable", ""));
        assert!(!warns("/usr/bin/chromium", "156.0.8078.79"));
    }
}
