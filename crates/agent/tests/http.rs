//! A model behind a real server that misbehaves.

#![allow(clippy::unwrap_used, reason = "a test ends where it fails")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use szk_agent::model::{
    Answer, Ask, ChatModel, Endpoint, Format, Message, ModelError, OverHttp, Role,
};
use szk_client::AgentSettings;
use szk_tools::Failure;
use szk_tools::doctor::CheckStatus;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const GOOD: &str = "{\"choices\": [{\"message\": {\"content\": \"hi\"}}], \"usage\": {\"prompt_tokens\": 3, \"completion_tokens\": 2}}";

/// Writes these answers, byte by byte as they stand, to one connection each; `None` never answers. Then
/// asks the model once, and says how many connections there were.
async fn asked(answers: Vec<Option<String>>) -> (Result<Answer, ModelError>, usize) {
    asked_in(Format::Chat, answers).await
}

async fn asked_in(
    format: Format,
    answers: Vec<Option<String>>,
) -> (Result<Answer, ModelError>, usize) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let count = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&count);
    let server = tokio::spawn(async move {
        let mut open = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            seen.fetch_add(1, Ordering::Relaxed);
            let mut request = Vec::new();
            while !request.ends_with(b"}") {
                stream.read_buf(&mut request).await.unwrap();
            }
            let head = String::from_utf8_lossy(&request).to_lowercase();
            let key = match format {
                Format::Chat => "authorization: bearer sk-test",
                Format::Anthropic => "x-api-key: sk-test",
                Format::Gemini => "x-goog-api-key: sk-test",
            };
            let streams = match format {
                Format::Gemini => "post /v1/models/m:streamgeneratecontent?alt=sse http",
                Format::Chat | Format::Anthropic => "\"stream\":true",
            };
            assert!(head.contains(key), "{head}");
            assert!(head.contains(streams), "{head}");
            // Pictures go along, each in the provider's way.
            let picture = match format {
                Format::Chat => "data:image/png;base64,aaaa",
                Format::Anthropic => "\"media_type\":\"image/png\"",
                Format::Gemini => "\"mimetype\":\"image/png\"",
            };
            assert!(head.contains(picture), "{head}");
            match answer {
                Some(answer) => stream.write_all(answer.as_bytes()).await.unwrap(),
                None => open.push(stream),
            }
        }
        std::future::pending::<()>().await;
    });
    let model = OverHttp::new(Endpoint {
        format,
        model: "m".to_owned(),
        base_url: format!("http://127.0.0.1:{port}/v1/"),
        key: Some("sk-test".to_owned()),
        timeout: Duration::from_millis(500),
        pause: Duration::from_millis(1),
    });
    let mut hello = Message::new(Role::User, "hello");
    hello.images.push(szk_tools::Image {
        mime: "image/png".to_owned(),
        base64: "AAAA".to_owned(),
    });
    let messages = [hello];
    let ask = Ask {
        messages: &messages,
        tools: &[],
        schema: None,
    };
    let answer = model.unwrap().ask(ask).await;
    server.abort();
    (answer, count.load(Ordering::Relaxed))
}

fn http(status: &str, headers: &str, body: &str) -> Option<String> {
    let length = body.len();
    Some(format!(
        "HTTP/1.1 {status}\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
    ))
}

const JSON: &str = "content-type: application/json\r\n";

