//! `szk screenshot`

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use szk_tools::browser::{ImageFormat, Screenshot};
use szk_tools::{Code, Failure, Response};

use crate::error::Outcome;
use crate::exit::Exit;
use crate::operation::{Table, Terminal, Typed};

impl Terminal for Screenshot {
    fn table() -> Table {
        Table::new(&[
            "szk screenshot",
            "szk screenshot --out page.webp --full-page",
            "szk screenshot --out - | imgcat",
        ])
        .about("Take a screenshot of the page")
        .details("Prints the name of the file. Without `--out` that is a new file in this folder.")
        .arg("selector", |arg| {
            arg.value_name("REF|CSS").conflicts_with("full_page")
        })
        .arg("clip", |arg| {
            arg.value_name("X,Y,WIDTH,HEIGHT")
                .conflicts_with_all(["full_page", "selector"])
        })
        .help(
            "format",
            "Format [default: by the file's extension, else png]",
        )
        .value("quality", "0-100")
        .help(
            "path",
            "File to write, overwriting an existing one; `-` is stdout",
        )
    }

    /// The keeper writes the file, as in every operation: it knows where the profile's configuration
    /// allows writing. The picture itself comes back only for stdout.
    async fn run(typed: Typed<Self>) -> Outcome {
        let mut input = typed.input()?;
        let format = input
            .format
            .or_else(|| input.path.as_deref().and_then(by_ending))
            .unwrap_or_default();
        input.format = Some(format);
        let to_stdout = input.path.as_deref() == Some(Path::new("-"));
        if to_stdout {
            input.path = None;
        } else if input.path.is_none() {
            input.path = Some(free_name(format)?);
        }
        let response = typed.context.call::<Self>(&input).await?;
        if to_stdout {
            typed.context.ui.bytes(&decode(&response)?)?;
            return Ok(Exit::OK);
        }
        typed.show(&response.read::<Self>()?, |output| {
            let path = output.path.as_deref().unwrap_or(Path::new(""));
            path.display().to_string()
        })
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
        let path = PathBuf::from(name);
        if path.symlink_metadata().is_err() {
            return Ok(path);
        }
    }
    Err(Failure::new(Code::Storage, "no free file name is left"))
}
