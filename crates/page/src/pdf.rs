//! Printing a page to PDF.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use szk_cdp::CallError;
use szk_cdp::protocol::io::{CloseParams, ReadParams};
use szk_cdp::protocol::page::{PrintToPdfParams, PrintToPdfTransferMode};

use crate::Page;

/// Largest file, in bytes.
pub const LARGEST: usize = 512 << 20;
/// Bytes read at a time: all clients share one pipe.
const PIECE: i64 = 1 << 20;

/// Chromium's code for parameters that it does not take.
const INVALID_PARAMS: i64 = -32602;

/// How a page is printed. Lengths are in inches.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Print {
    /// Width and height of the paper; Chromium's default is US letter.
    pub paper: Option<(f64, f64)>,
    /// The margin on all four sides.
    pub margin: Option<f64>,
    /// The scale, 0.1 to 2.
    pub scale: Option<f64>,
    /// Pages as in `1-3,5`; all of them by default.
    pub pages: Option<String>,
    /// Landscape instead of portrait.
    pub landscape: bool,
    /// Whether backgrounds are printed.
    pub background: bool,
}

/// The page was not printed.
#[derive(Debug, thiserror::Error)]
pub enum PdfError {
    /// The pages are not in the document, or the range does not parse; in Chromium's words.
    #[error("{0}")]
    Pages(String),
    /// The sizes do not go together; in Chromium's words.
    #[error("{0}")]
    Sizes(String),
    /// The page is gone or cannot be printed.
    #[error(transparent)]
    Print(CallError),
    /// Reading the file from Chromium failed.
    #[error(transparent)]
    Read(CallError),
    /// Chromium's file does not decode.
    #[error("the file from Chromium is not base64: {0}")]
    Encoding(base64::DecodeError),
    /// The file is larger than [`LARGEST`].
    #[error("the file is larger than {LARGEST} bytes")]
    TooLarge,
}

/// Prints a page; the bytes of the file.
///
/// # Errors
/// [`PdfError`].
pub async fn print(page: &Page, how: &Print) -> Result<Vec<u8>, PdfError> {
    #[derive(Deserialize)]
    struct Printed {
        stream: String,
    }
    let params = how.params();
    let printed = page.connection.ask(Some(&page.session), &params).await;
    let Printed { stream } = printed.map_err(|error| match error {
        CallError::Remote { message, .. } if message.contains("Page range") => {
            PdfError::Pages(message)
        }
        CallError::Remote { code, message, .. }
            if code == INVALID_PARAMS || message.contains("invalid print parameters") =>
        {
            PdfError::Sizes(message)
        }
        error => PdfError::Print(error),
    })?;
    let bytes = read(page, &stream).await;
    // Also after a failure: Chromium keeps the file until then.
    let close = CloseParams::new(stream);
    page.connection.tell(Some(&page.session), &close);
    bytes
}

impl Print {
    fn params(&self) -> PrintToPdfParams {
        let (width, height) = self.paper.unzip();
        PrintToPdfParams {
            transfer_mode: Some(PrintToPdfTransferMode::ReturnAsStream),
            print_background: Some(self.background),
            landscape: Some(self.landscape),
            // Headings become bookmarks, and the text can be read aloud.
            generate_tagged_pdf: Some(true),
            generate_document_outline: Some(true),
            page_ranges: self.pages.clone(),
            paper_width: width,
            paper_height: height,
            margin_top: self.margin,
            margin_bottom: self.margin,
            margin_left: self.margin,
            margin_right: self.margin,
            scale: self.scale,
            ..PrintToPdfParams::default()
        }
    }
}

async fn read(page: &Page, stream: &str) -> Result<Vec<u8>, PdfError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Piece {
        data: String,
        eof: bool,
        #[serde(default)]
        base64_encoded: bool,
    }
    let mut bytes = Vec::new();
    let params = ReadParams {
        size: Some(PIECE),
        ..ReadParams::new(stream.to_owned())
    };
    loop {
        let piece = page.connection.ask(Some(&page.session), &params).await;
        let piece: Piece = piece.map_err(PdfError::Read)?;
        if piece.base64_encoded {
            let decoded = BASE64_STANDARD.decode(&piece.data);
            bytes.extend(decoded.map_err(PdfError::Encoding)?);
        } else {
            bytes.extend_from_slice(piece.data.as_bytes());
        }
        if piece.eof {
            return Ok(bytes);
        }
        if bytes.len() > LARGEST {
            return Err(PdfError::TooLarge);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use szk_cdp::testing::{Answer, Script};

    use super::*;
    use crate::testing;

    fn printing() -> Script {
        Script::new().answer("Page.printToPDF", json!({"stream": "7"}))
    }

    #[tokio::test]
    async fn a_file_is_read_in_pieces_and_closed() {
        let piece = |data: &str, eof| json!({"data": data, "eof": eof, "base64Encoded": true});
        let script = printing()
            .nth("IO.read", 1, Answer::ok(piece("JVBE", false)))
            .nth("IO.read", 2, Answer::ok(piece("Ri0=", true)));
        let (page, peer) = testing::page(script);
        let bytes = print(&page, &Print::default()).await.unwrap();
        assert_eq!(bytes, b"%PDF-");
        assert!(peer.call("IO.close", 1).await.is_some());
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_read_is_closed_too() {
        let (page, peer) = testing::page(printing().fail_nth("IO.read", 1, -32000, "Read failed"));
        let failed = print(&page, &Print::default()).await;
        assert!(matches!(failed, Err(PdfError::Read(_))), "{failed:?}");
        assert!(peer.call("IO.close", 1).await.is_some());
    }

    #[tokio::test]
    async fn pages_that_do_not_exist_are_told_from_other_refusals() {
        let refused = async |message: &str| {
            let script = Script::new().fail_nth("Page.printToPDF", 1, -32000, message);
            let (page, _peer) = testing::page(script);
            print(&page, &Print::default()).await.unwrap_err()
        };
        let pages = refused("Page range exceeds page count").await;
        assert!(matches!(pages, PdfError::Pages(_)), "{pages}");
        let other = refused("Printing failed").await;
        assert!(matches!(other, PdfError::Print(_)), "{other}");
        let sizes = refused("invalid print parameters: content area is empty").await;
        assert!(matches!(sizes, PdfError::Sizes(_)), "{sizes}");
    }

    #[test]
    fn margins_are_the_same_on_all_sides() {
        let how = Print {
            margin: Some(0.5),
            paper: Some((8.0, 11.0)),
            ..Print::default()
        };
        let params = serde_json::to_value(how.params()).unwrap();
        for side in ["marginTop", "marginBottom", "marginLeft", "marginRight"] {
            assert_eq!(params[side], 0.5, "{side}");
        }
        assert_eq!(params["paperWidth"], 8.0);
        assert_eq!(params["paperHeight"], 11.0);
    }
}
