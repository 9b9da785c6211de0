//! Requests as calls: fields come from the path, the query and a JSON body.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::RawPathParams;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use hyper::body::Body as _;
use serde_json::{Map, Value};
use szk_tools::{Call, Code, Failure, Field, Kind, Method, Route, Spec};

use crate::app::{App, Who};
use crate::error::ErrorReply;
use crate::upload::{self, Uploads};

/// Longest body, in bytes.
pub(crate) const LONGEST_BODY: usize = 8 << 20;

/// How long a body may take; one with files: the next piece of it.
pub(crate) const BODY: Duration = Duration::from_secs(30);

/// What a request asks for.
pub(crate) struct ApiRequest {
    pub(crate) call: Call,
    /// The files that came with it.
    pub(crate) uploads: Uploads,
}

/// Reads the call that a request makes. Files that come with it are stored on the way, if `who` may make
/// such a call at all.
pub(crate) async fn call(
    spec: &Spec,
    route: &Route,
    path: &RawPathParams,
    parts: &Parts,
    body: Body,
    (app, who): (&App, &Who),
) -> Result<ApiRequest, ErrorReply> {
    let mut uploads = Uploads::default();
    let mut input = match route.method {
        Method::Post => {
            let mut input = match upload::boundary(&parts.headers) {
                None => object(&parts.headers, body).await?,
                Some(boundary) => {
                    let session = path.iter().find(|(name, _)| *name == "session");
                    let target = upload::Target {
                        app,
                        who,
                        spec,
                        session: session.map(|(_, session)| session),
                    };
                    target.read(boundary, body, &mut uploads).await?
                }
            };
            refuse_nulls(spec, &input)?;
            input.extend(fields(spec, parts.uri.query())?);
            input
        }
        Method::Get | Method::Delete => fields(spec, parts.uri.query())?,
    };
    let in_path = path.iter();
    for (name, value) in in_path.chain(route.sets.iter().copied()) {
        let value = Value::from(value);
        match input.insert(name.to_owned(), value.clone()) {
            Some(other) if other != value => {
                return Err(Failure::invalid(format!(
                    "`{name}` is `{}` in the address and something else in the request",
                    value.as_str().unwrap_or_default().escape_debug()
                ))
                .about([name])
                .hint(format!("leave `{name}` out of the request"))
                .into());
            }
            _ => {}
        }
    }
    let mut call = Call::decode(spec.name, Value::Object(input))?;
    uploads.put_into(&mut call)?;
    Ok(ApiRequest { call, uploads })
}

/// A JSON object as the body; none is an empty one.
pub(crate) async fn object(
    headers: &HeaderMap,
    body: Body,
) -> Result<Map<String, Value>, ErrorReply> {
    // A client that asks first (`Expect: 100-continue`) then need not send it.
    if body.size_hint().lower() > LONGEST_BODY as u64 {
        return Err(too_long());
    }
    let read = tokio::time::timeout(BODY, to_bytes(body, LONGEST_BODY)).await;
    let read = read.map_err(|_| too_slow())?;
    let bytes = read.map_err(|error| unread(&error))?;
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let kind = kind
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let failure = match kind.eq_ignore_ascii_case("multipart/form-data") {
            true => Failure::invalid("the `Content-Type` names no `boundary` between the parts")
                .hint("send `Content-Type: multipart/form-data; boundary=…`, or the input as JSON"),
            false => Failure::invalid("the body must be JSON, and `Content-Type` must say so")
                .hint("send `Content-Type: application/json`, or `multipart/form-data` with files"),
        };
        return Err(ErrorReply::with_status(
            failure,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ));
    }
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(input)) => Ok(input),
        Ok(_) => Err(Failure::invalid(
            "the body must be a JSON object with the operation's fields",
        )
        .into()),
        Err(error) => Err(Failure::invalid(format!("the body is not JSON: {error}")).into()),
    }
}

/// The answer to a body, or to its texts, that are longer than any input.
pub(crate) fn too_long() -> ErrorReply {
    let limit = LONGEST_BODY >> 20;
    let failure = Failure::invalid(format!("the input is longer than {limit} MiB"))
        .hint("send less, or give a part of it as a file");
    ErrorReply::with_status(failure, StatusCode::PAYLOAD_TOO_LARGE)
}

/// The answer to a body that cannot be read to its end.
fn unread(error: &axum::Error) -> ErrorReply {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<http_body_util::LengthLimitError>() {
            return too_long();
        }
        cause = error.source();
    }
    Failure::invalid(format!("the body broke off: {error}"))
        .hint("send the body again, as long as its headers say")
        .into()
}

