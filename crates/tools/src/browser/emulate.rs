//! `browser_emulate`: overrides a tab's environment, reversibly.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Output, Reach, Route, Scope, Subject};

/// Overrides the environment of a tab.
#[derive(Debug)]
pub struct Emulate;

impl Operation for Emulate {
    const NAME: &'static str = "browser_emulate";
    const TITLE: &'static str = "Emulate an environment";
    const SUMMARY: &'static str = "Override a tab's size, device, colour scheme, position, network, headers or permissions until `reset`; without fields, list them.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const SUBJECT: Subject = Subject::Tabs;
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/emulate")];
    type Input = EmulateInput;
    type Output = EmulateOutput;
}

/// Input of `browser_emulate`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EmulateInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tab id such as `t3`, or label. Default: your current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// First undo all overrides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reset: Option<bool>,
    /// Such as `1280x800`; resizes the real window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewport: Option<String>,
    /// Layout, pixel density and touch of a device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<Device>,
    /// Preferred colour scheme.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color_scheme: Option<ColorScheme>,
    /// Position as `latitude,longitude[,accuracy]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub geolocation: Option<String>,
    /// Cut the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offline: Option<bool>,
    /// Extra request headers; `{}` removes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<BTreeMap<String, String>>,
    /// Permissions such as `geolocation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<BTreeMap<String, Setting>>,
    /// Time budget in milliseconds (default 30000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

audited!(EmulateInput {
    session: Session,
    tab: Shown,
    reset: Number,
    viewport: Hidden,
    device: Hidden,
    color_scheme: Hidden,
    geolocation: Hidden,
    offline: Number,
    headers: Hidden,
    permissions: Hidden,
    timeout_ms: Number,
});

impl Input for EmulateInput {
    fields!(session, tab, timeout_ms);
}

/// A device to imitate in layout; the user agent stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// 412x915, density 2.625.
    Pixel,
    /// 393x852, density 3.
    Iphone,
    /// 820x1180, density 2.
    Ipad,
    /// 360x780, density 3.
    Galaxy,
}

/// A preferred colour scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ColorScheme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// The state of a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Setting {
    /// Allowed.
    Granted,
    /// Denied.
    Denied,
    /// The browser asks the person.
    Prompt,
}

/// Output of `browser_emulate`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct EmulateOutput {
    /// The session.
    pub session: String,
    /// The tab.
    pub tab: String,
    /// Overrides in force.
    pub active: Vec<Emulated>,
}

impl Output for EmulateOutput {
    about_session!();
}

/// One override.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Emulated {
    /// The field of the input.
    pub name: String,
    /// Its value.
    pub value: String,
    /// How a page can tell that it is not real; absent if it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noticed: Option<String>,
}
