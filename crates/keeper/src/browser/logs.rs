//! `browser_logs`.

mod detail;
mod line;
mod polled;
mod uncaught;

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use regex::{Regex, RegexBuilder};
use serde_json::Value;
use szk_config::InputPace;
use szk_page::event_log::{self, Entry, Found, Kind, Query, Statuses};
use szk_store::atomic;
use szk_tools::browser::{LogKind, Logs, LogsInput, LogsOutput};
use szk_tools::{Done, Failure, Response};

use crate::context::Keeper;
use crate::failure;

pub(crate) use polled::Polled;
pub(crate) use uncaught::Uncaught;

/// Entries in an answer, when the call does not say.
const SHOWN: u32 = 50;
/// Most entries in an answer.
const MOST: u32 = 1000;
/// Largest compiled expression, in bytes.
const EXPRESSION: usize = 1 << 20;

pub(crate) async fn logs(keeper: &Arc<Keeper>, input: &LogsInput) -> Result<Response, Failure> {
    if let Some(id) = input.request {
        return detail::of(keeper, id).await;
    }
    let query = query(keeper, input)?;
    let mut notes = Vec::new();
    if let Some(capture) = input.capture {
        notes.push(console(keeper, input.tab.as_deref(), capture).await?);
    }
    keeper.polled.latest(&keeper.session).await;
    let mut found = keeper.event_log.read(&query);
    if input.capture.is_some() && asks_for_nothing(input) {
        // Only switched on or off: what happened before was not asked for.
        found.entries.clear();
        found.more = 0;
    }
    let path = match &input.path {
        Some(path) => {
            write(path, &found.entries)?;
            notes.push(format!(
                "wrote {} to {}",
                szk_text::counted(found.entries.len() as u64, "entry"),
                path.display()
            ));
            Some(path.clone())
        }
        None => None,
    };
    if input.kind == Some(LogKind::Console) && input.capture.is_none() && found.entries.is_empty() {
        notes.push("console capture is off: turn it on with `capture` true".to_owned());
    }
    answer(keeper, found, path, notes)
}

/// Whether a call says nothing of the entries that it wants.
fn asks_for_nothing(input: &LogsInput) -> bool {
    input.kind.is_none()
        && input.text.is_none()
        && input.r#type.is_none()
        && input.status.is_none()
        && input.since.is_none()
        && input.limit.is_none()
        && input.path.is_none()
}

fn answer(
    keeper: &Keeper,
    found: Found,
    path: Option<std::path::PathBuf>,
    notes: Vec<String>,
) -> Result<Response, Failure> {
    let shown = if path.is_some() {
        &[][..]
    } else {
        &found.entries
    };
    let output = LogsOutput {
        session: keeper.session.name().to_string(),
        entries: shown.iter().map(short).collect(),
        more: found.more as u64,
        next: found.next,
        missed: found.missed,
        request: None,
        path: path.clone(),
    };
    let mut lines = notes;
    lines.extend(shown.iter().map(line::of));
    if shown.is_empty() && lines.is_empty() {
        lines.push("no matching entries".to_owned());
    }
    if found.missed {
        lines.push("some older entries were dropped".to_owned());
    }
    if found.more > 0 {
        let fits = if found.more == 1 { "fits" } else { "fit" };
        lines.push(format!("{} more {fits}", found.more));
    }
    lines.push(format!("next: {}", found.next));
    let mut response = Response::of::<Logs>(lines.join("\n"), &output)?;
    response.files.extend(path);
    Ok(response)
}

fn query(keeper: &Keeper, input: &LogsInput) -> Result<Query, Failure> {
    let statuses = match &input.status {
        Some(text) => Some(Statuses::read(text).ok_or_else(|| {
            Failure::invalid(format!("`{text}` is not a status"))
                .hint("use `404`, `4xx`, `200-299`, `failed` or `pending`")
        })?),
        None => None,
    };
    let limit = match (input.limit, &input.path) {
        (Some(limit), _) => limit.clamp(1, MOST) as usize,
        (None, Some(_)) => usize::MAX,
        (None, None) => SHOWN as usize,
    };
    Ok(Query {
        kind: input.kind.map(kind).or(statuses.map(|_| Kind::Network)),
        // A tab that is closed still has its entries; only a label must be of an open one.
        tab: input.tab.as_ref().map(|tab| keeper.id_of_label(tab)),
        since: input.since,
        r#type: input.r#type.clone(),
        text: input.text.as_deref().map(expression).transpose()?,
        statuses,
        limit,
    })
}

