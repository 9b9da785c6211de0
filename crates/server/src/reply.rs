//! Answers: JSON as the operation's output says, bytes for pictures and files, or the summary as text.

use std::path::Path;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response as Http};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use szk_tools::{Failure, Response, SessionChange};

/// Longest file that is sent as an answer, in bytes.
const LONGEST_FILE: u64 = 256 << 20;

/// What the client wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Bytes where there are any, else JSON.
    Best,
    /// The output as JSON.
    Json,
    /// The summary.
    Text,
    /// Progress, then the output.
    Events,
}

impl Wanted {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let accept = headers
            .get(header::ACCEPT)
            .and_then(|accept| accept.to_str().ok());
        let mut kinds = accept
            .unwrap_or_default()
            .split(',')
            .map(|kind| kind.split(';').next().unwrap_or_default().trim());
        kinds
            .find_map(|kind| match kind {
                "application/json" => Some(Self::Json),
                "text/plain" => Some(Self::Text),
                "text/event-stream" => Some(Self::Events),
                _ => None,
            })
            .unwrap_or(Self::Best)
    }
}

/// The answer to a call. `ours` says that the server chose where the operation wrote its file.
pub(crate) async fn reply(response: Response, wanted: Wanted, ours: bool) -> Result<Http, Failure> {
    if wanted == Wanted::Text {
        let kind = HeaderValue::from_static("text/plain; charset=utf-8");
        return Ok(([(header::CONTENT_TYPE, kind)], response.summary).into_response());
    }
    if wanted == Wanted::Best {
        if let [image] = response.images.as_slice() {
            let bytes = STANDARD.decode(&image.base64).map_err(|error| {
                Failure::internal(format!("the picture is not base64: {error}"))
            })?;
            return Ok(sent(&image.mime, bytes));
        }
        if let [file] = response.files.as_slice()
            && ours
            && let Some(kind) = kind_of(file)
        {
            return Ok(sent(kind, read(file).await?));
        }
    }
    Ok((status(&response), axum::Json(response.data)).into_response())
}

/// 201 for a session that this call started.
fn status(response: &Response) -> StatusCode {
    match response.change {
        Some(SessionChange::Started) => StatusCode::CREATED,
        Some(SessionChange::Closed) | None => StatusCode::OK,
    }
}

fn sent(kind: &str, bytes: Vec<u8>) -> Http {
    let kind =
        HeaderValue::from_str(kind).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    ([(header::CONTENT_TYPE, kind)], Body::from(bytes)).into_response()
}

/// The type of a file that is the answer itself, rather than a copy of it.
pub(crate) fn kind_of(file: &Path) -> Option<&'static str> {
    match file.extension()?.to_str()? {
        "pdf" => Some("application/pdf"),
        "png" => Some("image/png"),
        "jpg" | "jpeg" => Some("image/jpeg"),
        "webp" => Some("image/webp"),
        _ => None,
    }
}

async fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let path = file.to_owned();
    let read = tokio::task::spawn_blocking(move || szk_files::read_own(&path, LONGEST_FILE)).await;
    match read {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) => Err(Failure::internal(format!(
            "cannot read `{}`: {error}",
            file.display()
        ))),
        Err(error) => Err(Failure::internal(format!("cannot read the file: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_known_type_of_accept_counts() {
        let wanted = |accept: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
            Wanted::of(&headers)
        };
        assert_eq!(wanted("application/json"), Wanted::Json);
        assert_eq!(wanted("text/html, text/event-stream;q=0.9"), Wanted::Events);
        assert_eq!(wanted("text/plain"), Wanted::Text);
        assert_eq!(wanted("*/*"), Wanted::Best);
        assert_eq!(wanted("image/png"), Wanted::Best);
    }
}
