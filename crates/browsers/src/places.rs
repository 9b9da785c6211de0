//! Where browsers keep their profiles.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::ReadError;

/// Browsers whose cookies we can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Browser {
    /// Google Chrome.
    Chrome,
    /// Chromium.
    Chromium,
    /// Brave.
    Brave,
    /// Microsoft Edge.
    Edge,
    /// Arc, for macOS and Windows.
    Arc,
    /// Comet, for macOS and Windows.
    Comet,
    /// Mozilla Firefox.
    Firefox,
}

impl Browser {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Chrome,
        Self::Chromium,
        Self::Brave,
        Self::Edge,
        Self::Arc,
        Self::Comet,
        Self::Firefox,
    ];

    /// Its name on a command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Chrome => "chrome",
            Self::Chromium => "chromium",
            Self::Brave => "brave",
            Self::Edge => "edge",
            Self::Arc => "arc",
            Self::Comet => "comet",
            Self::Firefox => "firefox",
        }
    }

    /// Its profile folders below the home folder, by system; installed as a package, a snap or a
    /// flatpak.
    fn folders(self) -> &'static [&'static str] {
        match self {
            Self::Chrome => &[
                "$CONFIG/google-chrome",
                ".var/app/com.google.Chrome/config/google-chrome",
                "Library/Application Support/Google/Chrome",
                "AppData/Local/Google/Chrome/User Data",
            ],
            Self::Chromium => &[
                "$CONFIG/chromium",
                "snap/chromium/common/chromium",
                ".var/app/org.chromium.Chromium/config/chromium",
                "Library/Application Support/Chromium",
                "AppData/Local/Chromium/User Data",
            ],
            Self::Brave => &[
                "$CONFIG/BraveSoftware/Brave-Browser",
                "snap/brave/current/.config/BraveSoftware/Brave-Browser",
                ".var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser",
                "Library/Application Support/BraveSoftware/Brave-Browser",
                "AppData/Local/BraveSoftware/Brave-Browser/User Data",
            ],
            Self::Edge => &[
                "$CONFIG/microsoft-edge",
                ".var/app/com.microsoft.Edge/config/microsoft-edge",
                "Library/Application Support/Microsoft Edge",
                "AppData/Local/Microsoft/Edge/User Data",
            ],
            Self::Arc => &[
                "Library/Application Support/Arc/User Data",
                "AppData/Local/Packages/TheBrowserCompany.Arc_ttt1ap7aakyb4/LocalCache/Local/Arc/User Data",
            ],
            Self::Comet => &[
                "Library/Application Support/Comet",
                "AppData/Local/Perplexity/Comet/User Data",
            ],
            Self::Firefox => &[
                ".mozilla/firefox",
                "$CONFIG/mozilla/firefox",
                "snap/firefox/common/.mozilla/firefox",
                ".var/app/org.mozilla.firefox/.mozilla/firefox",
                "Library/Application Support/Firefox",
                "AppData/Roaming/Mozilla/Firefox",
            ],
        }
    }
}

/// The browser's name in the keyring; `None` if it keeps no key there.
#[must_use]
pub fn keyring_name(browser: Browser) -> Option<&'static str> {
    match browser {
        Browser::Chrome => Some("chrome"),
        Browser::Chromium => Some("chromium"),
        Browser::Brave => Some("brave"),
        // Edge uses Chromium's entry.
        Browser::Edge => Some("chromium"),
        // Not available on Linux.
        Browser::Arc | Browser::Comet | Browser::Firefox => None,
    }
}

/// A browser and optionally, after a colon, one of its profiles: `chrome`, `chrome:Profile 1`,
/// `firefox:work`, or a profile's folder, `chromium:/path/to/Default`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    /// The browser.
    pub browser: Browser,
    /// Name or folder of the profile; `None` means the default one.
    pub profile: Option<String>,
}

/// It names no known browser.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("szk cannot read `{0}`: name chrome, chromium, brave, edge, arc, comet or firefox")]
pub struct SpecError(String);

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (word, profile) = match text.split_once(':') {
            Some((word, profile)) => (word, Some(profile.to_owned())),
            None => (text, None),
        };
        let browser = Browser::ALL.into_iter().find(|b| b.word() == word);
        Ok(Self {
            browser: browser.ok_or_else(|| SpecError(word.to_owned()))?,
            profile: profile.filter(|profile| !profile.is_empty()),
        })
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.browser.word())?;
        match &self.profile {
            Some(profile) => write!(f, ":{profile}"),
            None => Ok(()),
        }
    }
}

/// The user's folders.
#[derive(Debug, Clone)]
pub struct Home {
    /// The home folder.
    pub home: PathBuf,
    /// `XDG_CONFIG_HOME`, if set.
    pub config: Option<PathBuf>,
}

/// One profile of a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The browser.
    pub browser: Browser,
    /// Name of the profile, as in its folder.
    pub profile: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The file with its cookies.
    pub cookies: PathBuf,
}

