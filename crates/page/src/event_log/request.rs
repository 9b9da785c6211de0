//! Requests and their responses.

use std::collections::BTreeMap;

use serde_json::Value;
use szk_cdp::protocol::network::{
    EventLoadingFailed, EventLoadingFinished, EventRequestServedFromCache, EventRequestWillBeSent,
    EventResponseReceived,
};
use szk_cdp::{Event, SessionId};

use super::collect::Collector;
use super::entry::{Kind, Request, What};
use super::events::{Answered, Failed, Finished, Received, Served, WillBeSent};
use super::left::Open;
use super::redact;

/// Longest header value to keep, in characters.
const LONGEST_HEADER: usize = 1024;
/// Most headers of a message to keep.
const MOST_HEADERS: usize = 100;
/// Most unfinished requests to track: some sessions never say how theirs ended.
const MOST_OPEN: usize = 20_000;

impl Collector {
    pub(super) fn network(&mut self, event: &Event) {
        let Some(session) = &event.session else {
            return;
        };
        match event.method.as_str() {
            EventRequestWillBeSent::IDENTIFIER => {
                if let Ok(sent) = event.read() {
                    self.sent(session, sent);
                }
            }
            EventRequestServedFromCache::IDENTIFIER => {
                if let Ok(Served { request_id }) = event.read() {
                    self.update(session, &request_id, |request| request.cached = true);
                }
            }
            EventResponseReceived::IDENTIFIER => {
                if let Ok(Received {
                    request_id,
                    r#type,
                    response,
                }) = event.read()
                {
                    if let Some(key) = self.open(session, &request_id)
                        && let Some(open) = self.requests.get_mut(&key)
                    {
                        open.answered = true;
                    }
                    self.update(session, &request_id, |request| {
                        answered(request, &response);
                        request.r#type = r#type.to_ascii_lowercase();
                    });
                }
            }
            EventLoadingFinished::IDENTIFIER => {
                if let Ok(Finished {
                    request_id,
                    timestamp,
                    encoded_data_length,
                }) = event.read()
                {
                    self.over(session, &request_id, |request| {
                        ended(request, timestamp);
                        request.bytes = encoded_data_length.max(0.0) as u64;
                    });
                }
            }
            EventLoadingFailed::IDENTIFIER => {
                if let Ok(failed) = event.read::<Failed>() {
                    self.over(session, &failed.request_id, |request| {
                        ended(request, failed.timestamp);
                        request.failed = Some(if failed.blocked_reason.is_empty() {
                            failed.error_text.clone()
                        } else {
                            format!("{} (blocked: {})", failed.error_text, failed.blocked_reason)
                        });
                        if failed.canceled && request.failed.as_deref() == Some("") {
                            request.failed = Some("canceled".into());
                        }
                    });
                }
            }
            _ => {}
        }
    }

    fn sent(&mut self, session: &SessionId, sent: WillBeSent) {
        if let Some(redirect) = &sent.redirect_response {
            // The same id continues elsewhere; this leg of it is over.
            self.over(session, &sent.request_id, |request| {
                answered(request, redirect);
                ended(request, sent.timestamp);
                request.bytes = redirect.encoded_data_length.max(0.0) as u64;
            });
        }
        let request = Request {
            request_id: sent.request_id.clone(),
            session: Some(session.clone()),
            method: sent.request.method,
            url: redact::url(&sent.request.url),
            r#type: sent.r#type.to_ascii_lowercase(),
            has_body: sent.request.has_post_data,
            request_headers: headers(&sent.request.headers),
            clock: sent.timestamp,
            ..Request::default()
        };
        let place = self.place(Some(session));
        let id = self.add(&place, What::Network(Box::new(request)));
        if self.requests.len() >= MOST_OPEN {
            self.requests.clear();
        }
        let open = Open {
            entry: id,
            frame: sent.frame_id,
            loader: sent.loader_id,
            answered: false,
        };
        self.requests
            .insert((session.clone(), sent.request_id), open);
    }

    fn update(&self, session: &SessionId, request: &str, change: impl FnOnce(&mut Request)) {
        let key = self.open(session, request);
        if let Some(open) = key.and_then(|key| self.requests.get(&key)) {
            self.change_request(open.entry, false, change);
        }
    }

    fn over(&mut self, session: &SessionId, request: &str, change: impl FnOnce(&mut Request)) {
        let key = self.open(session, request);
        if let Some(open) = key.and_then(|key| self.requests.remove(&key)) {
            self.change_request(open.entry, true, change);
        }
    }

    /// A request whose end will not be reported.
    pub(super) fn given_up(&self, id: u64, why: &str) {
        self.change_request(id, true, |request| request.failed = Some(why.to_owned()));
    }

    fn change_request(&self, id: u64, over: bool, change: impl FnOnce(&mut Request)) {
        self.change(Kind::Network, id, over, |entry| {
            if let What::Network(request) = &mut entry.what {
                request.done |= over;
                change(request);
            }
        });
    }
}

fn answered(request: &mut Request, response: &Answered) {
    request.status = Some(response.status);
    request.status_text.clone_from(&response.status_text);
    request.protocol.clone_from(&response.protocol);
    request.mime.clone_from(&response.mime_type);
    request.cached |=
        response.from_disk_cache || response.from_service_worker || response.from_prefetch_cache;
    request.response_headers = headers(&response.headers);
}

fn ended(request: &mut Request, clock: f64) {
    if clock > 0.0 && request.clock > 0.0 {
        request.ms = Some(((clock - request.clock) * 1000.0).max(0.0).round() as u64);
    }
}

fn headers(headers: &BTreeMap<String, Value>) -> Vec<(String, String)> {
    let kept = headers.iter().take(MOST_HEADERS);
    kept.map(|(name, value)| {
        let value = value.as_str().unwrap_or_default();
        let value: String = redact::header(name, value)
            .chars()
            .take(LONGEST_HEADER)
            .collect();
        (name.clone(), value)
    })
    .collect()
}
