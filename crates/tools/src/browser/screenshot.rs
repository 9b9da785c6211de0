//! `browser_screenshot`: a picture of the page.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Output, Reach, Route, Scope, Set, Subject};

/// Takes a picture of the page.
#[derive(Debug)]
pub struct Screenshot;

impl Operation for Screenshot {
    const NAME: &'static str = "browser_screenshot";
    const TITLE: &'static str = "Take a screenshot";
    const SUMMARY: &'static str =
        "Take a picture: what is visible, the full page, one element, or a clip.";
    const REACH: Reach = Reach::Read;
    const SCOPE: Scope = Scope::Opens;
    const SUBJECT: Subject = Subject::Tabs;
    const ROUTES: &[Route] = &[
        Route::get("/v1/sessions/{session}/screenshot"),
        Route::post("/v1/sessions/{session}/screenshot"),
    ];
    const SETS: &[Set] = &[Set::Default];
    type Input = ScreenshotInput;
    type Output = ScreenshotOutput;
}

/// Input of `browser_screenshot`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScreenshotInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tab id such as `t3`, or label. Default: your current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// The whole page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_page: Option<bool>,
    /// Ref or CSS of one element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// Draw refs on the picture, not in the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotate: Option<bool>,
    /// `x,y,width,height` in CSS pixels of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// Default `png`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<ImageFormat>,
    /// 0 to 100; not for png.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    pub quality: Option<u8>,
    /// File to write, instead of returning it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Time budget in milliseconds (default 30000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

audited!(ScreenshotInput {
    session: Session,
    tab: Shown,
    full_page: Number,
    selector: Shown,
    annotate: Number,
    clip: Hidden,
    format: Hidden,
    quality: Number,
    path: Shown,
    timeout_ms: Number,
});

impl Input for ScreenshotInput {
    fields!(session, tab, timeout_ms);

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.path.iter_mut().for_each(visit);
    }
}

/// An image format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImageFormat {
    /// Lossless.
    #[default]
    Png,
    /// Lossy.
    Jpeg,
    /// Lossy, smaller.
    Webp,
}

/// Output of `browser_screenshot`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ScreenshotOutput {
    /// The session.
    pub session: String,
    /// The tab.
    pub tab: String,
    /// Width in device pixels.
    pub width: u32,
    /// Height in device pixels.
    pub height: u32,
    /// Size in bytes.
    pub bytes: u64,
    /// Refs drawn on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// File written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
}

impl Output for ScreenshotOutput {
    about_session!();
}
