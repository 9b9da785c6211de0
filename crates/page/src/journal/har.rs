//! Requests as an HTTP archive (HAR 1.2), for tools that read it.

use serde_json::{Value, json};

use super::entry::{Entry, Request, What};

/// An archive of these entries; what is no request is left out. Times are whole: what the journal does
/// not know of a phase is -1, as the format wants.
#[must_use]
pub fn har(entries: &[Entry], time: impl Fn(i64) -> String) -> Value {
    let entries: Vec<Value> = entries
        .iter()
        .filter_map(|entry| match &entry.what {
            What::Network(request) => Some(one(entry, request, &time)),
            _ => None,
        })
        .collect();
    json!({"log": {
        "version": "1.2",
        "creator": {"name": "szk", "version": env!("CARGO_PKG_VERSION")},
        "entries": entries,
    }})
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
    let ms = request.ms.map_or(-1.0, |ms| ms as f64);
    let mut archived = json!({
        "startedDateTime": time(entry.at),
        "time": ms.max(0.0),
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
        "timings": {"send": -1, "wait": ms, "receive": -1},
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
