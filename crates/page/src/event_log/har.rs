//! Requests as an HTTP archive (HAR 1.2), for tools that read the format.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::entry::{Entry, Request, What};

/// An archive of these entries; skips anything that is not a request. The log knows how long a request
/// took, but not its phases: all of it counts as `wait`, and unknown sizes are -1, as the format
/// requires.
#[must_use]
pub fn har(entries: &[Entry], time: impl Fn(i64) -> String) -> Value {
    let archived: Vec<Value> = entries
        .iter()
        .filter_map(|entry| match &entry.what {
            What::Network(request) => Some(one(entry, request, &time)),
            _ => None,
        })
        .collect();
    json!({"log": {
        "version": "1.2",
        "creator": {"name": "szk", "version": env!("CARGO_PKG_VERSION")},
        "pages": pages(entries, &time),
        "entries": archived,
    }})
}

/// A page for each tab: the format's entries say which page they belong to.
fn pages(entries: &[Entry], time: impl Fn(i64) -> String) -> Vec<Value> {
    let mut tabs: BTreeMap<&str, i64> = BTreeMap::new();
    let requests = entries
        .iter()
        .filter(|entry| matches!(entry.what, What::Network(_)));
    for entry in requests {
        if let Some(tab) = &entry.tab {
            let first = tabs.entry(tab).or_insert(entry.at);
            *first = entry.at.min(*first);
        }
    }
    let page = |(tab, at): (&str, i64)| json!({"id": tab, "title": tab, "startedDateTime": time(at), "pageTimings": {}});
    tabs.into_iter().map(page).collect()
}

fn one(entry: &Entry, request: &Request, time: impl Fn(i64) -> String) -> Value {
    let pairs = |pairs: &[(String, String)]| -> Vec<Value> {
        let pair = |(name, value): &(String, String)| json!({"name": name, "value": value});
        pairs.iter().map(pair).collect()
    };
    let query: Vec<Value> = request
        .url
        .split_once('?')
        .map(|(_, query)| query.split('#').next().unwrap_or_default())
        .into_iter()
        .flat_map(|query| query.split('&'))
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            json!({"name": name, "value": value})
        })
        .collect();
    let version = if request.protocol.is_empty() {
        "unknown"
    } else {
        &request.protocol
    };
    let location = request
        .response_headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("location"))
        .map_or("", |(_, value)| value);
    let ms = request.ms.unwrap_or(0);
    let mut archived = json!({
        "startedDateTime": time(entry.at),
        "time": ms,
        "request": {
            "method": request.method, "url": request.url, "httpVersion": version,
            "cookies": [], "headers": pairs(&request.request_headers), "queryString": query,
            "headersSize": -1, "bodySize": -1,
        },
        "response": {
            "status": request.status.unwrap_or(0), "statusText": request.status_text,
            "httpVersion": version, "cookies": [], "headers": pairs(&request.response_headers),
            "content": {"size": request.bytes, "mimeType": request.mime},
            "redirectURL": location, "headersSize": -1, "bodySize": request.bytes,
        },
        "cache": {},
        "timings": {"send": 0, "wait": ms, "receive": 0},
        "_resourceType": request.r#type,
    });
    if let Some(tab) = &entry.tab {
        archived["pageref"] = json!(tab);
    }
    if let Some(failed) = &request.failed {
        archived["response"]["_error"] = json!(failed);
    }
    archived
}
