//! What a client is called: by what it says of itself, else by what it asks for first.

/// How many commands are looked at.
const LOOKED_AT: usize = 4;

/// A name in the making.
#[derive(Debug)]
pub(super) struct Naming {
    calls: Vec<String>,
    done: bool,
}

impl Naming {
    /// The name, as far as the `User-Agent` header tells it.
    pub(super) fn begin(agent: Option<&str>) -> (Self, Option<String>) {
        let name = agent.and_then(by_agent);
        let naming = Self {
            calls: Vec::new(),
            done: name.is_some(),
        };
        (naming, name)
    }

    /// Looks at a command; a name when it is enough for one.
    pub(super) fn heard(&mut self, method: &str) -> Option<&'static str> {
        if self.done {
            return None;
        }
        self.calls.push(method.to_owned());
        let name = by_calls(&self.calls);
        self.done = name.is_some() || self.calls.len() >= LOOKED_AT;
        name.or(self.done.then_some("CDP client"))
    }
}

/// `Playwright/1.65.1 (x64; debian 12) node/20` → `Playwright 1.65.1`
fn by_agent(agent: &str) -> Option<String> {
    const KNOWN: [&str; 5] = [
        "Playwright",
        "Puppeteer",
        "chrome-devtools-mcp",
        "agent-browser",
        "websockets",
    ];
    let product = agent.split_whitespace().find(|word| {
        let name = word.split('/').next().unwrap_or_default();
        KNOWN.iter().any(|known| name.eq_ignore_ascii_case(known))
    })?;
    let short: String = product
        .replacen('/', " ", 1)
        .chars()
        .filter(|c| !c.is_control())
        .take(60)
        .collect();
    // A library for sockets, not the program.
    Some(
        short
            .strip_prefix("websockets")
            .map_or(short.clone(), |version| {
                format!("Python websockets{version}")
            }),
    )
}

/// Each begins in its own way.
fn by_calls(calls: &[String]) -> Option<&'static str> {
    let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
    match calls[..] {
        ["Browser.getVersion", "Target.setAutoAttach", ..] => Some("Playwright"),
        ["Target.getBrowserContexts", ..] => Some("Puppeteer"),
        ["Browser.getVersion", "Target.getBrowserContexts", ..] => Some("Puppeteer"),
        ["Target.setDiscoverTargets", "Target.getTargets", ..] => Some("agent-browser"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_believed() {
        let name = |agent| Naming::begin(Some(agent)).1;
        assert_eq!(
            name("Playwright/1.65.1 (x64; debian 12) node/20.20").as_deref(),
            Some("Playwright 1.65.1")
        );
        assert_eq!(name("Puppeteer 24.43.1").as_deref(), Some("Puppeteer"));
        assert_eq!(
            name("Python/3.11 websockets/12.0").as_deref(),
            Some("Python websockets 12.0")
        );
        assert_eq!(name("node"), None);
    }

    #[test]
    fn else_it_is_what_it_asks_for_first() {
        let name = |calls: &[&str]| {
            let (mut naming, _) = Naming::begin(None);
            calls
                .iter()
                .filter_map(|call| naming.heard(call))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            name(&["Browser.getVersion", "Target.setAutoAttach", "x"]),
            ["Playwright"]
        );
        assert_eq!(name(&["Target.getBrowserContexts"]), ["Puppeteer"]);
        assert_eq!(name(&["a", "b", "c", "d", "e"]), ["CDP client"]);
        assert_eq!(name(&["a"]), [""; 0]);
    }
}
