//! The document of a page: what it says about itself, and when it has come to rest.

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde::Deserialize;
use serde_json::json;
use szk_cdp::frames::FrameTree;
use szk_cdp::protocol::page::EventFrameNavigated;
use szk_cdp::{CallError, Event};

use crate::{Page, Worlds};

/// Reads the document, once the page's own listeners of `event` have run if an event is given. The status is that of the
/// document's own request, 0 if there was none.
///
/// A listener that is added when all others are there is the last to run, and its answer is ahead of the event that the
/// browser announces. It is added while the event goes down the path that it comes up again; `load` has no such path,
/// but the document is `complete` just before it. A page may stop the event, or add one more listener: a message to
/// itself arrives after all of them, and browsers do not throttle it as they do timers.
const READ: &str = "function (event) {
  const entry = performance.getEntriesByType('navigation')[0];
  const status = () => (entry ? entry.responseStatus : 0);
  const read = () => ({ url: location.href, title: document.title.slice(0, 1000), status: status() });
  const ended = { load: 'loadEventEnd', DOMContentLoaded: 'domContentLoadedEventEnd' }[event];
  if (!ended || (entry ? entry[ended] : document.readyState === 'complete')) return read();
  return new Promise((reads) => {
    const { port1, port2 } = new MessageChannel();
    const end = () => { port1.close(); reads(read()); };
    port1.onmessage = end;
    const last = () => addEventListener(event, end, { once: true });
    if (event === 'load') {
      document.addEventListener('readystatechange', () => { if (document.readyState === 'complete') last(); });
    } else {
      addEventListener(event, last, { once: true, capture: true });
    }
    addEventListener(event, () => port2.postMessage(0), { once: true });
  });
}";

/// The error code that Chromium's own error page shows.
const ERROR_CODE: &str = "function () {
  const code = () => document.querySelector('.error-code')?.textContent ?? '';
  if (document.readyState !== 'loading') return code();
  // The page's own script has yet to write it.
  return new Promise((written) => addEventListener('DOMContentLoaded', () => written(code()), { once: true }));
}";

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

/// Resolves when the document has changed and then not for a while, and at the limit. It only observes.
const CHANGED: &str = "function ([quiet, limit]) {
  return new Promise((changed) => {
    let last = 0;
    const end = () => { clearTimeout(last); clearTimeout(late); observer.disconnect(); changed(); };
    const observer = new MutationObserver(() => {
      if (!quiet) return end();
      clearTimeout(last);
      last = setTimeout(end, quiet);
    });
    const late = setTimeout(end, limit);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
}";

/// Waits for what an act causes a little later, and says how long and for what; empty if for nothing. Only
/// what can still come is waited for: an animation that is under way, and the first change where one is
/// expected: `always`, or after typing (`typed`) into a field that suggests, or over (`hovered`) something
/// that opens; what is `working` is waited for until nothing says so any more. What changes by itself ends no wait. It only observes.
const LATE: &str = concat!(
    "function ([kind, always, limit]) {\n",
    include_str!("ticks.js"),
    include_str!("late.js"),
    "}"
);

/// What is said of a load that failed where the browser's own page does not give its reason.
pub const UNKNOWN_ERROR: &str = "the browser shows an error page";

/// How Chromium marks a document out of the back/forward cache, which is there at once: it has had its events
/// before, and none comes again.
pub(crate) const RESTORED: &str = "BackForwardCacheRestore";

/// What an act may still cause once its immediate effects are over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Something, as nothing has happened yet.
    Anything,
    /// Suggestions, if the field that was typed into makes any.
    Suggestions,
    /// A menu or tooltip, if the pointer is over something that opens one.
    Hovered,
    /// What the page is at work on, as it says: `Saving…`, a spinner.
    Results,
    /// Nothing but the end of what is moving.
    Rest,
}

/// What `late.js` says when the wait was for nothing.
const NOTHING: &str = "nothing changed";
/// What it says when it ended with a change.
const CHANGED_LATE: &str = "something changed late";

/// How long was waited for late effects.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Waited {
    /// Milliseconds.
    pub ms: u32,
    /// For what, in words; empty if nothing was waited for.
    pub why: String,
}

