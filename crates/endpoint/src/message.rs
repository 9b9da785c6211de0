//! The protocol as clients speak it: parses their commands, and serialises what they get.
//!
//! Never parses parameters and results, which pass as the text they came in. Invalid commands get
//! Chromium's own messages and codes, so that clients see nothing new.

use std::borrow::Cow;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use szk_cdp::{Event, RemoteError, SessionId};

/// Chromium refuses a message nested deeper than this without saying whose it was, so its sender would
/// never get an answer. Measured on 156.
const DEPTH: usize = 301;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const SESSION_NOT_FOUND: i64 = -32001;
const SERVER_ERROR: i64 = -32000;

/// A command of a client.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) id: i32,
    pub(super) method: String,
    /// As the client wrote it; without one, the client's root session.
    pub(super) session: Option<SessionId>,
    pub(super) params: Option<Box<RawValue>>,
}

/// An invalid command, with its id if that could be read.
#[derive(Debug)]
pub(super) struct Malformed {
    pub(super) id: Option<i32>,
    pub(super) error: RemoteError,
}

/// Parses a message of a client.
pub(super) fn parse(text: &str) -> Result<Command, Malformed> {
    let fields: Fields<'_> =
        serde_json::from_str(text).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => invalid(None, "Message must be an object"),
            _ => Malformed {
                id: None,
                error: failure(PARSE_ERROR, format!("JSON: {error}")),
            },
        })?;
    let Some(id) = fields.id.and_then(|id| integer(id.get())) else {
        return Err(invalid(None, "Message must have integer 'id' property"));
    };
    let invalid = |message| invalid(Some(id), message);
    if fields.duplicate {
        return Err(Malformed {
            id: Some(id),
            error: failure(PARSE_ERROR, "JSON: duplicate property"),
        });
    }
    let Some(method) = fields.method.and_then(string) else {
        return Err(invalid("Message must have string 'method' property"));
    };
    let session = match fields.session.map(string) {
        // To Chromium the empty id is the root session, too.
        None => None,
        Some(Some(name)) => (!name.is_empty()).then(|| SessionId::from(name)),
        Some(None) => return Err(invalid("Message may have string 'sessionId' property")),
    };
    let params = match fields.params {
        Some(params) if params.get() == "null" => None,
        // Chromium itself rejects missing parameters. It ignores a list, which nodriver sends.
        Some(params) if params.get().starts_with('[') => None,
        Some(params) if !params.get().starts_with('{') => {
            return Err(invalid("Message may have object 'params' property"));
        }
        params => params.map(ToOwned::to_owned),
    };
    if fields.unknown {
        return Err(invalid(
            "Message has property other than 'id', 'method', 'sessionId', 'params'",
        ));
    }
    if too_deep(text) {
        return Err(Malformed {
            id: Some(id),
            error: failure(PARSE_ERROR, "JSON: stack limit exceeded"),
        });
    }
    Ok(Command {
        id,
        method,
        session,
        params,
    })
}

/// The answer to a command, on the session that the client named.
pub(super) fn reply(
    id: i32,
    session: Option<&SessionId>,
    result: &Result<Box<RawValue>, RemoteError>,
) -> String {
    let (result, error) = match result {
        Ok(result) => (Some(&**result), None),
        Err(error) => (None, Some(error)),
    };
    write(&Reply {
        id: Some(id),
        result,
        error,
        session,
    })
}

/// The answer to an invalid command.
pub(super) fn malformed(malformed: &Malformed) -> String {
    write(&Reply {
        id: malformed.id,
        result: None,
        error: Some(&malformed.error),
        session: None,
    })
}

/// An event, under the session id that the client knows.
pub(super) fn event(event: &Event, session: Option<&SessionId>) -> String {
    write(&Notice {
        method: &event.method,
        params: &event.params,
        session,
    })
}

/// An event that the browser did not send.
pub(super) fn made(method: &str, params: &RawValue, session: Option<&SessionId>) -> String {
    write(&Notice {
        method,
        params,
        session,
    })
}

/// Chromium's answer about an unknown session. Sessions of others count as unknown, too.
pub(super) fn unknown_session() -> RemoteError {
    failure(SESSION_NOT_FOUND, "Session with given id not found.")
}

/// An error of the endpoint itself.
pub(super) fn refused(message: impl Into<String>) -> RemoteError {
    failure(SERVER_ERROR, message)
}

fn failure(code: i64, message: impl Into<String>) -> RemoteError {
    RemoteError {
        code,
        message: message.into(),
        data: None,
    }
}

fn invalid(id: Option<i32>, message: &str) -> Malformed {
    Malformed {
        id,
        error: failure(INVALID_REQUEST, message),
    }
}

/// Chromium's ids are signed 32-bit integers; `1.0` counts as an integer.
fn integer(text: &str) -> Option<i32> {
    if let Ok(integer) = text.parse() {
        return Some(integer);
    }
    let number: f64 = text.parse().ok()?;
    let fits =
        number.fract() == 0.0 && number >= f64::from(i32::MIN) && number <= f64::from(i32::MAX);
    // Checked to be an integer in range.
    fits.then_some(number as i32)
}

fn string(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// Whether well-formed JSON is nested deeper than Chromium accepts.
fn too_deep(text: &str) -> bool {
    // Each level takes two brackets.
    if text.len() <= 2 * DEPTH {
        return false;
    }
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth > DEPTH {
                    return true;
                }
            }
            b'}' | b']' if !in_string => depth -= 1,
            _ => {}
        }
    }
    false
}

fn write(message: &impl Serialize) -> String {
    serde_json::to_string(message).expect("strings, integers and raw JSON always have a JSON form")
}

#[derive(Serialize)]
struct Reply<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a RemoteError>,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    session: Option<&'a SessionId>,
}

#[derive(Serialize)]
struct Notice<'a> {
    method: &'a str,
    params: &'a RawValue,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    session: Option<&'a SessionId>,
}

/// The properties of a message, whatever they contain. Written by hand, because a derived parser stops
/// at the first surprise, and the answer needs the id that may follow it.
#[derive(Default)]
struct Fields<'a> {
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    session: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    unknown: bool,
    duplicate: bool,
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Fields::default();
        while let Some(Key(key)) = map.next_key()? {
            let field = match &*key {
                "id" => &mut fields.id,
                "method" => &mut fields.method,
                "sessionId" => &mut fields.session,
                "params" => &mut fields.params,
                _ => {
                    fields.unknown = true;
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            let value = map.next_value()?;
            fields.duplicate |= field.is_some();
            field.get_or_insert(value);
        }
        Ok(fields)
    }
}

/// A key, borrowed unless it has escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);
