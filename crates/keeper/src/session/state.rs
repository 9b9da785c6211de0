//! `session_state`: logins to a file, and from one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use szk_runtime::state::{self, StorageState};
use szk_store::atomic;
use szk_tools::session::{State, StateAction, StateCounts, StateInput, StateOutput};
use szk_tools::{Code, Done, Failure, Response};

use crate::context::Keeper;
use crate::failure;

/// Longest file that is imported, in bytes.
const LONGEST: u64 = 512 << 20;

pub(crate) async fn state(keeper: &Arc<Keeper>, input: &StateInput) -> Result<Response, Failure> {
    match input.action {
        StateAction::Export => export(keeper, input).await,
        StateAction::Import => import(keeper, input).await,
    }
}

async fn export(keeper: &Arc<Keeper>, input: &StateInput) -> Result<Response, Failure> {
    let session = &keeper.session;
    let mut state = session.capture().await;
    if let Some(domain) = &input.domain {
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
    atomic::write(&path, &bytes).map_err(|error| szk_client::store_failure(&error))?;
    let values = input.values.unwrap_or(false);
    let output = StateOutput {
        session: session.name().to_string(),
        counts: counts(&state),
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

async fn import(keeper: &Arc<Keeper>, input: &StateInput) -> Result<Response, Failure> {
    let Some(path) = &input.path else {
        return Err(Failure::invalid("`import` needs `path`")
            .hint("name a storage state file, a JSON array of cookies or a cookies.txt"));
    };
    let path = absolute(path)?;
    let bytes = read(&path)?;
    let (mut state, mut warnings) = understood(&bytes).map_err(|reason| {
        Failure::invalid(format!("`{}` cannot be imported: {reason}", path.display()))
            .hint("it must be Playwright storage state, a JSON array of cookies, or a Netscape cookies.txt")
    })?;
    if let Some(domain) = &input.domain {
        state = state.only(&[domain]);
    }
    let session = &keeper.session;
    warnings.extend(
        session
            .import(&state)
            .await
            .map_err(|error| failure::session(&error).effect(Done::Unknown))?,
    );
    let output = StateOutput {
        session: session.name().to_string(),
        counts: counts(&state),
        path: Some(path),
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

/// By its first character: `{` is a storage state, `[` a list of cookies, anything else `cookies.txt`.
fn understood(bytes: &[u8]) -> Result<(StorageState, Vec<String>), String> {
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

fn counts(state: &StorageState) -> StateCounts {
    let counts = state.counts();
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
        "{} cookies and the storage of {} origins ({} localStorage entries, {} IndexedDB databases)",
        counts.cookies, counts.origins, counts.local_storage, counts.indexed_db
    )
}

/// The client makes paths absolute; its folder is not the keeper's.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    Err(Failure::invalid(format!(
        "`path` must be absolute here: `{}`",
        path.display()
    )))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error: std::io::Error| {
        let code = if error.kind() == std::io::ErrorKind::NotFound {
            Code::NotFound
        } else {
            Code::Storage
        };
        Failure::new(code, format!("cannot read `{}`: {error}", path.display()))
    };
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > LONGEST {
        return Err(Failure::invalid(format!(
            "`{}` is too long ({size} bytes)",
            path.display()
        )));
    }
    std::fs::read(path).map_err(failed)
}
