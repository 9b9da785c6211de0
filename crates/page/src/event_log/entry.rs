//! What is kept of each event.

use serde::Serialize;
use szk_cdp::SessionId;
use szk_recipes::Acted;

use crate::Redactor;

/// One logged event.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    /// Its number; never reused.
    pub id: u64,
    /// Number of its last change: a request gets a new one when its response comes.
    pub seq: u64,
    /// When it started, in milliseconds since 1970.
    pub at: i64,
    /// The tab's id, if it belongs to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// The event itself.
    #[serde(flatten)]
    pub what: What,
}

/// Kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Console messages.
    Console,
    /// Requests.
    Network,
    /// Failed loads and other problems that the browser reports.
    Errors,
    /// Dialogs.
    Dialogs,
    /// Downloads.
    Downloads,
    /// Acts of clients.
    Acts,
}

/// The event of each kind.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum What {
    /// A console message.
    Console(Console),
    /// A request with its response.
    Network(Box<Request>),
    /// A problem.
    Error(Problem),
    /// A dialog.
    Dialog(Dialog),
    /// A download.
    Download(Download),
    /// An act that succeeded.
    Act(Box<Acted>),
}

/// A console message.
#[derive(Debug, Clone, Serialize)]
pub struct Console {
    /// `log`, `warning`, `error`, `debug`, `info`.
    pub level: String,
    /// Its text.
    pub text: String,
    /// The script it came from.
    pub url: String,
    /// Line there, from 1.
    pub line: u32,
}

/// A request and its outcome, without secrets.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Request {
    /// CDP's id, for its body.
    #[serde(skip)]
    pub request_id: String,
    /// The session that saw it.
    #[serde(skip)]
    pub session: Option<SessionId>,
    /// HTTP method.
    pub method: String,
    /// Address.
    pub url: String,
    /// `document`, `script`, `xhr`, `fetch`, `image`, …
    pub r#type: String,
    /// Status of the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Its status text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status_text: String,
    /// `http/1.1`, `h2`, …
    #[serde(skip_serializing_if = "String::is_empty")]
    pub protocol: String,
    /// Media type of the response.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mime: String,
    /// Why it failed, such as `net::ERR_FAILED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// Whether it was answered without the network.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    /// Milliseconds it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// Bytes on the wire.
    pub bytes: u64,
    /// Whether it had a body.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_body: bool,
    /// Whether it has finished.
    pub done: bool,
    /// Headers as far as the page's side knows them.
    pub request_headers: Vec<(String, String)>,
    /// Headers of the response.
    pub response_headers: Vec<(String, String)>,
    /// Start on the browser's own clock, in seconds.
    #[serde(skip)]
    pub(super) clock: f64,
}

/// A problem that the browser reports.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Problem {
    /// `network`, `security`, `deprecation`, `intervention`, …; `exception` for an uncaught error of a
    /// page, `worker` for one of a dedicated worker.
    pub source: String,
    /// `error` or `warning`.
    pub level: String,
    /// The message.
    pub text: String,
    /// The address it is about.
    pub url: String,
    /// Line there, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column there, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Whether it is an unhandled promise rejection.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub promise: bool,
}

/// A dialog of a page.
#[derive(Debug, Clone, Serialize)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub r#type: String,
    /// What it asks.
    pub message: String,
    /// `true`: accepted; `false`: dismissed; `None`: still open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<bool>,
    /// No one answered, so it was dismissed when its time was up.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unanswered: bool,
}

/// A download.
#[derive(Debug, Clone, Serialize)]
pub struct Download {
    /// CDP's id.
    #[serde(skip)]
    pub guid: String,
    /// Where it comes from.
    pub url: String,
    /// The file name from the site.
    pub name: String,
    /// `in_progress`, `completed` or `canceled`.
    pub state: String,
    /// Bytes so far.
    pub bytes: u64,
    /// The file, once it is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl What {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Console(_) => Kind::Console,
            Self::Network(_) => Kind::Network,
            Self::Error(_) => Kind::Errors,
            Self::Dialog(_) => Kind::Dialogs,
            Self::Download(_) => Kind::Downloads,
            Self::Act(_) => Kind::Acts,
        }
    }

    /// Removes the values that the redactor hides.
    pub(super) fn cover(&mut self, redactor: &Redactor) {
        let texts: Vec<&mut String> = match self {
            Self::Console(one) => vec![&mut one.text, &mut one.url],
            Self::Network(one) => {
                let headers = one.request_headers.iter_mut();
                let headers = headers.chain(&mut one.response_headers);
                let mut texts: Vec<&mut String> = headers.map(|(_, value)| value).collect();
                texts.extend([&mut one.url, &mut one.status_text]);
                texts.extend(one.failed.as_mut());
                texts
            }
            Self::Error(one) => vec![&mut one.text, &mut one.url],
            Self::Dialog(one) => vec![&mut one.message],
            Self::Download(one) => vec![&mut one.url, &mut one.name],
            Self::Act(one) => {
                one.effect.cover(&mut |text| redactor.cover(text));
                let mut texts: Vec<&mut String> = one.value.iter_mut().collect();
                texts.extend(
                    one.on
                        .iter_mut()
                        .flat_map(|on| on.texts_mut())
                        .map(|(_, text)| text),
                );
                texts.push(&mut one.page);
                texts.extend(one.effect.navigated.as_mut());
                texts
            }
        };
        texts.into_iter().for_each(|text| redactor.cover(text));
    }

    /// Its approximate memory use, in bytes.
    pub(super) fn weight(&self) -> usize {
        let headers = |headers: &[(String, String)]| -> usize {
            let sizes = headers
                .iter()
                .map(|(name, value)| name.len() + value.len() + 48);
            sizes.sum()
        };
        128 + match self {
            Self::Console(one) => one.text.len() + one.url.len(),
            Self::Network(one) => {
                256 + one.url.len() + headers(&one.request_headers) + headers(&one.response_headers)
            }
            Self::Error(one) => one.text.len() + one.url.len(),
            Self::Dialog(one) => one.message.len(),
            Self::Download(one) => one.url.len() + one.name.len(),
            Self::Act(one) => {
                let on = one.on.iter().flat_map(|on| on.texts());
                let value = one.value.as_ref().map_or(0, String::len);
                512 + value + one.page.len() + on.map(|(_, text)| text.len()).sum::<usize>()
            }
        }
    }
}