fn kind(kind: LogKind) -> Kind {
    match kind {
        LogKind::Console => Kind::Console,
        LogKind::Network => Kind::Network,
        LogKind::Errors => Kind::Errors,
        LogKind::Dialogs => Kind::Dialogs,
        LogKind::Downloads => Kind::Downloads,
        LogKind::Acts => Kind::Acts,
    }
}

/// `/expression/`, `/expression/i`, or plain text in any case.
fn expression(text: &str) -> Result<Regex, Failure> {
    let (pattern, any_case) = match text
        .strip_prefix('/')
        .and_then(|rest| rest.rsplit_once('/'))
    {
        Some((pattern, "")) => (pattern.to_owned(), false),
        Some((pattern, "i")) => (pattern.to_owned(), true),
        _ => (regex::escape(text), true),
    };
    RegexBuilder::new(&pattern)
        .case_insensitive(any_case)
        .size_limit(EXPRESSION)
        .build()
        .map_err(|error| {
            Failure::invalid(format!("`text` is not a regular expression: {error}")).about(["text"])
        })
}

/// Captures the console of a tab and its uncaught errors, or ends that.
async fn console(keeper: &Keeper, tab: Option<&str>, capture: bool) -> Result<String, Failure> {
    let (running, tab) = keeper.tab_as_it_is(tab).await?;
    let (supervisor, session) = (&running.supervisor, &tab.page.session);
    // Frames of other processes and workers too, those that come later among them; who has no console
    // does without.
    let polled = capture && keeper.session.resolved().settings.session.input == InputPace::Human;
    keeper.polled.set(supervisor, &tab.id, polled);
    let listen = event_log::console(capture && !polled);
    let stood = supervisor.set_overrides(session, "console", vec![listen]);
    let heard = keeper
        .uncaught
        .set(supervisor, &keeper.event_log, &tab, capture);
    let collected = async {
        stood.await?;
        heard.await
    };
    collected
        .await
        .map_err(|error| failure::cdp("cannot capture the console", &error, Done::None))?;
    Ok(if polled {
        format!(
            "taking the console of {} ten times a second, unseen by the page (what it says just before it \
             goes elsewhere may be missed), and uncaught errors of documents it loads from now on",
            tab.id
        )
    } else if capture {
        format!(
            "capturing the console of {}, and uncaught errors of documents it loads from now on",
            tab.id
        )
    } else {
        format!(
            "no longer capturing console and uncaught errors of {}",
            tab.id
        )
    })
}

/// An entry without its headers, which are many.
fn short(entry: &Entry) -> Value {
    let mut value = serde_json::to_value(entry).unwrap_or_default();
    if let Value::Object(fields) = &mut value {
        fields.remove("request_headers");
        fields.remove("response_headers");
    }
    value
}

fn write(path: &Path, entries: &[Entry]) -> Result<(), Failure> {
    if !path.is_absolute() {
        return Err(Failure::invalid("`path` must be absolute here").about(["path"]));
    }
    let bytes = if path.extension().is_some_and(|ending| ending == "har") {
        let time = |at| {
            Timestamp::from_millisecond(at)
                .unwrap_or_default()
                .to_string()
        };
        event_log::har(entries, time).to_string().into_bytes()
    } else {
        let mut bytes = Vec::new();
        for entry in entries {
            serde_json::to_writer(&mut bytes, entry)
                .map_err(|error| Failure::internal(format!("cannot encode an entry: {error}")))?;
            bytes.push(b'\n');
        }
        bytes
    };
    atomic::write(path, &bytes).map_err(|error| szk_wire::failure::named_file(&error))
}
