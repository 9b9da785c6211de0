//! A keeper that goes away between two requests, or during one.

use std::path::PathBuf;

use serde_json::json;
use szk_tools::session::ListInput;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixListener;

use super::*;

/// A keeper that follows the given steps on each connection, one connection after another.
enum Step {
    /// Reads a request and answers it.
    Answer,
    /// Waits for a request and closes without reading it.
    Ignore,
    /// Reads a request and closes.
    Die,
    /// Removes its socket and closes as if there were no request.
    End,
}

async fn keeper(socket: PathBuf, listener: UnixListener, connections: Vec<Vec<Step>>) {
    for steps in connections {
        let (mut stream, _) = listener.accept().await.unwrap();
        for step in steps {
            stream.readable().await.unwrap();
            if matches!(step, Step::Ignore) {
                break;
            }
            let mut request = [0; 4096];
            assert!(stream.read(&mut request).await.unwrap() > 0);
            if matches!(step, Step::End) {
                std::fs::remove_file(&socket).unwrap();
            }
            if matches!(step, Step::Die | Step::End) {
                break;
            }
            let line = json!({"ok": {"summary": "done", "data": {}}}).to_string();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n",
                line.len() + 1
            );
            let answer = format!("{head}{line}\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    }
}

/// The results of two calls, one after another.
async fn two_calls(connections: Vec<Vec<Step>>) -> [Result<(), Failure>; 2] {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let listener = UnixListener::bind(&socket).unwrap();
    let serving = tokio::spawn(keeper(socket.clone(), listener, connections));
    let pool = Pool::new(Client::named("test"));
    let call = async || {
        let call = ListInput::default().into();
        let done = pool.operation(&socket, &call, Found::Open, &|_| {});
        done.await.map(drop)
    };
    let results = [call().await, call().await];
    serving.abort();
    results
}

#[tokio::test]
async fn an_unread_request_is_sent_again_on_another_connection() {
    use Step::{Answer, Ignore};
    let results = two_calls(vec![vec![Answer, Ignore], vec![Answer]]).await;
    assert_eq!(results, [Ok(()), Ok(())]);
}

#[tokio::test]
async fn a_request_that_was_read_is_not_sent_again() {
    use Step::{Answer, Die};
    let [first, second] = two_calls(vec![vec![Answer, Die]]).await;
    assert_eq!(first, Ok(()));
    let failure = second.unwrap_err();
    assert_eq!(failure.code, Code::BrowserCrashed);
    assert_eq!(failure.effect, Done::Unknown);
}

#[tokio::test]
async fn a_call_to_a_keeper_that_ends_in_order_had_no_effect() {
    use Step::{Answer, End};
    let [_, second] = two_calls(vec![vec![Answer, End]]).await;
    let failure = second.unwrap_err();
    assert_eq!(failure.code, Code::SessionBusy);
    assert_eq!(failure.effect, Done::None);
    assert!(failure.retryable);
}

#[tokio::test]
async fn a_call_to_a_keeper_that_never_reads_had_no_effect() {
    use Step::{Answer, Ignore};
    let [_, second] = two_calls(vec![vec![Answer, Ignore], vec![Ignore]]).await;
    let failure = second.unwrap_err();
    assert_eq!(failure.code, Code::SessionBusy);
    assert_eq!(failure.effect, Done::None);
    assert!(failure.retryable);
}

/// A pool with this many idle connections to a keeper, and the keeper's ends of them.
async fn idle(socket: &Path, pool: &Pool, count: usize) -> Vec<tokio::net::UnixStream> {
    let listener = UnixListener::bind(socket).unwrap();
    let mut ends = Vec::new();
    for _ in 0..count {
        let (sender, accepted) = tokio::join!(connect(socket), listener.accept());
        ends.push(accepted.unwrap().0);
        pool.keep(socket, sender.unwrap());
    }
    ends
}

#[tokio::test]
async fn only_so_many_connections_wait_for_the_next_call() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, pool) = (
        folder.path().join("socket"),
        Pool::new(Client::named("test")),
    );
    let _ends = idle(&socket, &pool, IDLE + 3).await;
    assert_eq!(pool.idle()[&socket].len(), IDLE);
}

#[tokio::test]
async fn keepers_that_are_gone_are_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let pool = Pool::new(Client::named("test"));
    let [gone, here] = ["gone", "here"].map(|name| folder.path().join(name));
    drop(idle(&gone, &pool, 2).await);
    // The connections notice a moment later.
    while pool.idle()[&gone].iter().any(|sender| !sender.is_closed()) {
        tokio::task::yield_now().await;
    }
    let _ends = idle(&here, &pool, 1).await;
    let known: Vec<PathBuf> = pool.idle().keys().cloned().collect();
    assert_eq!(known, [here]);
}
