//! The size of a page's viewport, by the size of its window: a page cannot tell who resized it.

use serde::Deserialize;
use serde_json::json;
use szk_cdp::CallError;
use szk_cdp::protocol::browser::{GetWindowForTargetParams, SetContentsSizeParams, WindowId};
use szk_cdp::protocol::target::TargetId;

use crate::{Page, Worlds};

const READ: &str = "function () { return { width: innerWidth, height: innerHeight } }";

/// Waits until the page has this size, which it has a little after the window: on a busy machine seconds.
/// A hidden page gets it when it is shown, and counts as having it.
const REACHED: &str = "function (width, height) {
  return new Promise(done => {
    const look = () => { if (innerWidth === width && innerHeight === height) end(true); };
    const end = result => { removeEventListener('resize', look); clearTimeout(limit); done(result); };
    const limit = setTimeout(() => end(document.hidden), document.hidden ? 500 : 5000);
    addEventListener('resize', look);
    look();
  });
}";

/// A size in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Size {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// The page's viewport now; `None` if it has none that fits.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn read(worlds: &Worlds, page: &Page) -> Result<Option<Size>, CallError> {
    Ok(worlds.call(page, READ, &[]).await?.result.read().ok())
}

/// Resizes the page's window so that the viewport has this size; every tab of the window changes. Returns
/// whether the window took it.
///
/// # Errors
/// [`CallError`] when the browser refuses.
pub async fn resize(worlds: &Worlds, page: &Page, size: Size) -> Result<bool, CallError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Window {
        window_id: i64,
    }
    let params = GetWindowForTargetParams {
        target_id: Some(TargetId::new(page.frame.as_str())),
    };
    let Window { window_id } = page.connection.ask(None, &params).await?;
    let params = SetContentsSizeParams {
        width: Some(size.width.into()),
        height: Some(size.height.into()),
        ..SetContentsSizeParams::new(WindowId::new(window_id))
    };
    page.connection.run(None, &params).await?;
    reached(worlds, page, size).await
}

/// Waits until the viewport has this size. Gives up after a while on a page that is hidden, and on one whose
/// window does not become so large or so small: that one returns false.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn reached(worlds: &Worlds, page: &Page, size: Size) -> Result<bool, CallError> {
    let args = [json!(size.width), json!(size.height)];
    let said = worlds.call(page, REACHED, &args).await?;
    Ok(said.result.read().unwrap_or(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[tokio::test]
    async fn the_window_is_resized_and_the_page_waited_for() {
        let script = testing::says(&json!(true))
            .answer("Browser.getWindowForTarget", json!({"windowId": 3}));
        let (page, peer) = testing::page(script);
        let size = Size {
            width: 800,
            height: 600,
        };
        assert!(resize(&Worlds::default(), &page, size).await.unwrap());
        let resized = peer.call("Browser.setContentsSize", 1).await.unwrap();
        assert_eq!(
            resized.params,
            json!({"windowId": 3, "width": 800, "height": 600})
        );
        let waited = peer.call("Runtime.callFunctionOn", 1).await.unwrap();
        assert_eq!(
            waited.params["arguments"],
            json!([{"value": 800}, {"value": 600}])
        );
    }

    #[tokio::test]
    async fn a_window_that_does_not_take_a_size_is_told_of() {
        let script = testing::says(&json!(false))
            .answer("Browser.getWindowForTarget", json!({"windowId": 3}));
        let (page, _peer) = testing::page(script);
        let size = Size {
            width: 100,
            height: 100,
        };
        assert!(!resize(&Worlds::default(), &page, size).await.unwrap());
    }

    #[tokio::test]
    async fn a_window_that_cannot_be_resized_says_so() {
        let script = testing::says(&json!(true))
            .answer("Browser.getWindowForTarget", json!({"windowId": 3}))
            .fail_nth("Browser.setContentsSize", 1, -32000, "no");
        let (page, peer) = testing::page(script);
        let size = Size {
            width: 800,
            height: 600,
        };
        assert!(resize(&Worlds::default(), &page, size).await.is_err());
        assert!(
            !peer
                .methods()
                .contains(&"Runtime.callFunctionOn".to_owned())
        );
    }
}
