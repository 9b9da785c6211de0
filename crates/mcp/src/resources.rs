//! What a client can read without calling a tool: the open sessions, and their pages, snapshots, logs
//! and downloads.
//!
//! Each resource is the answer of a read-only operation. Reading one never opens a session.

use std::collections::BTreeSet;
use std::iter;

use rmcp::model::{ErrorData, Resource, ResourceContents, ResourceTemplate};
use szk_tools::browser::{LogKind, LogsInput, SnapshotInput, TabsInput};
use szk_tools::session::ListInput;
use szk_tools::{Call, Code, Failure};

use crate::Caller;

/// One kind of resource.
struct Kind {
    /// Last part of its URI.
    name: &'static str,
    title: &'static str,
    mime: &'static str,
    /// The call that reads it; its session is set later.
    call: fn() -> Call,
    /// Whether to return the operation's data instead of its text.
    data: bool,
}

/// The resource that lists the open sessions.
pub(crate) const SESSIONS: &str = "szk://sessions";

/// Names of all kinds.
pub(crate) const ALL: [&str; 5] = ["page", SNAPSHOTS, "tabs", "logs", "downloads"];

/// The kind that single tabs have too.
const SNAPSHOTS: &str = "snapshots";

const JSON: &str = "application/json";

/// The kinds, in display order.
const KINDS: [Kind; 5] = [
    Kind {
        name: "page",
        title: "What the current tab shows",
        mime: "text/plain",
        call: || SnapshotInput::default().into(),
        data: false,
    },
    Kind {
        name: SNAPSHOTS,
        title: "The last snapshot, as it was taken",
        mime: "text/plain",
        call: || {
            Call::BrowserSnapshot(SnapshotInput {
                cursor: Some("last".to_owned()),
                ..SnapshotInput::default()
            })
        },
        data: false,
    },
    Kind {
        name: "tabs",
        title: "Open tabs",
        mime: JSON,
        call: || TabsInput::default().into(),
        data: true,
    },
    Kind {
        name: "logs",
        title: "The latest requests, errors, dialogs and console messages",
        mime: "text/plain",
        call: || logs(None),
        data: false,
    },
    Kind {
        name: "downloads",
        title: "Downloaded files",
        mime: JSON,
        call: || logs(Some(LogKind::Downloads)),
        data: true,
    },
];

fn logs(kind: Option<LogKind>) -> Call {
    Call::BrowserLogs(LogsInput {
        kind,
        limit: Some(200),
        ..LogsInput::default()
    })
}

/// The sessions, and resources of those that are open.
pub(crate) async fn list<C: Caller>(caller: &C) -> Result<Vec<Resource>, ErrorData> {
    let open = open_sessions(caller).await?;
    let of = |session: String| {
        KINDS.iter().map(move |kind| {
            Resource::new(
                address(&session, kind.name),
                format!("{session} {}", kind.name),
            )
            .with_title(kind.title)
            .with_mime_type(kind.mime)
        })
    };
    let sessions = Resource::new(SESSIONS, "sessions")
        .with_title("Open sessions")
        .with_mime_type(JSON);
    Ok(iter::once(sessions)
        .chain(open.into_iter().flat_map(of))
        .collect())
}

/// The URI templates.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let of = |kind: &Kind| {
        ResourceTemplate::new(address("{session}", kind.name), kind.name)
            .with_title(kind.title)
            .with_mime_type(kind.mime)
    };
    let mut templates: Vec<ResourceTemplate> = KINDS.iter().map(of).collect();
    let one = ResourceTemplate::new(
        format!("{}/{{tab}}", address("{session}", SNAPSHOTS)),
        "snapshots of tabs",
    );
    let title = "The last snapshot of one tab, as it was taken";
    templates.push(one.with_title(title).with_mime_type("text/plain"));
    templates
}

