//! Screenshots.
//!
//! A page cannot notice a screenshot of its visible part. For anything beyond, Chromium has to change the
//! page's size for a moment, which the page can see; [`View::shows`] tells the two apart.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use szk_cdp::CallError;
use szk_cdp::protocol::page::{CaptureScreenshotFormat, CaptureScreenshotParams, Viewport};

use crate::{Page, Worlds};

/// The longest side of a screenshot, in device pixels; the renderer cannot paint more.
pub const LONGEST_SIDE: f64 = 16_384.0;

const MEASURE: &str = "function () {
  const root = document.documentElement, body = document.body;
  return {
    x: scrollX, y: scrollY, width: innerWidth, height: innerHeight, density: devicePixelRatio,
    fullWidth: Math.max(root ? root.scrollWidth : 0, body ? body.scrollWidth : 0, innerWidth),
    fullHeight: Math.max(root ? root.scrollHeight : 0, body ? body.scrollHeight : 0, innerHeight),
    hidden: document.hidden,
  };
}";

/// Which part of its document a page shows, in CSS pixels.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// How far it is scrolled to the right.
    pub x: f64,
    /// How far it is scrolled down.
    pub y: f64,
    /// Width of the visible part.
    pub width: f64,
    /// Height of the visible part.
    pub height: f64,
    /// Device pixels per CSS pixel.
    pub density: f64,
    /// Width of the document.
    pub full_width: f64,
    /// Height of the document.
    pub full_height: f64,
    /// Whether the page is not painted: its tab is in the background.
    pub hidden: bool,
}

/// A rectangle of a document, in CSS pixels from the document's top left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clip {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// A file format for pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Lossless.
    Png,
    /// Lossy, with a quality of 0 to 100.
    Jpeg(Option<u8>),
    /// Lossy, with a quality of 0 to 100.
    Webp(Option<u8>),
}

/// The page's view could not be read.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The page is gone or does not answer.
    #[error(transparent)]
    Call(#[from] CallError),
    /// Its answer is not what our script returns.
    #[error("the page's sizes are unreadable: {0}")]
    Unreadable(String),
}

impl View {
    /// Asks the page.
    ///
    /// # Errors
    /// [`MeasureError`].
    pub async fn of(worlds: &Worlds, page: &Page) -> Result<Self, MeasureError> {
        let evaluated = worlds.call(page, MEASURE, &[]).await?;
        let unreadable = |error: String| MeasureError::Unreadable(error);
        let result = evaluated
            .ok()
            .map_err(|error| unreadable(error.to_string()))?;
        result.read().map_err(|error| unreadable(error.to_string()))
    }

    /// The whole document.
    #[must_use]
    pub fn whole(&self) -> Clip {
        Clip {
            x: 0.0,
            y: 0.0,
            width: self.full_width,
            height: self.full_height,
        }
    }

    /// Whether all of a clip is visible.
    #[must_use]
    pub fn shows(&self, clip: &Clip) -> bool {
        clip.x >= self.x
            && clip.y >= self.y
            && clip.x + clip.width <= self.x + self.width
            && clip.y + clip.height <= self.y + self.height
    }

    /// Width and height of a screenshot, of the visible part without a clip, in device pixels.
    #[must_use]
    pub fn pixels(&self, clip: Option<&Clip>) -> (f64, f64) {
        let (width, height) = clip.map_or((self.width, self.height), |c| (c.width, c.height));
        (
            (width * self.density).round(),
            (height * self.density).round(),
        )
    }
}

/// Takes a screenshot of the visible part, or of a clip; the file, in base64.
///
/// # Errors
/// [`CallError`] when the page is gone or cannot be painted.
pub async fn take(
    page: &Page,
    view: &View,
    clip: Option<&Clip>,
    format: Format,
) -> Result<String, CallError> {
    #[derive(Deserialize)]
    struct Captured {
        data: String,
    }
    let params = params(view, clip, format);
    let captured: Captured = page.connection.ask(Some(&page.session), &params).await?;
    Ok(captured.data)
}

