//! `session_state`: exports logins to a file, and imports them.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use szk_runtime::state::{self, Cookie, Counts, StorageState};
use szk_store::{Login, LoginCookie, atomic};
use szk_text::counted;
use szk_tools::session::{State, StateAction, StateCounts, StateInput, StateOutput};
use szk_tools::{Code, Failure, Response};
use szk_wire::Found;
use szk_wire::events::Happening;

use crate::context::Keeper;
use crate::failure;

/// Longest file to import, in bytes.
const LONGEST: u64 = 512 << 20;

pub(crate) async fn state(
    keeper: &Arc<Keeper>,
    input: &StateInput,
    found: Found,
) -> Result<Response, Failure> {
    let created = found == Found::Nowhere;
    match input.action {
        StateAction::Export => export(keeper, input, created).await,
        StateAction::Import => import(keeper, input, created).await,
    }
}

async fn export(
    keeper: &Arc<Keeper>,
    input: &StateInput,
    created: bool,
) -> Result<Response, Failure> {
    let session = &keeper.session;
    let mut state = session.capture().await;
    if let Some(domain) = input.domain.as_ref().filter(|domain| *domain != "*") {
        state = state.only(&[domain]);
    }
    let bytes = state.to_bytes();
    let path = match &input.path {
        Some(path) => absolute(path)?,
        None => {
            let time = Timestamp::now().strftime("%Y%m%d-%H%M%S");
            session
                .profile()
                .artifacts_dir()
                .join(format!("state-{time}.json"))
        }
    };
    atomic::write(&path, &bytes).map_err(|error| szk_wire::failure::named_file(&error))?;
    let values = input.values.unwrap_or(false);
    let output = StateOutput {
        session: session.name().to_string(),
        created,
        counts: counts(state.counts()),
        state: if values {
            serde_json::from_slice(&bytes).ok()
        } else {
            None
        },
        path: Some(path.clone()),
        warnings: Vec::new(),
    };
    let summary = format!(
        "exported {} of `{}` to {}",
        said(&output.counts),
        output.session,
        path.display()
    );
    let mut response = Response::of::<State>(summary, &output)?;
    response.files.push(path);
    Ok(response)
}

async fn import(
    keeper: &Arc<Keeper>,
    input: &StateInput,
    created: bool,
) -> Result<Response, Failure> {
    let (path, text) = source(input)?;
    let bytes = match &path {
        Some(path) => {
            let path = path.clone();
            // The keeper's only thread has other calls to answer.
            tokio::task::spawn_blocking(move || read(&path))
                .await
                .map_err(|error| Failure::internal(format!("cannot read the state: {error}")))??
        }
        None => text.unwrap_or_default().into_bytes(),
    };
    let domain = input.domain.as_ref().filter(|domain| *domain != "*");
    let (mut state, mut warnings) = understood(&bytes, domain).map_err(|reason| {
        let what = path.as_ref().map_or("the text".to_owned(), |path| format!("`{}`", path.display()));
        Failure::invalid(format!("cannot import {what}: {reason}"))
            .hint("it must be Playwright storage state, a JSON array of cookies, a Netscape cookies.txt, a cURL command, or a `Cookie` header with `domain`")
    })?;
    if let Some(domain) = domain {
        state = state.only(&[domain]);
    }
    warnings.extend(expired(state.drop_expired(Timestamp::now())));
    let session = &keeper.session;
    let taken = session.import(&state).await;
    // It fails only before it has written anything, so a closing session's successor can be asked.
    let taken = taken.map_err(|error| failure::session(&error))?;
    warnings.extend(taken.warnings);
    keeper.events.tell(Happening::StateImported {
        client: match keeper.visit.client() {
            Some(client) => client.name.clone(),
            None => "szk".to_owned(),
        },
    });
    // Where nothing was imported, there is no login to remember.
    let holds = taken.counts.cookies > 0 || taken.counts.origins > 0;
    if let Some(domain) = domain.filter(|_| holds)
        && let Err(error) = session
            .profile()
            .remember_login(login(domain, &taken.cookies))
    {
        warnings.push(format!("cannot remember the login: {error}"));
    }
    let output = StateOutput {
        session: session.name().to_string(),
        created,
        counts: counts(taken.counts),
        path,
        state: None,
        warnings,
    };
    let mut summary = format!(
        "imported {} into `{}`",
        said(&output.counts),
        output.session
    );
    for warning in &output.warnings {
        summary.push_str(&format!("\nnote: {warning}"));
    }
    Response::of::<State>(summary, &output)
}

