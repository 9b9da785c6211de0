//! Clients of the server come and go, though HTTP has no connection that ends with them.

use serde_json::json;

use super::{Server, token};
use crate::harness::TestEnv;

#[test]
fn a_client_that_does_nothing_has_left_and_comes_back_with_its_next_call() {
    let env = TestEnv::new();
    env.config("[server]\nclient_idle = 1\n");
    let (a, b) = (token(&env, "a", &["--scope", "all"]), token(&env, "b", &[]));
    let server = Server::start(&env);
    env.open("work");
    let mut told = env
        .szk(["logs", "-s", "work", "--follow", "--since", "0", "--json"])
        .start();
    let mut tells = |event: &str, client: &str| {
        let line = format!(r#""event":"{event}","client":"{client}""#);
        told.until(&line, |told| told.contains(&line));
    };
    let navigate = |token: &str| {
        let input = json!({"url": "about:blank"});
        let path = "/v1/sessions/work/navigate";
        server.call(token, "POST", path, &input).ok()["tab"].clone()
    };
    // Who follows something is there; this one did its last call before the other.
    let (stream, _) = server.follow(&b, "/v1/sessions/work/events", "");
    let theirs = navigate(&b);
    let own = navigate(&a);
    assert_ne!(own, theirs);
    tells("client_left", "a");
    let row = env.row("work").unwrap();
    assert_eq!(row["clients"], json!(["b"]), "{row:#}");
    let tab = |id: &serde_json::Value| {
        let tabs = row["tabs"].as_array().unwrap();
        tabs.iter().find(|tab| tab["id"] == *id).unwrap().clone()
    };
    assert_eq!(tab(&theirs)["client"], "b", "{row:#}");

    assert_eq!(navigate(&a), own, "nobody else needed it");
    tells("client_came", "a");
    drop(stream);
    tells("client_left", "b");
    // The session stays open for both, and nobody keeps the terminal from closing it.
    assert_eq!(env.row("work").unwrap()["status"], "open");
    env.szk(["close", "work"]).ok();
}