/// The bytes of a file that Chromium has sent in base64.
///
/// # Errors
/// It is not base64.
pub fn file(base64: &str) -> Result<Vec<u8>, base64::DecodeError> {
    BASE64_STANDARD.decode(base64)
}

/// How many bytes that is, without decoding them.
#[must_use]
pub fn file_size(base64: &str) -> u64 {
    let padding = base64.bytes().rev().take_while(|byte| *byte == b'=');
    (base64.len() / 4 * 3).saturating_sub(padding.count().min(2)) as u64
}

/// A file in base64.
#[must_use]
pub fn base64(file: &[u8]) -> String {
    BASE64_STANDARD.encode(file)
}

fn params(view: &View, clip: Option<&Clip>, format: Format) -> CaptureScreenshotParams {
    let (format, quality) = match format {
        Format::Png => (CaptureScreenshotFormat::Png, None),
        Format::Jpeg(quality) => (CaptureScreenshotFormat::Jpeg, quality),
        Format::Webp(quality) => (CaptureScreenshotFormat::Webp, quality),
    };
    CaptureScreenshotParams {
        format: Some(format),
        quality: quality.map(i64::from),
        clip: clip.map(|clip| Viewport {
            x: clip.x,
            y: clip.y,
            width: clip.width,
            height: clip.height,
            scale: 1.0,
        }),
        capture_beyond_viewport: Some(clip.is_some_and(|clip| !view.shows(clip))),
        ..CaptureScreenshotParams::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::testing;

    fn view() -> Value {
        json!({"x": 0, "y": 100, "width": 800, "height": 600, "density": 2,
            "fullWidth": 800, "fullHeight": 5000, "hidden": false})
    }

    async fn asked(clip: Option<Clip>, format: Format) -> Value {
        let script = testing::says(&view()).answer("Page.captureScreenshot", json!({"data": "AA"}));
        let (page, peer) = testing::page(script);
        let view = View::of(&Worlds::default(), &page).await.unwrap();
        assert_eq!(
            take(&page, &view, clip.as_ref(), format).await.unwrap(),
            "AA"
        );
        let call = peer.call("Page.captureScreenshot", 1).await.unwrap();
        call.params
    }

    #[tokio::test]
    async fn only_what_is_not_visible_makes_the_page_change_its_size() {
        let clip = |y: f64| Clip {
            x: 0.0,
            y,
            width: 800.0,
            height: 600.0,
        };
        let beyond = async |clip| {
            let params = asked(clip, Format::Png).await;
            params["captureBeyondViewport"].as_bool().unwrap()
        };
        assert!(!beyond(None).await);
        assert!(!beyond(Some(clip(100.0))).await);
        assert!(beyond(Some(clip(101.0))).await);
        assert!(beyond(Some(clip(99.0))).await);
    }

    #[tokio::test]
    async fn the_command_says_format_and_quality() {
        let params = asked(None, Format::Jpeg(Some(80))).await;
        let expected = json!({"format": "jpeg", "quality": 80, "captureBeyondViewport": false});
        assert_eq!(params, expected);
    }

    #[test]
    fn the_size_of_a_file_is_known_before_it_is_decoded() {
        for length in 0..9 {
            let encoded = base64(&vec![7; length]);
            assert_eq!(file_size(&encoded), length as u64, "{encoded}");
            assert_eq!(file(&encoded).unwrap().len(), length);
        }
        assert_eq!(file_size("=="), 0);
    }

    #[test]
    fn sizes_are_device_pixels() {
        let view: View = serde_json::from_value(view()).unwrap();
        assert_eq!(view.pixels(None), (1600.0, 1200.0));
        assert_eq!(view.pixels(Some(&view.whole())), (1600.0, 10_000.0));
    }
}
