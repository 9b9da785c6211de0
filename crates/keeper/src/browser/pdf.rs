//! `browser_pdf`.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use szk_page::pdf::{self, PdfError, Print};
use szk_store::atomic;
use szk_tools::browser::{Pdf, PdfInput, PdfOutput};
use szk_tools::{Done, Failure, Response};

use super::{paper, view};
use crate::context::Keeper;
use crate::failure;

pub(crate) async fn pdf(keeper: &Arc<Keeper>, input: &PdfInput) -> Result<Response, Failure> {
    let how = how(input)?;
    let path = match &input.path {
        Some(path) if !path.is_absolute() => {
            return Err(Failure::invalid("`path` must be absolute here").about(["path"]));
        }
        Some(path) => path.clone(),
        None => new_artifact(keeper, "page", "pdf"),
    };
    let (running, tab) = keeper.tab(input.tab.as_deref()).await?;
    let printed = pdf::print(&view::page(&running, &tab), &how).await;
    let bytes = printed.map_err(|error| not_printed(&error))?;
    atomic::write(&path, &bytes).map_err(|error| szk_wire::failure::named_file(&error))?;
    let output = PdfOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id,
        bytes: bytes.len() as u64,
        path: path.clone(),
    };
    let summary = format!(
        "printed {} to {}, {} bytes",
        output.tab,
        path.display(),
        output.bytes
    );
    let mut response = Response::of::<Pdf>(summary, &output)?;
    response.files.push(path);
    Ok(response)
}

fn not_printed(error: &PdfError) -> Failure {
    match error {
        PdfError::Pages(message) => Failure::invalid(format!("`pages`: {message}"))
            .about(["pages"])
            .hint("give numbers of pages that the document has, counted from 1, such as `1-3,5`"),
        PdfError::Sizes(message) => {
            Failure::invalid(format!("the page cannot be printed so: {message}"))
                .about(["margin", "paper", "scale"])
                .hint("give a smaller `margin`, other `paper` or another `scale`")
        }
        PdfError::Print(error) => failure::cdp("the page was not printed", error, Done::None),
        PdfError::Read(error) => failure::cdp("the file could not be read", error, Done::None),
        PdfError::Encoding(_) => Failure::internal(error.to_string()),
        PdfError::TooLarge => Failure::invalid(error.to_string()).hint("print fewer `pages`"),
    }
}

/// A file in the profile's `artifacts` that is not there yet.
pub(crate) fn new_artifact(keeper: &Keeper, name: &str, ending: &str) -> PathBuf {
    let folder = keeper.session.profile().artifacts_dir();
    let time = Timestamp::now().strftime("%Y%m%d-%H%M%S");
    let first = folder.join(format!("{name}-{time}.{ending}"));
    let mut numbered =
        (2u32..).map(|number| folder.join(format!("{name}-{time}-{number}.{ending}")));
    if first.exists() {
        numbered.find(|path| !path.exists()).unwrap_or(first)
    } else {
        first
    }
}

fn how(input: &PdfInput) -> Result<Print, Failure> {
    let paper = |text: &str| {
        paper::size(text).ok_or_else(|| {
            Failure::invalid(format!("`{text}` is not a paper size"))
                .hint("a3, a4, a5, letter, legal, tabloid, or a size such as `210x297mm`")
        })
    };
    let margin = |text: &str| {
        paper::length(text)
            .ok_or_else(|| Failure::invalid(format!("`{text}` is not a length such as `1cm`")))
    };
    if let Some(scale) = input.scale
        && !(0.1..=2.0).contains(&scale)
    {
        return Err(Failure::invalid(format!("`scale` is 0.1 to 2, not {scale}")).about(["scale"]));
    }
    let paper = input.paper.as_deref().map(paper).transpose()?;
    let margin = input.margin.as_deref().map(margin).transpose()?;
    paper::check(paper, margin).map_err(|why| {
        Failure::invalid(why)
            .about(["margin"])
            .hint("give a smaller `margin`, such as `0mm`, or other `paper`")
    })?;
    Ok(Print {
        paper,
        margin,
        scale: input.scale,
        pages: input.pages.clone(),
        landscape: input.landscape.unwrap_or(false),
        background: input.background.unwrap_or(true),
    })
}
