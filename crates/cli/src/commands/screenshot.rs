//! `szk screenshot`

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use clap::builder::ValueHint;
use szk_tools::browser::{ImageFormat, Screenshot, ScreenshotInput};
use szk_tools::{Code, Failure, Response};

use super::launch::absolute;
use super::pick::{Page, word};
use crate::context::Context;
use crate::error::Outcome;
use crate::exit::Exit;

/// Take a screenshot of the page
///
/// Prints the name of the file. Without `--out` that is a new file in this folder.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk screenshot\n  szk screenshot --out page.webp --full-page\n  szk screenshot --out - | imgcat"
)]
pub(crate) struct ScreenshotArgs {
    /// File to write, overwriting an existing one; `-` is stdout
    #[arg(id = "path", short = 'o', long = "out", value_name = "FILE", value_hint = ValueHint::FilePath)]
    path: Option<PathBuf>,
    /// The whole page, not only what is visible
    #[arg(long)]
    full_page: bool,
    /// One element: a ref such as `e12`, or a CSS selector that matches one
    #[arg(long, value_name = "REF|CSS", conflicts_with = "full_page")]
    selector: Option<String>,
    /// Draw the refs of what can be acted on: on the image, not in the page
    #[arg(long)]
    annotate: bool,
    /// Part of the page, in CSS pixels from its top left corner
    #[arg(long, value_name = "X,Y,WIDTH,HEIGHT", conflicts_with_all = ["full_page", "selector"])]
    clip: Option<String>,
    /// Format [default: by the file's extension, else png]
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = word::<ImageFormat>(&["png", "jpeg", "webp"])
    )]
    format: Option<ImageFormat>,
    /// Quality of jpeg and webp
    #[arg(long, value_name = "0-100", value_parser = clap::value_parser!(u8).range(0..=100))]
    quality: Option<u8>,
    #[command(flatten)]
    page: Page,
}

impl ScreenshotArgs {
    /// The keeper writes the file, as in every operation: it knows where the profile's configuration
    /// allows writing. The picture itself comes back only for stdout.
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let format = self
            .format
            .or_else(|| self.path.as_deref().and_then(by_ending));
        let format = format.unwrap_or_default();
        let to_stdout = self.path.as_deref() == Some(Path::new("-"));
        let path = match &self.path {
            _ if to_stdout => None,
            Some(path) => Some(absolute(path)?),
            None => Some(free_name(format)?),
        };
        let input = ScreenshotInput {
            session: self.page.session,
            tab: self.page.tab,
            full_page: self.full_page.then_some(true),
            selector: self.selector,
            annotate: self.annotate.then_some(true),
            clip: self.clip,
            format: Some(format),
            quality: self.quality,
            path,
            timeout_ms: self.page.timeout_ms,
        };
        let response = context.call::<Screenshot>(&input).await?;
        if to_stdout {
            context.ui.bytes(&decode(&response)?)?;
            return Ok(Exit::OK);
        }
        let output = response.read::<Screenshot>()?;
        context.ui.answer(&output, |output| {
            let path = output.path.as_deref().unwrap_or(Path::new(""));
            path.display().to_string()
        })?;
        Ok(Exit::OK)
    }
}

fn by_ending(path: &Path) -> Option<ImageFormat> {
    match path.extension()?.to_str()?.to_lowercase().as_str() {
        "png" => Some(ImageFormat::Png),
        "jpg" | "jpeg" => Some(ImageFormat::Jpeg),
        "webp" => Some(ImageFormat::Webp),
        _ => None,
    }
}

fn ending(format: ImageFormat) -> &'static str {
    match format {
        ImageFormat::Png => "png",
        ImageFormat::Jpeg => "jpg",
        ImageFormat::Webp => "webp",
    }
}

fn decode(response: &Response) -> Result<Vec<u8>, Failure> {
    let image = response.images.first();
    let image = image.ok_or_else(|| Failure::internal("the answer holds no picture"))?;
    let bytes = STANDARD.decode(&image.base64);
    bytes.map_err(|error| Failure::internal(format!("the picture is not base64: {error}")))
}

/// The first free name of `screenshot.png`, `screenshot-2.png`, … in this folder.
fn free_name(format: ImageFormat) -> Result<PathBuf, Failure> {
    let ending = ending(format);
    let numbered = (2u32..).map(|number| format!("screenshot-{number}.{ending}"));
    for name in std::iter::once(format!("screenshot.{ending}")).chain(numbered) {
        let path = absolute(Path::new(&name))?;
        if path.symlink_metadata().is_err() {
            return Ok(path);
        }
    }
    Err(Failure::new(Code::Storage, "no free file name is left"))
}