#[tokio::test]
async fn passing_trouble_is_waited_out() {
    let cut = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{\"choices\": [";
    let answers = vec![
        http("429 Too Many Requests", "retry-after: 0\r\n", ""),
        http("503 Service Unavailable", "", ""),
        Some(cut.to_owned()),
        http("200 OK", JSON, GOOD),
    ];
    let (answer, count) = asked(answers).await;
    let answer = answer.unwrap();
    assert_eq!((&*answer.text, answer.usage.total(), count), ("hi", 5, 4));
}

#[tokio::test]
async fn trouble_that_stays_is_told_with_its_code() {
    let down = || http("500 Internal Server Error", "", "");
    let wrong = "{\"error\": {\"message\": \"no model m for sk-test\"}}";
    let cases: Vec<(Vec<Option<String>>, &str, usize)> = vec![
        (
            vec![http("401 Unauthorized", JSON, wrong)],
            "UNAUTHORIZED",
            1,
        ),
        (vec![http("404 Not Found", JSON, wrong)], "MODEL_FAILED", 1),
        (
            vec![http("429 Too Many", "retry-after: 3600\r\n", "")],
            "LIMIT_REACHED",
            1,
        ),
        (vec![down(), down(), down(), down()], "MODEL_FAILED", 4),
        (
            vec![http("200 OK", "content-type: text/html\r\n", "<html>")],
            "MODEL_FAILED",
            1,
        ),
        (
            vec![http("200 OK", JSON, "{\"choices\": []}")],
            "MODEL_FAILED",
            1,
        ),
        (vec![http("200 OK", JSON, "not json")], "MODEL_FAILED", 1),
        (
            vec![http("302 Found", "location: http://127.0.0.1:1/\r\n", "")],
            "MODEL_FAILED",
            1,
        ),
        (vec![None, None, None, None], "TIMEOUT", 4),
    ];
    for (answers, code, expected) in cases {
        let shown = format!("{answers:?}");
        let (answer, count) = asked(answers).await;
        let failure = Failure::from(answer.expect_err(&shown));
        assert_eq!((&*failure.code.name(), count), (code, expected), "{shown}");
        assert!(failure.hint.is_some(), "{shown}");
        assert!(!failure.to_string().contains("sk-test"), "{failure}");
    }
}

#[tokio::test]
async fn tool_calls_are_read_as_servers_write_them() {
    let body = "{\"choices\": [{\"message\": {\"content\": null, \"tool_calls\": [{\"function\": {\"name\": \"done\", \"arguments\": {\"success\": true}}}]}}]}";
    let (answer, _) = asked(vec![http("200 OK", JSON, body)]).await;
    let call = answer.unwrap().calls.remove(0);
    assert_eq!((&*call.id, &*call.name), ("call-0", "done"));
    assert_eq!(call.arguments, "{\"success\":true}");
}

/// A stream of these events, in pieces that end anywhere; without its end if it is cut.
fn stream(events: &[&str], whole: bool) -> Option<String> {
    let mut body = String::from(": keep alive\r\n\r\n");
    for event in events {
        body.push_str(&format!("event: x\r\ndata: {event}\r\n\r\n"));
    }
    let length = body.len() + if whole { 0 } else { 100 };
    Some(format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    ))
}

#[tokio::test]
async fn chat_completions_are_streamed_as_servers_do_it() {
    let text = "{\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"I cl\"}}]}";
    let more =
        "{\"choices\":[{\"delta\":{\"content\":\"ick\"},\"finish_reason\":null}],\"usage\":null}";
    let begun = "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"done\",\"arguments\":\"\"},\"extra_content\":{\"google\":{\"thought_signature\":\"s\"}}}]}}]}";
    let rest = "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"success\\\":true}\"}}]},\"finish_reason\":\"tool_calls\"}]}";
    let usage = "{\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}";
    // Without a number, and in one piece.
    let at_once = "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"done\",\"arguments\":{\"success\":true}}}]},\"finish_reason\":\"stop\"}]}";
    for (events, id) in [
        (vec![text, more, begun, rest, usage, "[DONE]"], "a"),
        (vec![text, more, at_once, usage], "call-0"),
    ] {
        let (answer, count) = asked(vec![stream(&events, true)]).await;
        let answer = answer.unwrap();
        assert_eq!(
            (&*answer.text, answer.usage.total(), count),
            ("I click", 5, 1)
        );
        assert_eq!(answer.calls.len(), 1, "{answer:?}");
        let call = &answer.calls[0];
        assert_eq!((&*call.id, &*call.arguments), (id, "{\"success\":true}"));
        assert_eq!(call.extra.is_some(), id == "a");
    }
    // A stream that breaks off is asked for again; one that ends early is no answer either.
    let answers = vec![
        stream(&[text, more], false),
        stream(&[text], true),
        stream(&["{\"error\":{\"message\":\"busy\",\"code\":503}}"], true),
        stream(&[text, more, begun, rest, "[DONE]"], true),
    ];
    let (answer, count) = asked(answers).await;
    assert_eq!((answer.unwrap().calls.len(), count), (1, 4));
    let refused = "{\"error\":{\"message\":\"no model for sk-test\",\"code\":404}}";
    let (answer, count) = asked(vec![stream(&[text, refused], true)]).await;
    let failure = Failure::from(answer.unwrap_err()).to_string();
    assert!(
        failure.contains("no model for ***") && count == 1,
        "{failure}"
    );
    for wrong in ["nonsense", "5", "{\"choices\":7}", "null"] {
        let (answer, count) = asked(vec![stream(&[wrong], true)]).await;
        let unreadable = matches!(answer, Err(ModelError::Unreadable(_)));
        assert!(unreadable && count == 1, "{wrong}: {answer:?}");
    }
}

