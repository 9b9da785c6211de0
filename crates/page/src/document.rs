//! The document of a page: what it says about itself, and when it has come to rest.

use serde::Deserialize;
use serde_json::json;
use szk_cdp::CallError;
use szk_cdp::frames::FrameTree;

use crate::{Page, Worlds};

/// Reads the document, once the page's own listeners of `event` have run if an event is given. A message
/// to itself arrives after those listeners, and browsers do not throttle it as they do timers. The status
/// is that of the document's own request, 0 if there was none.
const READ: &str = "async function (event) {
  const entry = performance.getEntriesByType('navigation')[0];
  const ended = { load: 'loadEventEnd', DOMContentLoaded: 'domContentLoadedEventEnd' }[event];
  if (ended && (entry ? !entry[ended] : document.readyState !== 'complete')) {
    await new Promise((read) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { port1.close(); read(); };
      addEventListener(event, () => port2.postMessage(0), { once: true });
    });
  }
  return { url: location.href, title: document.title.slice(0, 1000), status: entry ? entry.responseStatus : 0 };
}";

/// The error code that Chromium's own error page shows.
const ERROR_CODE: &str =
    "function () { return document.querySelector('.error-code')?.textContent ?? '' }";

/// Resolves when the document has not changed for a while. It only observes.
const REST: &str = "function ([quiet, limit]) {
  return new Promise((rests) => {
    const began = performance.now();
    let changed = began;
    const observer = new MutationObserver(() => { changed = performance.now(); });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    const look = () => {
      const now = performance.now();
      if (now - changed < quiet && now - began < limit) { setTimeout(look, quiet / 5); return; }
      observer.disconnect();
      rests();
    };
    look();
  });
}";

/// A document's address, title and status.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Document {
    /// Its address.
    pub url: String,
    /// Its title, at most a thousand characters.
    pub title: String,
    #[serde(default)]
    status: u16,
}

impl Document {
    /// One of which only the address and the title are known.
    #[must_use]
    pub fn known(url: String, title: String) -> Self {
        Self {
            url,
            title,
            status: 0,
        }
    }

    /// The HTTP status, if the document came over HTTP.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        (self.status != 0).then_some(self.status)
    }

    /// Reads the page's document.
    ///
    /// # Errors
    /// [`CallError`] when the page is gone.
    pub async fn read(worlds: &Worlds, page: &Page) -> Result<Self, CallError> {
        let evaluated = worlds.call(page, READ, &[]).await?;
        Ok(evaluated.result.read().unwrap_or_default())
    }

    /// Reads a document that has just been committed, once `event` has been dispatched in it; at once
    /// without an event. `None` if the document was replaced before.
    pub(crate) async fn read_ahead(
        worlds: &Worlds,
        page: &Page,
        event: Option<&str>,
    ) -> Option<Self> {
        let read = worlds.renew(page, READ, event).await;
        read.ok()?.result.read().ok()
    }
}

/// The document's origin; `None` for an opaque one.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn origin(worlds: &Worlds, page: &Page) -> Result<Option<String>, CallError> {
    const ORIGIN: &str = "function () { return location.origin }";
    let evaluated = worlds.call(page, ORIGIN, &[]).await?;
    let origin: Option<String> = evaluated.result.read().ok();
    Ok(origin.filter(|origin| origin != "null"))
}

/// The code on Chromium's own error page, such as `ERR_CONNECTION_REFUSED`; `None` on any other page.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn error_code(worlds: &Worlds, page: &Page) -> Result<Option<String>, CallError> {
    let evaluated = worlds.call(page, ERROR_CODE, &[]).await?;
    let code: Option<String> = evaluated.result.read().ok();
    Ok(code.filter(|code| code.starts_with("ERR_")))
}

/// The id of the document that the page shows: another one after every load.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn id(page: &Page) -> Result<String, CallError> {
    let tree = FrameTree::of(&page.connection, &page.session).await?;
    Ok(tree.outermost().loader_id.clone())
}

/// Waits until the document has not changed for `quiet` milliseconds, or for `limit` milliseconds.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn rest(worlds: &Worlds, page: &Page, quiet: u32, limit: u32) -> Result<(), CallError> {
    worlds.call(page, REST, &[json!([quiet, limit])]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[tokio::test]
    async fn a_document_says_its_address_and_its_status_if_it_has_one() {
        let read = async |value| {
            let (page, _peer) = testing::page(testing::says(&value));
            Document::read(&Worlds::default(), &page).await.unwrap()
        };
        let http = read(json!({"url": "http://a/", "title": "A", "status": 404})).await;
        assert_eq!((http.url.as_str(), http.status()), ("http://a/", Some(404)));
        let blank = read(json!({"url": "about:blank", "title": "", "status": 0})).await;
        assert_eq!(blank.status(), None);
        // A page cannot break the answer, whatever it does to its own objects.
        assert_eq!(read(json!("x")).await, Document::default());
    }

    #[tokio::test]
    async fn opaque_origins_and_ordinary_pages_have_neither_origin_nor_error_code() {
        for (said, expected) in [("null", None), ("https://a", Some("https://a"))] {
            let (page, _peer) = testing::page(testing::says(&json!(said)));
            let found = origin(&Worlds::default(), &page).await.unwrap();
            assert_eq!(found.as_deref(), expected);
        }
        for (said, expected) in [("", None), ("ERR_FAILED", Some("ERR_FAILED"))] {
            let (page, _peer) = testing::page(testing::says(&json!(said)));
            let found = error_code(&Worlds::default(), &page).await.unwrap();
            assert_eq!(found.as_deref(), expected);
        }
    }
}
