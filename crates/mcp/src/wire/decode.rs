//! Decodes lines into messages, and answers those that are not messages.

use rmcp::model::{
    CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, ErrorCode, GetMeta as _,
    InitializeRequestParams, JsonRpcMessage, ProtocolVersion, RequestId,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{lines::LONGEST, surrogates};

/// Methods of versions before 2026-07-28.
const REMOVED: [&str; 5] = [
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
];

/// Why a line is rejected; becomes a JSON-RPC error.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// Absent if the request's id is unknown or invalid: `null` on the wire.
    pub(crate) id: Option<RequestId>,
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl Refusal {
    /// An error for the request `id`.
    pub(crate) fn new(id: Option<RequestId>, code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            id,
            code,
            message: message.into(),
        }
    }

    /// Something that is not a JSON-RPC message.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(None, ErrorCode::INVALID_REQUEST, message)
    }

    /// A line that is too long, and the request's id if it could be found.
    pub(crate) fn too_long(id: Option<RequestId>) -> Self {
        let text = format!("the message is longer than {LONGEST} bytes");
        Self::new(id, ErrorCode::INVALID_REQUEST, text)
    }

    /// A second request with the id of one in flight. The answer carries no id: that one belongs to
    /// the first request, which still needs its answer.
    pub(crate) fn id_in_use(id: &RequestId) -> Self {
        Self::invalid(format!("a request with the id `{id}` is still in flight"))
    }

    /// The answer as a frame.
    pub(crate) fn frame(&self) -> Vec<u8> {
        frame(&json!({
            "jsonrpc": "2.0",
            "id": self.id,
            "error": {"code": self.code, "message": self.message},
        }))
    }
}

/// A message as the bytes of one line, without the newline.
pub(crate) fn frame(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).unwrap_or_else(|error| {
        // Only a map with non-string keys could fail here, and no message contains one.
        tracing::error!(%error, "a message could not be written");
        Vec::from(
            br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}"#,
        )
    })
}

/// The JSON of a line; `None` for a blank one.
pub(crate) fn line(bytes: &[u8]) -> Result<Option<Value>, Refusal> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let bytes = bytes.trim_ascii();
    if bytes.is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(bytes)
        .or_else(|error| match surrogates::mend(bytes) {
            Some(mended) => serde_json::from_slice(&mended).map_err(|_| error),
            None => Err(error),
        })
        .map(Some)
        .map_err(|error| Refusal::new(None, ErrorCode::PARSE_ERROR, format!("not JSON: {error}")))
}

/// The message in a JSON value; `None` where JSON-RPC wants no answer: malformed notifications, and
/// responses to requests we never send. The only request a client gets from us is a question to its
/// user.
pub(crate) fn message(mut value: Value) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
    let Value::Object(fields) = &mut value else {
        return Err(Refusal::invalid("a message must be an object"));
    };
    let Some(method) = fields.get("method") else {
        if !fields.contains_key("result") && !fields.contains_key("error") {
            return Err(Refusal::invalid("a message must have a `method`"));
        }
        let known = fields.get("id").and_then(request_id).is_some();
        let action = fields.get("result").and_then(|result| result.get("action"));
        if !known || action.is_none() && !fields.contains_key("error") {
            return Ok(None);
        }
        return Ok(serde_json::from_value(value).ok());
    };
    let id = match fields.get("id") {
        Some(id) => Some(
            request_id(id)
                .ok_or_else(|| Refusal::invalid("`id` must be a string or an integer"))?,
        ),
        None => None,
    };
    let refuse = |message: String| Refusal::new(id.clone(), ErrorCode::INVALID_REQUEST, message);
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(refuse("`jsonrpc` must be \"2.0\"".into()));
    }
    if !method.is_string() {
        return Err(refuse("`method` must be a string".into()));
    }
    match fields.get("params") {
        None | Some(Value::Object(_)) => {}
        Some(Value::Null) => {
            fields.remove("params");
        }
        Some(_) if id.is_none() => return Ok(None),
        Some(_) => {
            return Err(Refusal::new(
                id,
                ErrorCode::INVALID_PARAMS,
                "`params` must be an object",
            ));
        }
    }
    if let Some(wrong) = wrong_cursor(fields) {
        return match id {
            Some(id) => Err(Refusal::new(Some(id), ErrorCode::INVALID_PARAMS, wrong)),
            None => Ok(None),
        };
    }
    match serde_json::from_value::<ClientJsonRpcMessage>(value) {
        Ok(message) => match wrong_params(&message) {
            Some(text) => Err(Refusal::new(id, ErrorCode::INVALID_PARAMS, text)),
            None => Ok(Some(message)),
        },
        Err(_) if id.is_none() => Ok(None),
        Err(error) => Err(refuse(error.to_string())),
    }
}

/// What is wrong with the type of a list request's cursor, which rmcp would not say.
fn wrong_cursor(fields: &serde_json::Map<String, Value>) -> Option<&'static str> {
    let lists = fields.get("method")?.as_str()?.ends_with("/list");
    match fields.get("params")?.get("cursor")? {
        Value::Null => None,
        Value::String(_) => None,
        _ if lists => Some("`params.cursor` must be a string"),
        _ => None,
    }
}

pub(super) fn request_id(id: &Value) -> Option<RequestId> {
    match id {
        Value::String(text) => Some(RequestId::String(text.as_str().into())),
        Value::Number(number) => number.as_i64().map(RequestId::Number),
        _ => None,
    }
}

