//! The name of a client: from its `User-Agent`, otherwise from its first commands. Programs built on
//! Puppeteer look like Puppeteer until they send something that Puppeteer never does.

use szk_cdp::protocol::autofill::SetAddressesParams;
use szk_cdp::protocol::browser::GetVersionParams;
use szk_cdp::protocol::network::SetAttachDebugStackParams;
use szk_cdp::protocol::target::{
    GetBrowserContextsParams, GetDevToolsTargetParams, GetTargetsParams, SetAutoAttachParams,
    SetDiscoverTargetsParams,
};

/// Number of commands to examine.
const LOOKED_AT: usize = 4;

const PUPPETEER: &str = "Puppeteer";

/// Commands of the model behind Chromium's developer tools. chrome-devtools-mcp runs it in Node, beside
/// the Puppeteer that it is built on.
const DEVELOPER_TOOLS: [&str; 3] = [
    SetAttachDebugStackParams::IDENTIFIER,
    SetAddressesParams::IDENTIFIER,
    GetDevToolsTargetParams::IDENTIFIER,
];

/// A name that is not final yet.
#[derive(Debug)]
pub(super) struct Naming {
    calls: Vec<String>,
    done: bool,
    /// It claims to be Puppeteer, but may be more.
    puppeteer: bool,
}

impl Naming {
    /// The name, as far as the `User-Agent` header tells it.
    pub(super) fn begin(agent: Option<&str>) -> (Self, Option<String>) {
        let name = agent.and_then(by_agent);
        let naming = Self {
            calls: Vec::new(),
            done: name.is_some(),
            puppeteer: name
                .as_ref()
                .is_some_and(|name| name.starts_with(PUPPETEER)),
        };
        (naming, name)
    }

    /// Examines a command; returns a name if that is enough for one.
    pub(super) fn heard(&mut self, method: &str) -> Option<&'static str> {
        if self.puppeteer && DEVELOPER_TOOLS.contains(&method) {
            self.puppeteer = false;
            return Some("chrome-devtools-mcp");
        }
        if self.done {
            return None;
        }
        self.calls.push(method.to_owned());
        let name = by_calls(&self.calls);
        self.puppeteer = name == Some(PUPPETEER);
        self.done = name.is_some() || self.calls.len() >= LOOKED_AT;
        name.or(self.done.then_some("CDP client"))
    }
}

/// `Playwright/1.65.1 (x64; debian 12) node/20` → `Playwright 1.65.1`
fn by_agent(agent: &str) -> Option<String> {
    const KNOWN: [&str; 5] = [
        "Playwright",
        PUPPETEER,
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
    // The name of a socket library, not of the program.
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
    const GET_VERSION: &str = GetVersionParams::IDENTIFIER;
    const GET_CONTEXTS: &str = GetBrowserContextsParams::IDENTIFIER;
    const DISCOVER: &str = SetDiscoverTargetsParams::IDENTIFIER;
    let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
    match calls[..] {
        [GET_VERSION, SetAutoAttachParams::IDENTIFIER, ..] => Some("Playwright"),
        [GET_CONTEXTS, ..] | [GET_VERSION, GET_CONTEXTS, ..] => Some(PUPPETEER),
        [DISCOVER, GetTargetsParams::IDENTIFIER, ..] => Some("agent-browser"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_names_the_client() {
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
    fn otherwise_its_first_commands_name_the_client() {
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

    #[test]
    fn programs_built_on_puppeteer_are_recognised_later() {
        // As chrome-devtools-mcp 1.11 begins, and Puppeteer 24 and 25.
        let begins = [
            "Target.getBrowserContexts",
            "Target.setDiscoverTargets",
            "Target.setAutoAttach",
            "Runtime.runIfWaitingForDebugger",
            "Network.enable",
            "Audits.enable",
        ];
        let more = ["Network.setAttachDebugStack", "Target.getDevToolsTarget"];
        let heard = |agent, calls: &[&str]| {
            let (mut naming, _) = Naming::begin(agent);
            let names = calls.iter().filter_map(|call| naming.heard(call));
            names.collect::<Vec<_>>()
        };
        let puppeteer = Some("Puppeteer 25.14.0");
        assert_eq!(heard(puppeteer, &begins), [""; 0]);
        let all = [&begins[..], &more].concat();
        assert_eq!(heard(puppeteer, &all), ["chrome-devtools-mcp"]);
        assert_eq!(heard(None, &all), ["Puppeteer", "chrome-devtools-mcp"]);
        let playwright = Some("Playwright/1.65.1 node/20");
        assert_eq!(heard(playwright, &more), [""; 0]);
        assert_eq!(
            heard(None, &more),
            [""; 0],
            "Chromium's own developer tools"
        );
    }
}
