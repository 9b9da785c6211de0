//! The envelope of a message. Parameters and results stay text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::{RemoteError, SessionId, framing};

/// A message from the browser.
#[derive(Debug)]
pub(crate) enum Incoming<'a> {
    Reply {
        id: u64,
        result: Result<Box<RawValue>, RemoteError>,
    },
    Event {
        session: Option<Cow<'a, str>>,
        method: Cow<'a, str>,
        params: Box<RawValue>,
    },
}

/// A message that is neither a reply nor an event.
#[derive(Debug, thiserror::Error)]
#[error("{problem}")]
pub(crate) struct MalformedMessage {
    /// The id, if it was read before the error, so that its call can end.
    pub(crate) id: Option<u64>,
    pub(crate) problem: String,
}

/// Parses the envelope, with fields in any order; ignores unknown fields.
pub(crate) fn parse(frame: &[u8]) -> Result<Incoming<'_>, MalformedMessage> {
    let mut fields = Fields::default();
    let mut json = serde_json::Deserializer::from_slice(frame);
    let read = fields.deserialize(&mut json).and_then(|()| json.end());
    let malformed = |problem: String| MalformedMessage {
        id: fields.id,
        problem,
    };
    read.map_err(|error| malformed(error.to_string()))?;
    match (fields.id, fields.method) {
        (Some(id), _) => {
            let result = match fields.error {
                Some(error) => Err(remote_error(error)),
                None => Ok(fields.result.map_or_else(empty, ToOwned::to_owned)),
            };
            Ok(Incoming::Reply { id, result })
        }
        (None, Some(method)) => Ok(Incoming::Event {
            session: fields.session,
            method,
            params: fields.params.map_or_else(empty, ToOwned::to_owned),
        }),
        (None, None) => Err(malformed(match fields.error {
            Some(error) => format!("an error about no call: {error}"),
            None => "neither `id` nor `method`".to_owned(),
        })),
    }
}

/// Writes a command with its terminator.
pub(crate) fn encode(
    id: u32,
    session: Option<&SessionId>,
    method: &str,
    params: Option<&RawValue>,
) -> Result<Vec<u8>, serde_json::Error> {
    let command = Outgoing {
        id,
        method,
        params,
        session,
    };
    let room = method.len() + params.map_or(0, |params| params.get().len()) + 96;
    let mut message = Vec::with_capacity(room);
    serde_json::to_writer(&mut message, &command)?;
    Ok(framing::end(message))
}

/// `{}`, for a missing result or missing parameters.
fn empty() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).expect("`{}` is JSON")
}

/// An error object of unexpected shape is still an error.
fn remote_error(error: &RawValue) -> RemoteError {
    crate::json::read(error.get()).unwrap_or_else(|_| RemoteError {
        code: 0,
        message: error.get().to_owned(),
        data: None,
    })
}

#[derive(Serialize)]
struct Outgoing<'a> {
    id: u32,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a RawValue>,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    session: Option<&'a SessionId>,
}

/// The fields read so far. A derived type would lose the id if a later field fails.
#[derive(Default)]
struct Fields<'a> {
    id: Option<u64>,
    method: Option<Cow<'a, str>>,
    session: Option<Cow<'a, str>>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

/// `Cow` alone would always allocate.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> DeserializeSeed<'a> for &mut Fields<'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for &mut Fields<'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a protocol message")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Text(key)) = map.next_key()? {
            match key.as_ref() {
                "id" => self.id = map.next_value()?,
                "method" => self.method = map.next_value::<Option<Text<'a>>>()?.map(|text| text.0),
                "sessionId" => {
                    self.session = map.next_value::<Option<Text<'a>>>()?.map(|text| text.0);
                }
                "params" => self.params = map.next_value()?,
                "result" => self.result = map.next_value()?,
                "error" => self.error = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(frame: &str, expected: &str) {
        let seen = match parse(frame.as_bytes()) {
            Ok(Incoming::Reply { id, result: Ok(r) }) => format!("{id} ok {r}"),
            Ok(Incoming::Reply { id, result: Err(e) }) => format!("{id} failed {e}"),
            Ok(Incoming::Event {
                session,
                method,
                params,
            }) => format!("{method} {} {params}", session.as_deref().unwrap_or("root")),
            Err(malformed) => format!("malformed {:?}", malformed.id),
        };
        assert_eq!(seen, expected);
    }

    #[test]
    fn replies() {
        check(r#"{"id":7,"result":{"a":[1]}}"#, r#"7 ok {"a":[1]}"#);
        check(
            r#"{"result":{},"sessionId":"S","new":[{}],"id":7}"#,
            "7 ok {}",
        );
        check(r#"{"id":7}"#, "7 ok {}");
        check(
            r#"{"error":{"code":-32000,"message":"No","data":"x"},"id":1}"#,
            "1 failed No (-32000)",
        );
        check(r#"{"id":1,"error":"odd"}"#, r#"1 failed "odd" (0)"#);
        check(
            r#"{"id":1,"error":{"code":"odd","message":"No"}}"#,
            "1 failed No (0)",
        );
    }

    #[test]
    fn events() {
        check(
            r#"{"method":"A.b","params":{"x":1}}"#,
            r#"A.b root {"x":1}"#,
        );
        check(
            r#"{"params":{},"sessionId":"S","method":"A.b"}"#,
            "A.b S {}",
        );
        check(r#"{"met\u0068od":"A.b","id":null}"#, "A.b root {}");
    }

    #[test]
    fn lone_surrogates_pass_through() {
        check(
            r#"{"id":1,"result":{"value":"\ud83d"}}"#,
            r#"1 ok {"value":"\ud83d"}"#,
        );
    }

    #[test]
    fn garbage_keeps_the_id_if_it_was_seen() {
        check("", "malformed None");
        check("nonsense", "malformed None");
        check("[]", "malformed None");
        check("{}", "malformed None");
        check(r#"{"error":{"message":"bad JSON"}}"#, "malformed None");
        check(r#"{"id":9,"result":}"#, "malformed Some(9)");
        check(r#"{"id":9,"result":{}} tail"#, "malformed Some(9)");
    }

    #[test]
    fn commands() {
        let params = serde_json::value::to_raw_value(&[1]).unwrap();
        let full = encode(3, Some(&"S".into()), "A.b", Some(&params)).unwrap();
        assert_eq!(
            full,
            b"{\"id\":3,\"method\":\"A.b\",\"params\":[1],\"sessionId\":\"S\"}\0"
        );
        assert_eq!(
            encode(3, None, "A.b", None).unwrap(),
            b"{\"id\":3,\"method\":\"A.b\"}\0"
        );
    }
}