/// The answer to a body that does not come.
pub(crate) fn too_slow() -> ErrorReply {
    let why = format!("the body did not arrive within {} s", BODY.as_secs());
    let failure = Failure::new(Code::Timeout, why).hint("send it faster, or less of it");
    ErrorReply::with_status(failure, StatusCode::REQUEST_TIMEOUT)
}

/// Refuses what the described API does not allow: null for a field that takes something else. (Models that
/// call tools write null for "not given", so the operations themselves accept it.)
fn refuse_nulls(spec: &Spec, input: &Map<String, Value>) -> Result<(), Failure> {
    let schema = (spec.input)();
    for (name, _) in input.iter().filter(|(_, value)| value.is_null()) {
        let field = &schema["properties"][name];
        if field.is_object() && !takes_null(field) {
            return Err(Failure::invalid(format!("`{name}` is null"))
                .about([name])
                .hint(format!("leave `{name}` out, or give it a value")));
        }
    }
    Ok(())
}

fn takes_null(schema: &Value) -> bool {
    if let Some(choices) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        return choices.iter().any(takes_null);
    }
    match &schema["type"] {
        Value::String(one) => one == "null",
        Value::Array(several) => several.iter().any(|one| one == "null"),
        _ => schema["enum"].is_null() && schema["const"].is_null(),
    }
}

fn fields(spec: &Spec, query: Option<&str>) -> Result<Map<String, Value>, Failure> {
    let pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    texts(
        spec,
        pairs.map(|(name, text)| (name.into_owned(), text.into_owned())),
    )
}

/// An input of texts, each as what its field takes.
pub(crate) fn texts(
    spec: &Spec,
    pairs: impl IntoIterator<Item = (String, String)>,
) -> Result<Map<String, Value>, Failure> {
    let known = (spec.fields)();
    let mut input = Map::new();
    for (name, text) in pairs {
        let kind = known
            .iter()
            .find(|field: &&Field| field.name == name)
            .map(|field| &field.kind);
        let value = match kind {
            Some(Kind::List(each)) => {
                let list = input
                    .entry(name)
                    .or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(list) = list {
                    list.push(value(each, &text));
                }
                continue;
            }
            Some(kind) => value(kind, &text),
            None => Value::from(text),
        };
        if input.insert(name.clone(), value).is_some() {
            return Err(Failure::invalid(format!(
                "`{}` is given twice",
                name.escape_debug()
            )));
        }
    }
    Ok(input)
}

/// A text as what its field takes; one that cannot be that stays a text, and is refused with its place.
fn value(kind: &Kind, text: &str) -> Value {
    let parsed = match kind {
        Kind::Flag => match text {
            "true" => Some(true.into()),
            "false" => Some(false.into()),
            _ => None,
        },
        Kind::Integer(_) => text.parse::<i64>().ok().map(Value::from),
        Kind::Number => text
            .parse::<f64>()
            .ok()
            .and_then(|n| serde_json::Number::from_f64(n).map(Value::from)),
        Kind::Map(_) | Kind::Json => serde_json::from_str(text).ok(),
        Kind::Text | Kind::Choice(_) | Kind::List(_) => None,
    };
    parsed.unwrap_or_else(|| text.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(operation: &str, query: &str, expected: Value) {
        let spec = szk_tools::find(operation).unwrap();
        let found = fields(spec, Some(query)).unwrap();
        assert_eq!(Value::Object(found), expected);
    }

    #[test]
    fn a_query_has_the_types_of_the_fields() {
        check(
            "browser_screenshot",
            "full_page=true&quality=80&selector=%23a&timeout_ms=5",
            json!({"full_page": true, "quality": 80, "selector": "#a", "timeout_ms": 5}),
        );
        check(
            "session_open",
            "extensions=a&extensions=b",
            json!({"extensions": ["a", "b"]}),
        );
        check(
            "browser_screenshot",
            "quality=much",
            json!({"quality": "much"}),
        );
        check("browser_screenshot", "full_page=", json!({"full_page": ""}));
        check("browser_screenshot", "nothing=1", json!({"nothing": "1"}));
    }

    #[test]
    fn null_is_for_fields_that_take_it() {
        let spec = szk_tools::find("browser_extract").unwrap();
        let input = json!({"timeout_ms": null});
        let failure = refuse_nulls(spec, input.as_object().unwrap()).unwrap_err();
        assert_eq!(failure.message, "`timeout_ms` is null");
        // What no schema knows is refused by name, later.
        let input = json!({"nothing": null, "timeout_ms": 1});
        refuse_nulls(spec, input.as_object().unwrap()).unwrap();
    }

    #[test]
    fn a_field_given_twice_is_refused() {
        let spec = szk_tools::find("browser_screenshot").unwrap();
        let failure = fields(spec, Some("tab=a&tab=b")).unwrap_err();
        assert_eq!(failure.message, "`tab` is given twice");
    }
}
