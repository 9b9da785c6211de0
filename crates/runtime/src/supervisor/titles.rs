//! What pages are called. Chromium tells by itself where a page goes, and not what the page is called
//! once it is there: until it is asked, a page has the title that it came with, which is its address.

use std::time::Duration;

use serde_json::json;
use szk_cdp::protocol::browser_protocol::target::{GetTargetsReturns, TargetInfo};
use szk_cdp::raw;

use super::Supervisor;

/// How long the browser may take to say it; no page is asked.
const PATIENCE: Duration = Duration::from_millis(500);

impl Supervisor {
    /// Asks the browser what its pages are called now. What it does not say in time stays as it was.
    pub async fn ask_titles(&self) {
        let pages = raw(&json!({"filter": [{"type": "page"}]}));
        let asked = self
            .connection
            .call_raw(None, "Target.getTargets", Some(pages));
        let Ok(Ok(answer)) = tokio::time::timeout(PATIENCE, asked).await else {
            return;
        };
        match szk_cdp::lenient::read::<GetTargetsReturns>(answer.get()) {
            Ok(told) => self.targets.titled(&told.target_infos),
            Err(reason) => tracing::debug!(%reason, "titles could not be read"),
        }
    }
}

/// The title of a page's document. Chromium calls a page by its address while it has none.
pub(super) fn title(info: &TargetInfo) -> &str {
    if is_address(&info.title, &info.url) {
        ""
    } else {
        &info.title
    }
}

/// Whether a title is an address as Chromium writes it for people: without the scheme of the web, the
/// user, `www.`, escapes, and the last slash.
fn is_address(title: &str, url: &str) -> bool {
    let web = ["http://", "https://"]
        .iter()
        .find_map(|scheme| url.strip_prefix(scheme));
    let Some(slot) = web else {
        return title == url;
    };
    let (host, path) = slot.split_at(slot.find(['/', '?', '#']).unwrap_or(slot.len()));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let plain = |text: &str| unescaped(text).trim_end_matches('/').to_owned();
    let address = plain(&format!("{host}{path}"));
    let title = plain(title);
    title == address || address.strip_prefix("www.") == Some(&title)
}

/// Undoes `%20` and its like.
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

    /// As Chromium 156 says them.
    #[test]
    fn an_address_is_no_title() {
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
