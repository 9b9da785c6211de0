//! `browser_pdf`.

use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use serde::Deserialize;
use szk_cdp::protocol::io::{CloseParams, ReadParams};
use szk_cdp::protocol::page::{PrintToPdfParams, PrintToPdfTransferMode};
use szk_cdp::{CallError, Connection, SessionId};
use szk_store::atomic;
use szk_tools::browser::{Pdf, PdfInput, PdfOutput};
use szk_tools::{Done, Failure, Response};

use super::paper;
use crate::context::Keeper;
use crate::failure;

/// Largest file, in bytes.
const LARGEST: usize = 512 << 20;
/// Bytes asked for at a time: one pipe serves everybody.
const PIECE: i64 = 1 << 20;

#[derive(Deserialize)]
struct Printed {
    stream: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Piece {
    data: String,
    eof: bool,
    #[serde(default)]
    base64_encoded: bool,
}

pub(crate) async fn pdf(keeper: &Arc<Keeper>, input: &PdfInput) -> Result<Response, Failure> {
    let params = params(input)?;
    let path = match &input.path {
        Some(path) if !path.is_absolute() => {
            return Err(Failure::invalid("`path` must be absolute here"));
        }
        Some(path) => path.clone(),
        None => new_artifact(keeper, "page", "pdf"),
    };
    let (running, tab) = keeper.tab(input.tab.as_deref()).await?;
    let (connection, session) = (running.supervisor.connection(), &tab.page.session);
    let doing = |error: CallError| match &error {
        CallError::Remote { message, .. } if message.contains("Page range") => {
            Failure::invalid(format!("`pages`: {message}"))
        }
        _ => failure::cdp("cannot print the page", &error, Done::None),
    };
    let printed: Printed = connection
        .ask(Some(session), &params)
        .await
        .map_err(doing)?;
    let bytes = read(connection, session, &printed.stream).await?;
    atomic::write(&path, &bytes).map_err(|error| szk_wire::failure::store(&error))?;
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

fn params(input: &PdfInput) -> Result<PrintToPdfParams, Failure> {
    let mut params = PrintToPdfParams {
        transfer_mode: Some(PrintToPdfTransferMode::ReturnAsStream),
        print_background: Some(input.background.unwrap_or(true)),
        landscape: Some(input.landscape.unwrap_or(false)),
        // Headings become bookmarks, and the text can be read aloud.
        generate_tagged_pdf: Some(true),
        generate_document_outline: Some(true),
        page_ranges: input.pages.clone(),
        ..PrintToPdfParams::default()
    };
    if let Some(text) = &input.paper {
        let (width, height) = paper::size(text).ok_or_else(|| {
            Failure::invalid(format!("`{text}` is not a paper size"))
                .hint("use a3, a4, a5, letter, legal, tabloid, or a size such as `210x297mm`")
        })?;
        params.paper_width = Some(width);
        params.paper_height = Some(height);
    }
    if let Some(text) = &input.margin {
        let margin = paper::length(text)
            .ok_or_else(|| Failure::invalid(format!("`{text}` is not a length such as `1cm`")))?;
        params.margin_top = Some(margin);
        params.margin_bottom = Some(margin);
        params.margin_left = Some(margin);
        params.margin_right = Some(margin);
    }
    if let Some(scale) = input.scale {
        if !(0.1..=2.0).contains(&scale) {
            return Err(Failure::invalid(format!(
                "`scale` must be 0.1 to 2, not {scale}"
            )));
        }
        params.scale = Some(scale);
    }
    Ok(params)
}

async fn read(
    connection: &Connection,
    session: &SessionId,
    stream: &str,
) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    loop {
        let params = ReadParams {
            size: Some(PIECE),
            ..ReadParams::new(stream.to_owned())
        };
        let piece: Piece = connection
            .ask(Some(session), &params)
            .await
            .map_err(|error| failure::cdp("cannot read the file", &error, Done::None))?;
        if piece.base64_encoded {
            let piece = BASE64_STANDARD.decode(&piece.data);
            bytes.extend(piece.map_err(|error| {
                Failure::internal(format!("Chromium's file is not base64: {error}"))
            })?);
        } else {
            bytes.extend_from_slice(piece.data.as_bytes());
        }
        if piece.eof {
            break;
        }
        if bytes.len() > LARGEST {
            return Err(
                Failure::invalid(format!("the file is larger than {LARGEST} bytes"))
                    .hint("print fewer `pages`"),
            );
        }
    }
    // Nobody waits for it.
    connection.tell(Some(session), &CloseParams::new(stream.to_owned()));
    Ok(bytes)
}