#[tokio::test]
async fn anthropic_messages_are_streamed_as_the_api_does_it() {
    let start = "{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}";
    let thought = "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"hm\"}}";
    let mused = "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"!\"}}";
    let text = "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}";
    let said = "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"I click\"}}";
    let call = "{\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"done\",\"input\":{}}}";
    let first = "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"success\\\"\"}}";
    let second = "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\":true}\"}}";
    let usage = "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":2}}";
    let stop = "{\"type\":\"message_stop\"}";
    let ping = "{\"type\":\"ping\"}";
    let all = [
        start, ping, thought, mused, text, said, call, first, ping, second, usage, stop,
    ];
    let check = async |answers| {
        let (answer, count) = asked_in(Format::Anthropic, answers).await;
        let answer = answer.unwrap();
        let call = &answer.calls[0];
        assert_eq!((&*call.id, &*call.arguments), ("a", "{\"success\":true}"));
        assert_eq!((&*answer.text, answer.usage.total()), ("I click", 5));
        count
    };
    assert_eq!(check(vec![stream(&all, true)]).await, 1);
    let overloaded =
        "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}";
    let answers = vec![
        http("529 Overloaded", JSON, "{}"),
        stream(&[start, overloaded], true),
        stream(&all[..9], true),
        stream(&all, true),
    ];
    assert_eq!(check(answers).await, 4);
    for wrong in ["nonsense", "{\"type\":\"error\",\"error\":7}"] {
        let answers = vec![stream(&[wrong], true)];
        let (answer, count) = asked_in(Format::Anthropic, answers).await;
        assert!(answer.is_err() && count == 1, "{wrong}: {answer:?}");
    }
    let whole = "{\"content\":[{\"type\":\"text\",\"text\":\"I click\"},{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"done\",\"input\":{\"success\":true}}],\"usage\":{\"input_tokens\":3,\"output_tokens\":2}}";
    assert_eq!(check(vec![http("200 OK", JSON, whole)]).await, 1);
    for (answer, code) in [
        (http("401 Unauthorized", JSON, "{}"), "UNAUTHORIZED"),
        (
            http("429 Too Many", "retry-after: 3600\r\n", "{}"),
            "LIMIT_REACHED",
        ),
        (http("404 Not Found", JSON, "{}"), "MODEL_FAILED"),
        (http("200 OK", JSON, "{}"), "MODEL_FAILED"),
        (
            http("200 OK", "content-type: text/html\r\n", "<html>"),
            "MODEL_FAILED",
        ),
    ] {
        let (answer, count) = asked_in(Format::Anthropic, vec![answer]).await;
        let failure = Failure::from(answer.unwrap_err());
        assert_eq!((&*failure.code.name(), count), (code, 1), "{failure}");
    }
}