/// What is wrong with the parameters of a known method; rmcp would treat such a request as an unknown
/// method.
fn wrong_params(message: &ClientJsonRpcMessage) -> Option<String> {
    let JsonRpcMessage::Request(request) = message else {
        return None;
    };
    let ClientRequest::CustomRequest(custom) = &request.request else {
        return None;
    };
    // What 2026-07-28 no longer has is unknown to it, whatever the parameters.
    let version = request.request.get_meta().protocol_version();
    let newest = version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    if newest && REMOVED.contains(&custom.method.as_str()) {
        return None;
    }
    let params = || custom.params.clone().unwrap_or_else(|| json!({}));
    match custom.method.as_str() {
        "initialize" => Some(complaint::<InitializeRequestParams>(params())),
        "tools/call" => Some(complaint::<CallToolRequestParams>(params())),
        "logging/setLevel" => Some(String::from(
            "`params.level` must be one of `debug`, `info`, `notice`, `warning`, `error`, `critical`, `alert`, `emergency`",
        )),
        "ping"
        | "tools/list"
        | "prompts/get"
        | "resources/read"
        | "server/discover"
        | "tasks/get"
        | "tasks/update"
        | "tasks/cancel"
        | "skills/get"
        | "resources/subscribe"
        | "resources/unsubscribe"
        | "subscriptions/listen" => Some(String::from("missing or wrong `params`")),
        _ => None,
    }
}

fn complaint<T: DeserializeOwned>(params: Value) -> String {
    match serde_path_to_error::deserialize::<_, T>(params) {
        Err(error) if error.path().iter().next().is_none() => {
            format!("wrong `params`: {}", error.into_inner())
        }
        Err(error) => {
            let path = error.path().to_string();
            format!("wrong `params.{path}`: {}", error.into_inner())
        }
        Ok(_) => String::from("wrong `params`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outcome of a line: the method of the message, the error we answer, or nothing.
    fn outcome(text: &str) -> String {
        let value = match line(text.as_bytes()) {
            Ok(Some(value)) => value,
            Ok(None) => return "nothing".into(),
            Err(refusal) => return String::from_utf8(refusal.frame()).unwrap(),
        };
        match message(value) {
            Ok(Some(JsonRpcMessage::Request(request))) => request.request.method().to_owned(),
            Ok(Some(_)) => "notification".into(),
            Ok(None) => "nothing".into(),
            Err(refusal) => String::from_utf8(refusal.frame()).unwrap(),
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = outcome(text);
        assert!(found.contains(expected), "{text}\n{found}\n{expected}");
    }

    #[test]
    fn messages_are_read() {
        check(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "ping");
        check(
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/list\",\"params\":null}\r",
            "tools/list",
        );
        check(
            r#"{"jsonrpc":"2.0","id":-3,"method":"tools/call","params":{"name":"x"}}"#,
            "tools/call",
        );
        check(
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            "notification",
        );
    }

    #[test]
    fn a_cursor_is_a_string() {
        for (cursor, expected) in [
            ("7", "-32602"),
            ("{}", "-32602"),
            ("\"x\"", "tools/list"),
            ("\"\"", "tools/list"),
        ] {
            let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":C}}"#;
            check(&line.replace('C', cursor), expected);
        }
    }

    #[test]
    fn what_is_no_json_is_a_parse_error_without_an_id() {
        check(
            "{oops",
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"#,
        );
        check(&"[".repeat(10_000), "-32700");
        assert!(line(b"\xff\xfe{}").is_err());
        assert!(line(b"{\"a\":\"\xff\"}").is_err());
        check("  \r", "nothing");
    }

    #[test]
    fn what_is_no_message_is_an_invalid_request() {
        check("5", r#""id":null,"error":{"code":-32600"#);
        check("{}", r#""id":null,"error":{"code":-32600"#);
        check(
            r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#,
            r#""id":7,"error":{"code":-32600"#,
        );
        check(
            r#"{"jsonrpc":"2.0","id":7,"method":["ping"]}"#,
            r#""id":7,"error":{"code":-32600"#,
        );
        check(
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}"#,
            r#""id":7,"error":{"code":-32600"#,
        );
    }

    #[test]
    fn an_id_is_a_string_or_an_integer() {
        for id in ["null", "1.5", "true", "[1]", "{}", "18446744073709551615"] {
            check(
                &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#),
                r#""id":null,"error":{"code":-32600,"message":"`id` must be a string or an integer"#,
            );
        }
    }

    #[test]
    fn wrong_params_say_where() {
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}"#,
            r#"-32602,"message":"`params` must be an object"#,
        );
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#,
            "missing field `name`",
        );
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":"b"}}"#,
            "wrong `params.arguments`",
        );
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#,
            "missing field `protocolVersion`",
        );
    }

    #[test]
    fn a_level_is_one_of_those_there_are() {
        let set = r#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":PARAMS}"#;
        let with = |params: &str| set.replace("PARAMS", params);
        check(&with(r#"{"level":"info"}"#), "logging/setLevel");
        check(&with(r#"{"level":"loud"}"#), "-32602");
        check(&with("{}"), "`params.level` must be one of");
        // 2026-07-28 knows no such method.
        let meta = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#;
        check(&with(meta), "logging/setLevel");
    }

    #[test]
    fn what_a_person_said_is_taken() {
        for text in [
            r#"{"jsonrpc":"2.0","id":0,"result":{"action":"accept","content":{}}}"#,
            r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}"#,
        ] {
            let value = line(text.as_bytes()).unwrap().unwrap();
            assert!(message(value).unwrap().is_some(), "{text}");
        }
    }

    #[test]
    fn what_wants_no_answer_gets_none() {
        check(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "nothing");
        check(
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}"#,
            "nothing",
        );
        check(
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}"#,
            "nothing",
        );
    }

    #[test]
    fn half_a_character_does_not_cost_the_message() {
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\ud83d"}}"#,
            "tools/call",
        );
    }
}
