//! The answer of `szk endpoint`.

use std::collections::BTreeMap;

use szk_tools::session::EndpointOutput;

use super::style::{FAINT, STRONG, USABLE, paint};
use super::text::printable;

/// The addresses, and how each tool joins.
pub(crate) fn overview(endpoint: &EndpointOutput) -> String {
    let mut out = format!(
        "{}  {}\n{}    {}",
        paint(FAINT, "http"),
        paint(USABLE, &endpoint.http_url),
        paint(FAINT, "ws"),
        paint(USABLE, &endpoint.ws_url),
    );
    if let Some(port) = endpoint.plain_port {
        let address = format!("127.0.0.1:{port}");
        out.push_str(&format!(
            "\n{} {}  {}",
            paint(FAINT, "plain"),
            paint(USABLE, &address),
            paint(FAINT, "(no token: for programs of this user)")
        ));
    }
    for snippet in &endpoint.snippets {
        let code = snippet.code.trim_end().replace('\n', "\n  ");
        out.push_str(&format!("\n\n{}\n  {code}", paint(STRONG, &snippet.tool)));
    }
    for client in &endpoint.clients {
        let name = match &*client.name {
            "" => client.agent.as_deref().unwrap_or_default(),
            name => name,
        };
        let open = if client.shield { "" } else { " without shield" };
        let gap = if out.contains("\nclient ") {
            "\n"
        } else {
            "\n\n"
        };
        let scope = match &*client.scope {
            "browser" => String::new(),
            target => format!(" on {}", printable(target)),
        };
        let line = format!("client {}: {}{scope}{open}", client.id, printable(name));
        out.push_str(&format!("{gap}{}", line.trim_end()));
    }
    out
}

/// Lines for `eval` in a POSIX shell.
pub(crate) fn exports(env: &BTreeMap<String, String>) -> String {
    let lines = env
        .iter()
        .map(|(name, value)| format!("export {name}={}", quoted(value)));
    lines.collect::<Vec<_>>().join("\n")
}

/// A POSIX shell word, whatever `value` contains.
fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_one_word_each() {
        let env = [("A", "x y"), ("B", "it's $HOME")];
        let env = env.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        assert_eq!(exports(&env), "export A='x y'\nexport B='it'\\''s $HOME'");
    }

    #[test]
    fn addresses_snippets_and_clients() {
        let endpoint: EndpointOutput = serde_json::from_value(json!({
            "session": "work", "port": 23456, "env": {},
            "http_url": "http://127.0.0.1:23456/0f",
            "ws_url": "ws://127.0.0.1:23456/0f/devtools/browser/1",
            "snippets": [{"tool": "Playwright", "code": "a()\nb()\n"}, {"tool": "curl", "code": "curl x"}],
            "clients": [{"id": 1, "scope": "browser", "name": "Playwright 1.65.1"}, {"id": 2, "scope": "t", "agent": "node", "shield": false}],
        }))
        .unwrap();
        insta::assert_snapshot!(anstream::adapter::strip_str(&overview(&endpoint)).to_string(), @r"
        http  http://127.0.0.1:23456/0f
        ws    ws://127.0.0.1:23456/0f/devtools/browser/1

        Playwright
          a()
          b()

        curl
          curl x

        client 1: Playwright 1.65.1
        client 2: node on t without shield
        ");
    }
}
