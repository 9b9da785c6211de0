//! `browser_act`: work an element of a page.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Seen, SnapshotMode};
use crate::{Input, Operation, Reach, Scope, Set};

/// Works an element with mouse and keyboard.
#[derive(Debug)]
pub struct Act;

impl Operation for Act {
    const NAME: &'static str = "browser_act";
    const TITLE: &'static str = "Act on the page";
    const SUMMARY: &'static str = "Click, type, fill and so on, with real mouse and keyboard events. The target is a `ref`, a `selector` that fits one element, or `x` and `y`. Answers what came of it: navigation, tabs, dialogs, downloads, the value read back, what changed in the last snapshot, or that nothing did.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
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
    /// Tab id such as `t3`, or label. Default: the tab used last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// Ref of a snapshot, such as `e12`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<String>,
    /// CSS, also in open shadow roots; ` >> ` goes on inside an element or frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// Selector of the frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// Place in the viewport, CSS pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<i32>,
    /// See `x`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<i32>,
    /// click: default `left`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub button: Option<MouseButton>,
    /// click, press: how often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// click: `Control`, `Shift`, `Alt`, `Meta` held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modifiers: Option<Vec<String>>,
    /// type adds, fill replaces (dates as in HTML), wait looks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// press: `Enter`, `ArrowDown`, `Control+Shift+K`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// select: labels or values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
    /// scroll: pixels to the right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dx: Option<i32>,
    /// scroll: pixels down. Without these the target is brought into view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dy: Option<i32>,
    /// scroll: `top` or `bottom`. drag: ref, selector, or place such as `120,80`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// upload: absolute paths, for a field or what opens a chooser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<PathBuf>>,
    /// wait: default `visible`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<ElementState>,
    /// wait: part of the address, or pattern with `*`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// wait: just so long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// resize: of the viewport.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// resize: of the viewport.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Answer to dialogs. Default: as armed; else alerts are accepted, questions told and held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialog: Option<DialogAnswer>,
    /// Answer to a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialog_text: Option<String>,
    /// Pace. Default: as configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<InputPace>,
    /// Answer with a snapshot of the page in this mode, once the page rests, instead of what changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotMode>,
    /// Time budget in milliseconds (default 30000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl Input for ActInput {
    fields!(session, tab, timeout_ms);

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
    /// Replace what the target holds.
    Fill,
    /// Press a key or chord.
    Press,
    /// Put the pointer on the target.
    Hover,
    /// Drag the target onto another.
    Drag,
    /// Choose from a list.
    Select,
    /// Switch on.
    Check,
    /// Switch off.
    Uncheck,
    /// Scroll the page or the target.
    Scroll,
    /// Give files.
    Upload,
    /// Wait for an element, a text, an address or a time.
    Wait,
    /// Change the size of the viewport.
    Resize,
    /// Give the target the focus.
    Focus,
}

/// A button of the mouse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MouseButton {
    /// The one for clicking.
    #[default]
    Left,
    /// The wheel.
    Middle,
    /// The one for menus.
    Right,
}

/// How an element is waited to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ElementState {
    /// To be seen.
    #[default]
    Visible,
    /// Not to be seen, or not there.
    Hidden,
    /// There.
    Attached,
    /// Not there.
    Detached,
    /// Not disabled.
    Enabled,
    /// No request of the tab in flight for half a second; goes without a target.
    Networkidle,
}

/// What a dialog is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DialogAnswer {
    /// OK.
    Accept,
    /// Cancel.
    Dismiss,
}

/// How input is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InputPace {
    /// Without waiting.
    Fast,
    /// As a person's hand.
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
    /// Place of the pointer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<i32>,
    /// See `x`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<i32>,
    /// Read back; passwords as dots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Anything was seen to change.
    pub changed: bool,
    /// Where it led.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub navigation: Option<ActNavigation>,
    /// Tabs that were opened.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_tabs: Vec<String>,
    /// Dialogs that opened.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dialogs: Vec<ActDialog>,
    /// Names of downloads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub downloads: Vec<String>,
    /// Requests of scripts.
    pub requests: usize,
    /// The new focus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    /// The tab was closed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
    /// Notes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Lines of the last snapshot that came and went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// The page, where a snapshot was asked for and could be taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Seen>,
}

/// Where a document went.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ActNavigation {
    /// The address.
    pub url: String,
    /// `arrived`, `within` the document, `started`, or `ended` without a document.
    pub state: String,
    /// It was a frame.
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
    /// Accepted; nothing while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<bool>,
}
