//! Imports cookies from the browsers on this machine, with the person's consent.

use std::path::PathBuf;

use szk_browsers::{Home, Keys, Source, Spec};
use szk_tools::session::StateInput;
use szk_tools::{Code, Failure};
use tokio::task::spawn_blocking;

/// Cookies read from a browser, as text for `session_state` to import.
pub struct BrowserCookies {
    /// A JSON array. It contains secrets.
    pub text: String,
    /// Number of cookies.
    pub count: usize,
    /// What could not be read, one line per reason.
    pub locked: Vec<String>,
}

impl std::fmt::Debug for BrowserCookies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BrowserCookies({})", self.count)
    }
}

/// Finds the browser profile that `from` names. It looks for files but opens none.
///
/// # Errors
/// `INVALID_INPUT` for an unknown browser, `NOT_FOUND` if it or the profile is not on this
/// machine.
pub fn cookies_source(from: &str) -> Result<Source, Failure> {
    let spec: Spec = from
        .parse()
        .map_err(|error: szk_browsers::SpecError| Failure::invalid(error.to_string()))?;
    let home = std::env::home_dir()
        .ok_or_else(|| Failure::new(Code::NotFound, "you have no home folder"))?;
    let config = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        // The XDG specification treats an empty or relative path as unset.
        .filter(|path| path.is_absolute());
    szk_browsers::find(&spec, &Home { home, config }).map_err(|error| failure(&error))
}

impl BrowserCookies {
    /// Reads the cookies of a domain and its subdomains, or with `*` all of them. The caller must have
    /// asked the person; the desktop may also ask for the keyring's password.
    ///
    /// # Errors
    /// The browser's files are unreadable, or have nothing for that domain.
    pub async fn read(source: Source, domain: &str) -> Result<Self, Failure> {
        let keyring = match szk_browsers::keyring_name(source.browser) {
            Some(name) => szk_secrets::browser_password(name).await,
            None => None,
        };
        let keys = Keys {
            keyring,
            ..Keys::default()
        };
        let wanted = (domain != "*").then(|| domain.to_owned());
        let shown = source.cookies.display().to_string();
        let harvest = spawn_blocking(move || szk_browsers::read(&source, wanted.as_deref(), &keys))
            .await
            .map_err(|error| Failure::internal(format!("reading cookies failed: {error}")))?
            .map_err(|error| failure(&error))?;
        let locked: Vec<String> = harvest
            .locked
            .iter()
            .map(|(why, count)| match count {
                1 => format!("1 cookie is {why}"),
                count => format!("{count} cookies are {why}"),
            })
            .collect();
        if harvest.cookies.is_empty() {
            return Err(match locked.first() {
                Some(why) => Failure::new(Code::PolicyDenied, why.clone()),
                None => Failure::new(
                    Code::NotFound,
                    format!("`{shown}` has no cookies for `{domain}`"),
                )
                .hint("the file may lack session cookies, which end with the browser"),
            });
        }
        let text = serde_json::to_string(&harvest.cookies)
            .map_err(|error| Failure::internal(format!("cannot write cookies: {error}")))?;
        Ok(Self {
            text,
            count: harvest.cookies.len(),
            locked,
        })
    }
}

/// An agent cannot consent for the person.
pub(crate) fn needs_a_person(input: &StateInput) -> Failure {
    let from = input.from.as_deref().unwrap_or_default();
    if let Err(failure) = cookies_source(from) {
        return failure;
    }
    let session = input.session.as_deref().unwrap_or("PROFILE");
    let domain = input.domain.as_deref().unwrap_or("DOMAIN");
    Failure::new(
        Code::PolicyDenied,
        format!("reading the cookies of {from} needs the consent of the person at this machine"),
    )
    .hint(format!(
        "ask them to run `szk state import {session} --from '{from}' --domain '{domain}'` in a terminal"
    ))
}

fn failure(error: &szk_browsers::ReadError) -> Failure {
    use szk_browsers::ReadError;
    let code = match error {
        ReadError::NotFound(_) => Code::NotFound,
        ReadError::Io { .. } => Code::Storage,
        ReadError::Unreadable { .. } => Code::InvalidInput,
    };
    Failure::new(code, error.to_string())
}
