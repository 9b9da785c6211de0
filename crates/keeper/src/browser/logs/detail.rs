//! One request with its headers and bodies, as far as Chromium still has them.

use szk_cdp::CallError;
use szk_page::event_log::{What, redact, request_body, response_body};
use szk_tools::browser::{Logs, LogsOutput, RequestDetail};
use szk_tools::{Code, Failure, Response};

use crate::context::Keeper;
use crate::failure;

/// Longest body in an answer, in bytes.
const LONGEST: usize = 256 << 10;
/// Longest header on its line, in characters.
const HEADER: usize = 8_000;

pub(super) async fn of(keeper: &Keeper, id: u64) -> Result<Response, Failure> {
    let entry = keeper.event_log.entry(id);
    let Some((entry, request, session)) = entry.and_then(|entry| match &entry.what {
        What::Network(request) => {
            let (request, session) = (request.clone(), request.session.clone()?);
            Some((entry, request, session))
        }
        _ => None,
    }) else {
        return Err(
            Failure::new(Code::NotFound, format!("there is no request `{id}`"))
                .hint("list the requests and their ids with `browser_logs`, `kind` network"),
        );
    };
    let running = keeper.session.running().await;
    let running = running.map_err(|error| failure::session(&error))?;
    let connection = running.supervisor.connection();
    let number = &request.request_id;
    let mut notes = Vec::new();
    let mut sent = None;
    if request.has_body {
        match request_body(connection, &session, number).await {
            Ok(body) => {
                let mime = header(&request.request_headers, "content-type");
                sent = Some(cut(redact::body(mime, &body), &mut notes));
            }
            Err(error) => notes.push(format!("no request body: {}", words(&error))),
        }
    }
    let mut received = None;
    let mut base64 = false;
    match response_body(connection, &session, number).await {
        Ok(body) => {
            base64 = body.base64_encoded;
            let text = if base64 {
                body.body
            } else {
                redact::body(&request.mime, &body.body)
            };
            received = Some(cut(text, &mut notes));
        }
        Err(error) => notes.push(format!("no response body: {}", words(&error))),
    }
    let mut lines = vec![super::line::of(&entry)];
    for (arrow, headers) in [
        (">", &request.request_headers),
        ("<", &request.response_headers),
    ] {
        lines.extend(
            headers
                .iter()
                .map(|(name, value)| szk_text::line(&format!("{arrow} {name}: {value}"), HEADER)),
        );
    }
    for body in [&sent, &received].into_iter().flatten() {
        lines.push(String::new());
        lines.push(szk_text::fenced(body));
    }
    lines.extend(notes.iter().map(|note| format!("note: {note}")));
    let output = LogsOutput {
        session: keeper.session.name().to_string(),
        entries: Vec::new(),
        more: 0,
        next: keeper.event_log.now(),
        missed: false,
        request: Some(RequestDetail {
            entry: serde_json::to_value(&entry).unwrap_or_default(),
            request_body: sent,
            response_body: received,
            base64,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
        }),
        path: None,
    };
    Response::of::<Logs>(lines.join("\n"), &output)
}

fn header<'a>(headers: &'a [(String, String)], wanted: &str) -> &'a str {
    let mut headers = headers.iter();
    let found = headers.find(|(name, _)| name.eq_ignore_ascii_case(wanted));
    found.map_or("", |(_, value)| value)
}

fn cut(mut text: String, notes: &mut Vec<String>) -> String {
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end));
        notes.push(format!("{} bytes, truncated after {LONGEST}", text.len()));
        text.truncate(end.unwrap_or(0));
    }
    text
}

/// Chromium's own words.
fn words(error: &CallError) -> String {
    match error {
        CallError::Remote { message, .. } => message.clone(),
        other => other.to_string(),
    }
}
