//! Titles of pages. Chromium reports by itself where a page navigates, but not its title once it has
//! loaded: until queried, a page has the title it started with, which is its address.

use std::time::Duration;

use serde::Deserialize;
use szk_cdp::protocol::target::{FilterEntry, GetTargetInfoParams, GetTargetsParams, TargetFilter};

use super::target_events::Info;
use super::{Supervisor, Tab};

/// How long the browser may take to answer; the pages themselves are not asked.
const PATIENCE: Duration = Duration::from_millis(500);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    target_infos: Vec<Info>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfoAnswer {
    target_info: Info,
}

impl Supervisor {
    /// Asks the browser for address and title of a tab's document, without a word to the page. `None` if it
    /// has no title, as Chromium then reports an address, or if the browser does not answer in time.
    pub async fn ask_document(&self, tab: &Tab) -> Option<(String, String)> {
        let asked = GetTargetInfoParams {
            target_id: Some(tab.page.target_id.clone().into()),
        };
        let asked = self.connection.ask::<TargetInfoAnswer>(None, &asked);
        let told = tokio::time::timeout(PATIENCE, asked).await.ok()?.ok()?;
        let info = told.target_info;
        let title = title(&info);
        // Between two documents it may have no address.
        if title.is_empty() || info.url.is_empty() {
            return None;
        }
        self.saw(tab, &info.url, title);
        Some((info.url.clone(), title.to_owned()))
    }

    /// Asks the browser for the current titles of its pages. Keeps the old ones if it does not answer in
    /// time.
    pub async fn ask_titles(&self) {
        let pages = FilterEntry {
            r#type: Some("page".to_owned()),
            ..FilterEntry::default()
        };
        let pages = GetTargetsParams {
            filter: Some(TargetFilter::new([pages])),
        };
        let asked = self.connection.ask::<Listed>(None, &pages);
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(listed)) => self.targets.titled(&listed.target_infos),
            Ok(Err(error)) => tracing::debug!(%error, "cannot query titles"),
            Err(_) => {}
        }
    }
}

/// The title of a page's document. While it has none, Chromium reports its address instead.
pub(super) fn title(info: &Info) -> &str {
    if is_address(&info.title, &info.url) {
        ""
    } else {
        &info.title
    }
}

/// Whether a title is an address as Chromium displays it: without `http` or `https`, user, `www.`,
/// escapes and final slash.
fn is_address(title: &str, url: &str) -> bool {
    let web = ["http://", "https://"]
        .iter()
        .find_map(|scheme| url.strip_prefix(scheme));
    let Some(rest) = web else {
        return title == url;
    };
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let plain = |text: &str| unescaped(text).trim_end_matches('/').to_owned();
    let address = plain(&format!("{host}{path}"));
    let title = plain(title);
    title == address || address.strip_prefix("www.") == Some(&title)
}

/// Decodes `%20` and the like.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex
            .filter(|_| *first == b'%')
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(title: &str, url: &str, expected: bool) {
        assert_eq!(is_address(title, url), expected, "`{title}` of `{url}`");
    }

    /// As Chromium 156 reports them.
    #[test]
    fn an_address_is_not_a_title() {
        check("127.0.0.1:46201", "http://127.0.0.1:46201/", true);
        check(
            "127.0.0.1:46201/a b/ü?q=1&x=ü#frag",
            "http://127.0.0.1:46201/a%20b/%C3%BC?q=1&x=%C3%BC#frag",
            true,
        );
        check("127.0.0.1:1/a/", "http://user:pw@127.0.0.1:1/a/", true);
        check("example.org/a", "https://www.example.org/a", true);
        check("data:text/html,<p>x y", "data:text/html,<p>x y", true);
        check("about:blank", "about:blank", true);
    }

    #[test]
    fn a_title_is_kept() {
        check("shop", "https://shop.example/", false);
        check("shop.example", "https://shop.example/cart", false);
        check("", "https://shop.example/", false);
        check("100% wool", "https://shop.example/", false);
    }
}