/// One resource.
pub(crate) async fn read<C: Caller>(caller: &C, uri: &str) -> Result<ResourceContents, ErrorData> {
    if uri == SESSIONS {
        let open = ListInput {
            open_only: Some(true),
            ..ListInput::default()
        };
        let list = caller.call(open.into(), &|_| ()).await;
        let list = list.map_err(|failure| failed(&failure))?;
        return Ok(ResourceContents::text(list.data.to_string(), uri).with_mime_type(JSON));
    }
    // The specification wants the address in the error, too.
    let asked = || Some(serde_json::json!({ "uri": uri }));
    let unknown =
        || ErrorData::resource_not_found(format!("there is no resource `{uri}`"), asked());
    let (session, kind, tab) = parse(uri).ok_or_else(unknown)?;
    if !open_sessions(caller)
        .await?
        .iter()
        .any(|open| open == session)
    {
        return Err(ErrorData::resource_not_found(
            format!("session `{session}` is not open; open it with `session_open`"),
            asked(),
        ));
    }
    let mut call = (kind.call)();
    call.input_mut().set_session(session.to_owned());
    if let Some(tab) = tab {
        call.input_mut().set_tab(tab.to_owned());
    }
    let text = match caller.call(call, &|_| ()).await {
        Ok(response) if kind.data => response.data.to_string(),
        Ok(response) => response.summary,
        // "None yet" is the resource's content then.
        Err(failure) if kind.name == SNAPSHOTS && failure.code == Code::NotFound => {
            format!("({})", failure.message)
        }
        Err(failure) => return Err(failed(&failure)),
    };
    Ok(ResourceContents::text(text, uri).with_mime_type(kind.mime))
}

fn address(session: &str, kind: &str) -> String {
    format!("szk://sessions/{session}/{kind}")
}

/// The session, the kind, and the tab, if there is one.
fn parse(uri: &str) -> Option<(&str, &'static Kind, Option<&str>)> {
    let (session, rest) = uri.strip_prefix("szk://sessions/")?.split_once('/')?;
    let (name, tab) = match rest.split_once('/') {
        Some((name, tab)) => (name, Some(tab)),
        None => (rest, None),
    };
    let kind = KINDS.iter().find(|kind| kind.name == name)?;
    let whole = tab.is_none_or(|tab| kind.name == SNAPSHOTS && !tab.is_empty());
    (!session.is_empty() && whole).then_some((session, kind, tab))
}

/// Whether there can be a resource at this address.
pub(crate) fn names_one(uri: &str) -> bool {
    uri == SESSIONS || parse(uri).is_some()
}

/// Whether an address is that of a resource of this session, of one of these kinds.
pub(crate) fn touches(uri: &str, session: &str, kinds: &BTreeSet<&str>) -> bool {
    parse(uri).is_some_and(|(of, kind, _)| of == session && kinds.contains(kind.name))
}

async fn open_sessions<C: Caller>(caller: &C) -> Result<Vec<String>, ErrorData> {
    let open = caller.open_sessions().await;
    open.map_err(|failure| failed(&failure))
}

fn failed(failure: &Failure) -> ErrorData {
    ErrorData::internal_error(failure.to_string(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        assert_eq!(KINDS.map(|kind| kind.name), ALL);
        for kind in &KINDS {
            let uri = address("work.2", kind.name);
            assert!(touches(&uri, "work.2", &[kind.name].into()));
            assert!(!touches(&uri, "work", &ALL.into()) && names_one(&uri));
            let (session, found, tab) = parse(&uri).unwrap();
            assert_eq!((session, found.name, tab), ("work.2", kind.name, None));
        }
        let (session, found, tab) = parse("szk://sessions/a/snapshots/t3").unwrap();
        assert_eq!((session, found.name, tab), ("a", "snapshots", Some("t3")));
        for wrong in [
            "",
            "szk://sessions/a/snapshots/",
            "szk://sessions/a/logs/t3",
            "szk://sessions/",
            "szk://sessions//page",
            "szk://sessions/a/b",
            "file:///a/page",
        ] {
            assert!(parse(wrong).is_none(), "{wrong}");
        }
    }
}