impl Waited {
    /// Whether it was for nothing: nothing changed.
    #[must_use]
    pub fn in_vain(&self) -> bool {
        self.why == NOTHING
    }
}

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

    /// One of which the browser's own process has told everything.
    #[must_use]
    pub fn told(url: String, title: &str, status: u16) -> Self {
        Self {
            url,
            title: title.chars().take(1000).collect(),
            status,
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

/// The main frame that has a new document, if an event announces one. A document out of the back/forward cache is not
/// new: it is as it was left.
#[must_use]
pub fn new_in_main_frame(event: &Event) -> Option<String> {
    #[derive(Deserialize)]
    struct Navigated {
        frame: Frame,
        #[serde(default)]
        r#type: String,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Frame {
        id: String,
        parent_id: Option<String>,
    }
    if event.method != EventFrameNavigated::IDENTIFIER {
        return None;
    }
    let Navigated { frame, r#type } = event.read().ok()?;
    let is_new = frame.parent_id.is_none() && r#type != RESTORED;
    is_new.then_some(frame.id)
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

/// Whether the page is in front, and not in a tab behind another.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn is_shown(worlds: &Worlds, page: &Page) -> Result<bool, CallError> {
    const SHOWN: &str = "function () { return !document.hidden }";
    let evaluated = worlds.call(page, SHOWN, &[]).await?;
    Ok(evaluated.result.read().unwrap_or(false))
}

/// The code on Chromium's own error page, such as `ERR_CONNECTION_REFUSED` or `HTTP ERROR 500`; `None` on any other page.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn error_code(worlds: &Worlds, page: &Page) -> Result<Option<String>, CallError> {
    let evaluated = worlds.call(page, ERROR_CODE, &[]).await?;
    let code: Option<String> = evaluated.result.read().ok();
    let known = |code: &String| code.starts_with("ERR_") || code.starts_with("HTTP ERROR ");
    Ok(code.filter(known))
}

/// The id of the document that the page shows: another one after every load.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn id(page: &Page) -> Result<String, CallError> {
    let tree = FrameTree::of(&page.connection, &page.session).await?;
    Ok(tree.outermost().loader_id.clone())
}

/// Waits until the document has changed, and then not for `quiet` milliseconds; at most `limit` milliseconds.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn changed(
    worlds: &Worlds,
    page: &Page,
    quiet: u32,
    limit: u32,
) -> Result<(), CallError> {
    let times = json!([quiet, limit]);
    worlds.call(page, CHANGED, &[times]).await.map(drop)
}

/// Waits until the document has not changed for `quiet` milliseconds, or for `limit` milliseconds.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn rest(worlds: &Worlds, page: &Page, quiet: u32, limit: u32) -> Result<(), CallError> {
    worlds.call(page, REST, &[json!([quiet, limit])]).await?;
    Ok(())
}

/// Waits for late effects of an act, for `limit` milliseconds at most.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn late(
    worlds: &Worlds,
    page: &Page,
    expected: Expected,
    limit: u32,
) -> Result<Waited, CallError> {
    let kind = match expected {
        Expected::Suggestions => "typed",
        Expected::Hovered => "hovered",
        Expected::Results => "working",
        Expected::Anything | Expected::Rest => "",
    };
    let always = matches!(expected, Expected::Anything | Expected::Results);
    let evaluated = worlds
        .call(page, LATE, &[json!([kind, always, limit])])
        .await?;
    Ok(evaluated.result.read().unwrap_or_default())
}

/// Waits for something to change in any of these documents, for `limit` milliseconds at most; `None` if nothing
/// does. Those that do not answer are left out.
pub async fn late_in_any(worlds: &Worlds, pages: &[Page], limit: u32) -> Option<Waited> {
    let waits = pages
        .iter()
        .map(|page| late(worlds, page, Expected::Anything, limit));
    let mut waits: FuturesUnordered<_> = waits.collect();
    while let Some(ended) = waits.next().await {
        if let Some(waited) = ended.ok().filter(|waited| waited.why == CHANGED_LATE) {
            return Some(waited);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[tokio::test]
    async fn how_long_was_waited_is_told_with_its_reason() {
        let said = json!({"ms": 210, "why": "an animation"});
        let (page, _peer) = testing::page(testing::says(&said));
        let waited = late(&Worlds::default(), &page, Expected::Hovered, 400).await;
        let expected = Waited {
            ms: 210,
            why: "an animation".to_owned(),
        };
        assert_eq!(waited.unwrap(), expected);
        let (page, _peer) = testing::page(testing::says(&json!(null)));
        let waited = late(&Worlds::default(), &page, Expected::Rest, 400).await;
        assert_eq!(waited.unwrap(), Waited::default());
    }

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
