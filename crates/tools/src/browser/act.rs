//! `browser_act`: one act on an element of a page.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Seen, SnapshotMode};
use crate::{Input, Operation, Reach, Route, Scope, Set, TabUse};

/// Acts on an element with mouse and keyboard.
#[derive(Debug)]
pub struct Act;

impl Operation for Act {
    const NAME: &'static str = "browser_act";
    const TITLE: &'static str = "Act on the page";
    const SUMMARY: &'static str = "Click, type, fill and so on with real input. The target is a `ref`, a `name` as shown, a `selector`, or `x` and `y`. Says what it caused, or that nothing changed.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/act")];
    const UPLOADS: Option<&'static [&'static str]> = Some(&["paths"]);
    const SETS: &[Set] = &[Set::Default];
    type Input = ActInput;
    type Output = ActOutput;
}

/// Input of `browser_act`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ActInput {
    /// What to do.
    pub kind: ActKind,
    /// Session. Default: the only open one, else `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tab id such as `t3`, or label. Default: your current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// Ref such as `e12`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<String>,
    /// Name or text as shown, unique with `role`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// CSS or XPath; ` >> ` enters an element or frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// The frame's selector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// Point in the viewport, or of the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<i32>,
    /// See `x`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<i32>,
    /// Default: `left`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub button: Option<MouseButton>,
    /// click, press: times; move: steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// click: `Control`, `Shift`, `Alt`, `Meta`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modifiers: Option<Vec<String>>,
    /// type adds it, fill replaces (dates as in HTML), wait finds it or `/regex/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// press: `Enter`, `Control+Shift+K`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// select: labels or values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
    /// scroll, drag, move: pixels right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dx: Option<i32>,
    /// Pixels down. Without both, scroll goes to the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dy: Option<i32>,
    /// scroll: `top`, `bottom`; drag: ref, selector, `120,80`, or `e5@10,20`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// upload: absolute paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<PathBuf>>,
    /// wait: default `visible`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<ElementState>,
    /// wait: part of the address, `*` pattern, `/regex/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// wait, move: this long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// resize: viewport.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// See `width`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// First wait for this text or `/regex/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Answer to dialogs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialog: Option<DialogAnswer>,
    /// Answer to a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialog_text: Option<String>,
    /// Pace. Default: as configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<InputPace>,
    /// Answer with a snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotMode>,
    /// Time budget in milliseconds (default 30000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// One of several acts: whoever carries them out says what they changed. No caller can set it.
    #[serde(skip)]
    pub deferred: bool,
}

impl Input for ActInput {
    fields!(session, tab, timeout_ms);

    fn tab_use(&self) -> Option<TabUse> {
        (self.kind == ActKind::Wait).then_some(TabUse::Reads)
    }

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.paths.iter_mut().flatten().for_each(visit);
    }
}

/// What to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActKind {
    /// Click the target.
    #[default]
    Click,
    /// Add text at the end of the target, or where the focus is.
    Type,
    /// Replace the content of the target.
    Fill,
    /// Press a key or chord.
    Press,
    /// Move the pointer over the target.
    Hover,
    /// Press a button of the mouse and keep it down.
    Down,
    /// Move the pointer.
    Move,
    /// Release the button.
    Up,
    /// Drag the target onto another.
    Drag,
    /// Choose options of a list.
    Select,
    /// Turn on.
    Check,
    /// Turn off.
    Uncheck,
    /// Scroll the page or the target.
    Scroll,
    /// Choose files.
    Upload,
    /// Wait for an element, a text, an address or a time.
    Wait,
    /// Resize the viewport.
    Resize,
    /// Focus the target.
    Focus,
}

/// A mouse button.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MouseButton {
    /// The primary button.
    #[default]
    Left,
    /// The wheel.
    Middle,
    /// The button that opens context menus.
    Right,
}

/// State to wait for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ElementState {
    /// Visible.
    #[default]
    Visible,
    /// Hidden or absent.
    Hidden,
    /// In the document.
    Attached,
    /// Not in the document.
    Detached,
    /// Not disabled.
    Enabled,
    /// No request of the tab in flight for half a second; takes no target.
    Networkidle,
}

/// The answer to a dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DialogAnswer {
    /// OK.
    Accept,
    /// Cancel.
    Dismiss,
}

/// The pace of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InputPace {
    /// Without pauses.
    Fast,
    /// At a person's pace.
    Human,
}

/// Output of `browser_act`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ActOutput {
    /// The session.
    pub session: String,
    /// The tab.
    pub tab: String,
    /// The element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Where the pointer is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<i32>,
    /// See `x`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<i32>,
    /// Value read back; passwords as dots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Whether any change was seen.
    pub changed: bool,
    /// Where it navigated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub navigation: Option<ActNavigation>,
    /// Tabs it opened.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_tabs: Vec<String>,
    /// Dialogs it opened.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dialogs: Vec<ActDialog>,
    /// Names of downloads it started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub downloads: Vec<String>,
    /// Number of requests by scripts.
    pub requests: usize,
    /// Text selected now, if that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<String>,
    /// The element focused now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    /// Whether the tab closed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
    /// Notes on how it was done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Lines that changed since you last looked: `+` new, `~` changed, `-` gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// The page, if a snapshot was asked for and could be taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Seen>,
}

/// A navigation of a document.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ActNavigation {
    /// The address.
    pub url: String,
    /// `arrived`, `within` the document, `started`, `ended` without a document, or `failed` to load.
    pub state: String,
    /// Its HTTP status, if that is an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether it was in a frame.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_frame: bool,
}

/// A dialog.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ActDialog {
    /// `alert`, `confirm`, `prompt`, `beforeunload`.
    pub kind: String,
    /// Its text.
    pub message: String,
    /// Whether it was accepted; absent while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<bool>,
}