/// Cookies that carry a login are usually hidden from scripts; if there are none, all cookies count.
fn login(site: &str, cookies: &[Cookie]) -> Login {
    let hidden = cookies.iter().any(|cookie| cookie.http_only);
    let cookies = cookies.iter().filter(|c| c.http_only || !hidden);
    Login {
        recipe: None,
        site: site.to_owned(),
        since: Timestamp::now(),
        cookies: cookies
            .map(|cookie| LoginCookie {
                name: cookie.name.clone(),
                domain: cookie.domain.clone(),
            })
            .collect(),
    }
}

/// The file to import, or the content itself.
fn source(input: &StateInput) -> Result<(Option<PathBuf>, Option<String>), Failure> {
    match (&input.path, &input.text, &input.from) {
        (Some(path), None, None) => Ok((Some(absolute(path)?), None)),
        (None, Some(text), None) => Ok((None, Some(text.clone()))),
        _ => Err(
            Failure::invalid("`import` needs one of `path`, `text` and `from`").about(["import", "path", "text", "from"]).hint(
                "give the path of a storage state file, a JSON array of cookies or a cookies.txt, or a cURL command as `text`",
            ),
        ),
    }
}

/// Detects the format by the first character: `{` is a storage state, `[` a list of cookies; anything
/// else is a command, a header or `cookies.txt`.
fn understood(
    bytes: &[u8],
    domain: Option<&String>,
) -> Result<(StorageState, Vec<String>), String> {
    let texts = |warnings: Vec<state::Warning>| warnings.iter().map(ToString::to_string).collect();
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if first.is_none() {
        return Err("it is empty".to_owned());
    }
    if first == Some(&b'{') {
        let loaded = state::load(bytes).map_err(|problem| problem.to_string())?;
        return Ok((loaded.state, texts(loaded.warnings)));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    let imported = if first == Some(&b'[') {
        state::from_json(text)
    } else if state::is_curl(text) {
        state::from_curl(text, domain.map(String::as_str))
    } else {
        state::from_netscape(text)
    };
    let imported = imported.map_err(|error| error.to_string())?;
    Ok((
        StorageState {
            cookies: imported.cookies,
            ..StorageState::default()
        },
        texts(imported.warnings),
    ))
}

fn counts(counts: Counts) -> StateCounts {
    let whole = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    StateCounts {
        cookies: whole(counts.cookies),
        origins: whole(counts.origins),
        local_storage: whole(counts.local_storage),
        indexed_db: whole(counts.databases),
    }
}

fn said(counts: &StateCounts) -> String {
    format!(
        "{} and the storage of {} ({}, {})",
        counted(counts.cookies.into(), "cookie"),
        counted(counts.origins.into(), "origin"),
        counted(counts.local_storage.into(), "localStorage entry"),
        counted(counts.indexed_db.into(), "IndexedDB database")
    )
}

/// What is said of cookies that had expired before they came.
fn expired(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 cookie had expired: it was not imported".to_owned()),
        count => Some(format!(
            "{count} cookies had expired: they were not imported"
        )),
    }
}

/// The client makes paths absolute; the keeper has another working directory.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    Err(Failure::invalid(format!(
        "`path` must be absolute here: `{}`",
        path.display()
    ))
    .about(["path"]))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    szk_files::read(path, LONGEST).map_err(|error| {
        let text = format!("cannot read `{}`: {error}", path.display());
        match error.kind() {
            ErrorKind::NotFound => Failure::new(Code::NotFound, text),
            _ if szk_files::is_unusable(&error) => {
                Failure::invalid(text).hint("give a regular file, or its content as `text`")
            }
            _ => Failure::new(Code::Storage, text),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_a_kind_has_no_plural() {
        let one = StateCounts {
            cookies: 1,
            origins: 1,
            local_storage: 1,
            indexed_db: 0,
        };
        let told =
            "1 cookie and the storage of 1 origin (1 localStorage entry, 0 IndexedDB databases)";
        assert_eq!(said(&one), told);
        assert_eq!(expired(0), None);
        assert_eq!(
            expired(2).unwrap(),
            "2 cookies had expired: they were not imported"
        );
    }
}
