//! A model behind a real server that misbehaves.

#![allow(clippy::unwrap_used, reason = "a test ends where it fails")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use szk_agent::model::{Answer, Ask, ChatModel, Endpoint, Message, ModelError, OverHttp, Role};
use szk_tools::Failure;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const GOOD: &str = "{\"choices\": [{\"message\": {\"content\": \"hi\"}}], \"usage\": {\"prompt_tokens\": 3, \"completion_tokens\": 2}}";

/// Writes these answers, byte by byte as they stand, to one connection each; `None` never answers. Then
/// asks the model once, and says how many connections there were.
async fn asked(answers: Vec<Option<String>>) -> (Result<Answer, ModelError>, usize) {
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
            assert!(head.contains("authorization: bearer sk-test"), "{head}");
            match answer {
                Some(answer) => stream.write_all(answer.as_bytes()).await.unwrap(),
                None => open.push(stream),
            }
        }
        std::future::pending::<()>().await;
    });
    let model = OverHttp::new(Endpoint {
        model: "m".to_owned(),
        base_url: format!("http://127.0.0.1:{port}/v1/"),
        key: Some("sk-test".to_owned()),
        timeout: Duration::from_millis(500),
        pause: Duration::from_millis(1),
    });
    let messages = [Message::new(Role::User, "hello")];
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