#[tokio::test]
async fn gemini_is_streamed_as_the_api_does_it() {
    let thought = "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hm\",\"thought\":true}],\"role\":\"model\"},\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":3}}";
    let text = "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"I cl\"}],\"role\":\"model\"}}],\"usageMetadata\":{\"promptTokenCount\":3,\"candidatesTokenCount\":1}}";
    let more = "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"ick\"},{\"functionCall\":{\"name\":\"done\",\"args\":{\"success\":true}},\"thoughtSignature\":\"s\"}]}}]}";
    let end = "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":3,\"candidatesTokenCount\":1,\"thoughtsTokenCount\":1}}";
    let check = async |answers| {
        let (answer, count) = asked_in(Format::Gemini, answers).await;
        let answer = answer.unwrap();
        let call = &answer.calls[0];
        assert_eq!(
            (&*call.name, &*call.arguments),
            ("done", "{\"success\":true}")
        );
        assert!(call.extra.is_some(), "{call:?}");
        assert_eq!((&*answer.text, answer.usage.total()), ("I click", 5));
        count
    };
    let all = [thought, text, more, end];
    assert_eq!(check(vec![stream(&all, true)]).await, 1);
    let busy = "{\"error\":{\"code\":503,\"message\":\"overloaded\"}}";
    let answers = vec![
        http("429 Too Many Requests", "retry-after: 0\r\n", ""),
        stream(&[text, busy], true),
        stream(&[text, more], true),
        stream(&[text, more, end], true),
    ];
    assert_eq!(check(answers).await, 4);
    let whole = format!("[{text},{more},{end}]");
    assert_eq!(check(vec![http("200 OK", JSON, &whole)]).await, 1);
    let refused = "{\"error\":{\"code\":400,\"message\":\"API key sk-test not valid\"}}";
    let key = "[{\"error\":{\"code\":400,\"message\":\"API key sk-test not valid\",\"status\":\"INVALID_ARGUMENT\",\"details\":[{\"reason\":\"API_KEY_INVALID\"}]}}]";
    let blocked = "{\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}";
    for (answer, code) in [
        (http("403 Forbidden", JSON, refused), "UNAUTHORIZED"),
        (http("400 Bad Request", JSON, key), "UNAUTHORIZED"),
        (http("400 Bad Request", JSON, refused), "MODEL_FAILED"),
        (stream(&[refused], true), "MODEL_FAILED"),
        (stream(&[blocked], true), "MODEL_FAILED"),
        (stream(&["nonsense"], true), "MODEL_FAILED"),
    ] {
        let (answer, count) = asked_in(Format::Gemini, vec![answer]).await;
        let failure = Failure::from(answer.unwrap_err());
        assert_eq!((&*failure.code.name(), count), (code, 1), "{failure}");
        assert!(!failure.to_string().contains("sk-test"), "{failure}");
    }
}

fn settings(model: &str, base_url: String) -> AgentSettings {
    AgentSettings {
        model: Some(model.to_owned()),
        base_url: Some(base_url),
        key: serde_json::from_str("\"sk-test\"").unwrap(),
        ..AgentSettings::default()
    }
}

#[tokio::test]
async fn doctor_says_whether_the_model_is_there_and_never_the_key() {
    let listed = "{\"data\":[{\"id\":\"m\"}]}";
    let other = "{\"models\":[{\"name\":\"models/x\"}]}";
    let cases = [
        (http("200 OK", JSON, listed), CheckStatus::Ok, "with a key"),
        (
            http("200 OK", JSON, other),
            CheckStatus::Warn,
            "does not list it",
        ),
        (
            http("404 Not Found", JSON, "{}"),
            CheckStatus::Ok,
            "lists no models",
        ),
        (
            http("401 Unauthorized", JSON, "sk-test"),
            CheckStatus::Warn,
            "refuses the key",
        ),
        (
            http("503 Down", JSON, "{}"),
            CheckStatus::Warn,
            "status 503",
        ),
    ];
    for (answer, status, expected) in cases {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                stream.read_buf(&mut request).await.unwrap();
            }
            stream.write_all(answer.unwrap().as_bytes()).await.unwrap();
            String::from_utf8(request).unwrap()
        });
        let settings = settings("openai:m", format!("http://127.0.0.1:{port}/v1"));
        let check = szk_agent::check(&settings).await;
        let asked = server.await.unwrap();
        assert!(asked.starts_with("GET /v1/models "), "{asked}");
        assert_eq!(check.status, status, "{check:?}");
        let shown = format!("{check:?}");
        assert!(
            shown.contains(expected) && !shown.contains("sk-test"),
            "{shown}"
        );
    }
    let nobody = settings("ollama:m", "http://127.0.0.1:1".to_owned());
    let check = szk_agent::check(&nobody).await;
    assert_eq!(check.status, CheckStatus::Warn, "{check:?}");
    assert!(check.detail.contains("cannot be reached"), "{check:?}");
    let none = szk_agent::check(&AgentSettings::default()).await;
    assert_eq!(none.status, CheckStatus::Ok);
}
