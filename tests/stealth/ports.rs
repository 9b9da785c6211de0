//! A page that probes this machine for debugging ports learns nothing.

use serde_json::json;

use crate::harness::{Site, TestEnv, http};

/// Probes a port as tools do, and returns what happened.
const ASK: &str = r#"async (ports) => {
  const outcome = async (port, path) => {
    try {
      return await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    } catch {
      return 'nothing';
    }
  };
  const socket = (port) => new Promise((done) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/devtools/browser`);
    socket.onopen = () => done('open');
    socket.onerror = () => done('nothing');
  });
  const seen = [];
  for (const port of ports) {
    for (const path of ['/', '/json/version', '/json/list', '/json/protocol']) seen.push(await outcome(port, path));
    seen.push(await socket(port));
  }
  return [...new Set(seen)];
}"#;

#[test]
fn of_the_endpoint_a_page_reads_nothing() {
    let env = TestEnv::new();
    let site = Site::of("<title>looks for ports</title>");
    env.open("work");
    env.navigate("work", &site.url("/"));
    let endpoint = env.endpoint("work");
    let (port, path) = http::parts(endpoint["http_url"].as_str().unwrap());
    // It is there for those who know the token.
    assert_eq!(http::get(port, &format!("{path}/json/version")).status, 200);
    let code = format!("({ASK})([{port}])");
    assert_eq!(env.eval_main("work", &code), json!(["nothing"]));
}

#[test]
fn what_can_be_read_is_read() {
    let env = TestEnv::new();
    let site = Site::plan()
        .page("/", "here")
        .page("/page", "<title>looks for ports</title>")
        .serve();
    env.open("work");
    env.navigate("work", &site.url("/page"));
    let code = format!("({ASK})([{}])", site.port());
    let seen = env.eval_main("work", &code);
    assert_eq!(seen[0], "here", "{seen}");
}
