//! `szk emulate`

use std::collections::BTreeMap;

use clap::Args;
use szk_tools::browser::{ColorScheme, Device, Emulate, EmulateInput, Setting};

use super::pick::{Page, word};
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::render::text::printable_lines;

/// Emulate another environment in a tab
///
/// Lasts until `--reset` or until the tab closes. Says what is changed, and what of it a page can
/// notice.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk emulate --color-scheme dark --viewport 1280x800\n  szk emulate --permission geolocation=granted --geolocation 52.23,21.01\n  szk emulate --reset"
)]
pub(crate) struct EmulateArgs {
    /// Undo all emulation first
    #[arg(long)]
    reset: bool,
    /// Size of the page, by resizing the real window
    #[arg(long, value_name = "WIDTHxHEIGHT")]
    viewport: Option<String>,
    /// Layout, density and touch of a device; the user agent stays the same
    #[arg(
        long,
        value_name = "DEVICE",
        value_parser = word::<Device>(&["pixel", "iphone", "ipad", "galaxy"])
    )]
    device: Option<Device>,
    /// Preferred colour scheme
    #[arg(
        long,
        value_name = "SCHEME",
        value_parser = word::<ColorScheme>(&["light", "dark"])
    )]
    color_scheme: Option<ColorScheme>,
    /// Position, with its accuracy in metres
    #[arg(long, value_name = "LAT,LONG[,ACCURACY]", allow_hyphen_values = true)]
    geolocation: Option<String>,
    /// Go offline; `--offline=false` goes back online
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    offline: Option<bool>,
    /// Extra request header; can be repeated, and replaces earlier ones
    #[arg(id = "headers", long = "header", value_name = "NAME: VALUE", value_parser = header)]
    headers: Vec<(String, String)>,
    /// Permission for the page's origin; can be repeated
    #[arg(id = "permissions", long = "permission", value_name = "NAME=SETTING", value_parser = permission)]
    permissions: Vec<(String, Setting)>,
    #[command(flatten)]
    page: Page,
}

impl EmulateArgs {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let input = EmulateInput {
            session: self.page.session,
            tab: self.page.tab,
            reset: self.reset.then_some(true),
            viewport: self.viewport,
            device: self.device,
            color_scheme: self.color_scheme,
            geolocation: self.geolocation,
            offline: self.offline,
            headers: some(self.headers),
            permissions: some(self.permissions),
            timeout_ms: self.page.timeout_ms,
        };
        let response = context.call::<Emulate>(&input).await?;
        context
            .ui
            .answer(&response.data, |_| printable_lines(&response.summary))?;
        Ok(Exit::OK)
    }
}

fn some<T>(pairs: Vec<(String, T)>) -> Option<BTreeMap<String, T>> {
    (!pairs.is_empty()).then(|| pairs.into_iter().collect())
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("a header is `Name: value`")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn permission(text: &str) -> Result<(String, Setting), String> {
    let (name, setting) = text
        .split_once('=')
        .ok_or("a permission is `name=granted`")?;
    let setting = match setting {
        "granted" => Setting::Granted,
        "denied" => Setting::Denied,
        "prompt" => Setting::Prompt,
        _ => return Err("a setting is `granted`, `denied` or `prompt`".to_owned()),
    };
    Ok((name.to_owned(), setting))
}
