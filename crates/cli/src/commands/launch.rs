//! The arguments for opening a profile, shared by `open` and `run`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::ValueHint;
use szk_tools::Failure;
use szk_tools::session::{Headless, OpenInput};

use super::pick::word;

/// How to open the profile if it is not open.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Browser")]
pub(crate) struct Launch {
    /// Identity preset; see `szk config presets`
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with_all = ["viewport", "locale", "timezone", "user_agent"]
    )]
    preset: Option<String>,
    /// Without a window: true, false, or auto (depends on whether there is a display)
    #[arg(
        long,
        value_name = "WHEN",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        value_parser = word::<Headless>(&["auto", "true", "false"])
    )]
    headless: Option<Headless>,
    /// With a window; same as `--headless=false`
    #[arg(long, conflicts_with = "headless")]
    window: bool,
    /// Open an ephemeral deep copy, deleted when its last client leaves
    #[arg(long)]
    clone: bool,
    /// Size of the page area, such as 1280x800
    #[arg(long, value_name = "WxH")]
    viewport: Option<String>,
    /// Locale such as de-DE
    #[arg(long, value_name = "TAG")]
    locale: Option<String>,
    /// IANA time zone such as Europe/Berlin
    #[arg(long, value_name = "ZONE")]
    timezone: Option<String>,
    /// User agent string; pages can notice one for another system
    #[arg(long, value_name = "TEXT")]
    user_agent: Option<String>,
    /// Proxy such as http://user:password@host:port or socks5://host:port
    #[arg(long, value_name = "URL")]
    proxy: Option<String>,
    /// Folder of an unpacked extension; can be repeated
    #[arg(long = "extension", value_name = "DIR", value_hint = ValueHint::DirPath)]
    extensions: Vec<PathBuf>,
    /// Also open Chromium's own debugging port: no token, no shield, no policy
    #[arg(long, value_name = "PORT")]
    raw_port: Option<u16>,
    /// Time budget for opening in milliseconds [default: 60000]
    #[arg(long, value_name = "MS")]
    timeout_ms: Option<u64>,
}

impl Launch {
    /// The input of `session_open` for this profile.
    ///
    /// # Errors
    /// `INVALID_INPUT` for a path that cannot be made absolute.
    pub(crate) fn input(self, session: String, url: Option<String>) -> Result<OpenInput, Failure> {
        let extensions: Result<Vec<PathBuf>, Failure> =
            self.extensions.iter().map(|path| absolute(path)).collect();
        Ok(OpenInput {
            session: Some(session),
            url,
            preset: self.preset,
            headless: if self.window {
                Some(Headless::False)
            } else {
                self.headless
            },
            clone: self.clone.then_some(true),
            viewport: self.viewport,
            locale: self.locale,
            timezone: self.timezone,
            user_agent: self.user_agent,
            proxy: self.proxy,
            extensions: Some(extensions?).filter(|list| !list.is_empty()),
            raw_port: self.raw_port,
            snapshot: None,
            timeout_ms: self.timeout_ms,
        })
    }
}

/// `path` made absolute from here; the keeper may run in another folder.
pub(crate) fn absolute(path: &std::path::Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| {
        Failure::invalid(format!(
            "`{}` is not a usable path: {error}",
            path.display()
        ))
    })
}