/// The profile that a spec refers to.
///
/// # Errors
/// [`ReadError::NotFound`], which lists the existing profiles.
pub fn find(spec: &Spec, home: &Home) -> Result<Source, ReadError> {
    if let Some(folder) = spec.profile.as_deref().filter(|p| p.starts_with('/')) {
        return source(spec.browser, Path::new(folder))
            .ok_or_else(|| ReadError::NotFound(format!("there are no cookies of {spec}")));
    }
    let all = all(spec.browser, home);
    let fits = |source: &&Source| match &spec.profile {
        Some(name) => {
            // Firefox puts random letters before the name.
            source.profile == *name || source.profile.split_once('.').is_some_and(|p| p.1 == *name)
        }
        None => true,
    };
    if let Some(found) = all.iter().find(fits) {
        return Ok(found.clone());
    }
    let names: Vec<String> = all.iter().map(|s| format!("`{}`", s.profile)).collect();
    Err(ReadError::NotFound(if names.is_empty() {
        format!(
            "there is no profile of {} with cookies in your home folder",
            spec.browser.word()
        )
    } else {
        format!(
            "{} has no profile `{}`; there are {}",
            spec.browser.word(),
            spec.profile.as_deref().unwrap_or_default(),
            names.join(", ")
        )
    }))
}

/// All profiles of a browser that have cookies, its default one first.
fn all(browser: Browser, home: &Home) -> Vec<Source> {
    let config = home.config.clone().unwrap_or(home.home.join(".config"));
    let mut found = Vec::new();
    for folder in browser.folders() {
        let root = match folder.strip_prefix("$CONFIG/") {
            Some(rest) => config.join(rest),
            None => home.home.join(folder),
        };
        let mut here: Vec<Source> = if browser == Browser::Firefox {
            let folders = [root.clone(), root.join("Profiles")];
            folders
                .iter()
                .flat_map(|root| below(browser, root))
                .collect()
        } else {
            below(browser, &root)
        };
        let first = match browser {
            Browser::Firefox => crate::firefox::default_profile(&root),
            _ => Some("Default".to_owned()),
        };
        here.sort_by_key(|s| (Some(&s.profile) != first.as_ref(), s.profile.clone()));
        found.extend(here);
    }
    found
}

fn below(browser: Browser, root: &Path) -> Vec<Source> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| source(browser, &entry.path()))
        .collect()
}

fn source(browser: Browser, folder: &Path) -> Option<Source> {
    let files: &[&str] = match browser {
        Browser::Firefox => &["cookies.sqlite"],
        _ => &["Network/Cookies", "Cookies"],
    };
    let cookies = files
        .iter()
        .map(|file| folder.join(file))
        .find(|p| p.is_file())?;
    Some(Source {
        browser,
        profile: folder.file_name()?.to_string_lossy().into_owned(),
        folder: folder.to_owned(),
        cookies,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(home: &Path, path: &str) {
        let path = home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }

    fn spec(text: &str) -> Spec {
        text.parse().unwrap()
    }

    #[test]
    fn specs() {
        assert_eq!(spec("chrome:Profile 1").to_string(), "chrome:Profile 1");
        assert_eq!(spec("edge:").profile, None);
        assert!("safari".parse::<Spec>().is_err());
    }

    #[test]
    fn profiles_are_found_where_packages_snaps_and_flatpaks_put_them() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home {
            home: dir.path().to_owned(),
            config: None,
        };
        for path in [
            ".config/google-chrome/Profile 1/Network/Cookies",
            ".config/google-chrome/Default/Cookies",
            ".config/google-chrome/System Profile/x",
            "snap/chromium/common/chromium/Default/Cookies",
            ".var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser/Default/Cookies",
            ".mozilla/firefox/abcd.old/cookies.sqlite",
            ".mozilla/firefox/wxyz.default-release/cookies.sqlite",
        ] {
            put(dir.path(), path);
        }
        fs::write(
            dir.path().join(".mozilla/firefox/profiles.ini"),
            "[Install4F]\nDefault=wxyz.default-release\nLocked=1\n\n[Profile0]\nName=old\nPath=abcd.old\nDefault=1\n",
        )
        .unwrap();
        let check = |text: &str, expected: &str| {
            let found = find(&spec(text), &home).unwrap();
            let below = found.cookies.strip_prefix(dir.path()).unwrap();
            assert!(below.ends_with(expected), "{text}: {}", below.display());
        };
        check("chrome", "google-chrome/Default/Cookies");
        check("chrome:Profile 1", "Profile 1/Network/Cookies");
        check("chromium", "chromium/Default/Cookies");
        check("brave", "Brave-Browser/Default/Cookies");
        check("firefox", "wxyz.default-release/cookies.sqlite");
        check("firefox:old", "abcd.old/cookies.sqlite");
        let by_path = format!(
            "edge:{}/.config/google-chrome/Default",
            dir.path().display()
        );
        check(&by_path, "google-chrome/Default/Cookies");
        let message = |text: &str| find(&spec(text), &home).unwrap_err().to_string();
        assert_eq!(
            message("chrome:Profile 9"),
            "chrome has no profile `Profile 9`; there are `Default`, `Profile 1`"
        );
        assert!(message("edge").contains("no profile of edge"));
    }
}
