//! How each tool joins.

use szk_tools::session::Snippet;

/// Addresses of the endpoint.
pub(super) struct Addresses<'a> {
    pub(super) session: &'a str,
    pub(super) http: &'a str,
    pub(super) ws: &'a str,
    /// For tools that take only host and port, if it is open.
    pub(super) plain: Option<u16>,
}

/// Ready-made code per tool, the most used tool first.
pub(super) fn all(addresses: &Addresses<'_>) -> Vec<Snippet> {
    let Addresses { http, ws, .. } = addresses;
    let mut all = vec![
        snippet(
            "Playwright",
            format!(
                "const browser = await chromium.connectOverCDP('{http}');\nconst [page] = browser.contexts()[0].pages();"
            ),
        ),
        snippet(
            "Playwright (Python)",
            format!("browser = p.chromium.connect_over_cdp(\"{http}\")"),
        ),
        snippet(
            "Puppeteer",
            format!(
                "const browser = await puppeteer.connect({{ browserWSEndpoint: '{ws}', defaultViewport: null }});"
            ),
        ),
        snippet(
            "@playwright/mcp",
            format!("npx @playwright/mcp --cdp-endpoint {http}"),
        ),
        snippet(
            "chrome-devtools-mcp",
            format!("npx chrome-devtools-mcp --wsEndpoint {ws}"),
        ),
        snippet("agent-browser", format!("agent-browser connect {ws}")),
    ];
    all.extend(by_port(addresses));
    all
}

/// For tools that take only host and port.
fn by_port(addresses: &Addresses<'_>) -> Vec<Snippet> {
    let Some(port) = addresses.plain else {
        return vec![snippet(
            "Selenium, nodriver, zendriver",
            format!("szk endpoint {} --plain-port", addresses.session),
        )];
    };
    vec![
        snippet(
            "Selenium (Python)",
            format!(
                "options = webdriver.ChromeOptions()\noptions.debugger_address = \"127.0.0.1:{port}\"\ndriver = webdriver.Chrome(options=options)"
            ),
        ),
        snippet(
            "nodriver",
            format!("browser = await nodriver.start(host=\"127.0.0.1\", port={port})"),
        ),
        snippet(
            "zendriver",
            format!("browser = await zendriver.start(host=\"127.0.0.1\", port={port})"),
        ),
    ]
}

fn snippet(tool: &str, code: String) -> Snippet {
    Snippet {
        tool: tool.to_owned(),
        code,
    }
}
