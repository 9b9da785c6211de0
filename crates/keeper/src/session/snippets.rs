//! How each tool joins.

use szk_tools::session::Snippet;

/// Ready-made lines, the most used tool first.
pub(super) fn all(http_url: &str, ws_url: &str) -> Vec<Snippet> {
    let snippet = |tool: &str, code: String| Snippet {
        tool: tool.to_owned(),
        code,
    };
    vec![
        snippet(
            "Playwright",
            format!(
                "const browser = await chromium.connectOverCDP('{http_url}');\nconst [page] = browser.contexts()[0].pages();"
            ),
        ),
        snippet(
            "Playwright (Python)",
            format!("browser = p.chromium.connect_over_cdp(\"{http_url}\")"),
        ),
        snippet(
            "Puppeteer",
            format!(
                "const browser = await puppeteer.connect({{ browserWSEndpoint: '{ws_url}', defaultViewport: null }});"
            ),
        ),
        snippet(
            "@playwright/mcp",
            format!("npx @playwright/mcp --cdp-endpoint {http_url}"),
        ),
        snippet(
            "chrome-devtools-mcp",
            format!("npx chrome-devtools-mcp --wsEndpoint {ws_url}"),
        ),
        snippet("agent-browser", format!("agent-browser connect {ws_url}")),
    ]
}
