//! Files of profiles as bytes: what a session keeps (downloads, pictures, PDFs, crawls), and whole profiles
//! as archives.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Json, Router};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use szk_tools::{Failure, Permission};
use tokio::time::timeout;
use tokio_util::io::ReaderStream;

use crate::app::{App, Who};
use crate::error::ErrorReply;
use crate::reply::kind_of;
use crate::request::{self, BODY};
use crate::upload;

/// The type of an archive, and of what has no other; generators of clients know no better one.
const BYTES: &str = "application/octet-stream";

/// What is served cannot run or be anything else than it says, even in a browser.
const HARMLESS: [(HeaderName, &str); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; sandbox",
    ),
    (header::CACHE_CONTROL, "private, no-store"),
];

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/v1/sessions/{session}/files", get(list))
        .route("/v1/sessions/{session}/files/{*path}", get(one))
        .route("/v1/profiles/{session}/archive", get(export).post(import))
}

async fn list(
    Path(session): Path<String>,
    Extension(who): Extension<Who>,
) -> Result<Json<Value>, ErrorReply> {
    who.needs(Permission::Read)?;
    let files = who.client.kept_files(&session).await?;
    Ok(Json(json!({"session": session, "files": files})))
}

async fn one(
    Path((session, path)): Path<(String, String)>,
    Extension(who): Extension<Who>,
) -> Result<Response, ErrorReply> {
    who.needs(permission(&path))?;
    let (file, bytes) = who.client.kept_file(&session, &path).await?;
    let name = path.rsplit('/').next().unwrap_or_default();
    let kind = kind_of(name.as_ref()).unwrap_or(BYTES);
    Ok(sent(file, bytes, name, kind))
}

/// A download and what shows pages is theirs who read pages. Of the other artifacts, exported logins and
/// traces of tests hold cookies.
fn permission(path: &str) -> Permission {
    let name = path.rsplit('/').next().unwrap_or_default();
    let shows = kind_of(name.as_ref()).is_some() || name.ends_with(".txt");
    match path.starts_with("downloads/") || shows {
        true => Permission::Read,
        false => Permission::Secrets,
    }
}

async fn export(
    Path(session): Path<String>,
    Extension(who): Extension<Who>,
) -> Result<Response, ErrorReply> {
    who.needs(Permission::Secrets)?;
    let (file, bytes) = who.client.export_archive(&session).await?;
    Ok(sent(file, bytes, &format!("{session}.tar.zst"), BYTES))
}

async fn import(
    State(app): State<Arc<App>>,
    Path(session): Path<String>,
    Extension(who): Extension<Who>,
    request: Request,
) -> Result<Response, ErrorReply> {
    who.needs(Permission::Secrets)?;
    who.needs(Permission::Write)?;
    let kind = request.headers().get(header::CONTENT_TYPE);
    if !kind.is_some_and(|kind| kind == BYTES || kind == "application/zstd") {
        let failure =
            Failure::invalid("the body must be an archive, and `Content-Type` must say so").hint(
                format!("send what `GET` answers here, with `Content-Type: {BYTES}`"),
            );
        return Err(ErrorReply::with_status(
            failure,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ));
    }
    let limit = app.limits.upload();
    let (client, name) = (who.client.clone(), session.clone());
    let begun = blocking(move || client.receive_archive(&name)).await?;
    let mut arriving = begun?;
    let mut body = request.into_body().into_data_stream();
    let mut length = 0;
    while let Some(piece) = timeout(BODY, body.next())
        .await
        .map_err(|_| request::too_slow())?
    {
        let piece = piece.map_err(|_| Failure::invalid("the archive broke off"))?;
        length += piece.len() as u64;
        if length > limit {
            return Err(upload::too_long(limit));
        }
        arriving = blocking(move || arriving.write(&piece).map(|()| arriving)).await??;
    }
    let received = blocking(move || arriving.finish()).await??;
    let made = who.client.import_archive(&session, received).await?;
    let body = json!({
        "session": made.session, "files": made.files, "bytes": made.bytes, "left_out": made.left_out,
    });
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

/// Where the files of an answer can be fetched, for programs that cannot read the server's disk.
pub(crate) fn links(who: &Who, answer: &szk_tools::Response) -> Vec<(HeaderName, HeaderValue)> {
    let Some(session) = answer.data["session"].as_str() else {
        return Vec::new();
    };
    let link = |path: String| {
        let path: Vec<String> = path.split('/').map(quoted).collect();
        let link = format!(
            "</v1/sessions/{session}/files/{}>; rel=\"related\"",
            path.join("/")
        );
        Some((header::LINK, HeaderValue::from_str(&link).ok()?))
    };
    let files = answer.files.iter();
    files
        .filter_map(|file| who.client.kept_path(session, file).and_then(link))
        .collect()
}

fn sent(file: std::fs::File, bytes: u64, name: &str, kind: &'static str) -> Response {
    let body = Body::from_stream(ReaderStream::new(tokio::fs::File::from_std(file)));
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(bytes));
    headers.insert(header::CONTENT_DISPOSITION, attachment(name));
    headers.extend(HARMLESS.map(|(name, value)| (name, HeaderValue::from_static(value))));
    response
}

fn attachment(name: &str) -> HeaderValue {
    let simple: String = name
        .chars()
        .map(|c| match c {
            ' '..='~' if !matches!(c, '"' | '\\' | '%') => c,
            _ => '_',
        })
        .collect();
    let text = format!(
        "attachment; filename=\"{simple}\"; filename*=UTF-8''{}",
        quoted(name)
    );
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("attachment"))
}

/// A part of a path, or a name in a header, with all but plain letters escaped.
fn quoted(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let one = |byte: u8| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Failure::internal(format!("cannot store the archive: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_the_header() {
        let check = |name: &str, expected: &str| assert_eq!(attachment(name), expected);
        check(
            "a b.pdf",
            "attachment; filename=\"a b.pdf\"; filename*=UTF-8''a%20b.pdf",
        );
        check(
            "\"ü\n",
            "attachment; filename=\"___\"; filename*=UTF-8''%22%C3%BC%0A",
        );
    }

    #[test]
    fn files_with_logins_need_more_than_reading() {
        let check = |path: &str, expected| assert_eq!(permission(path), expected, "{path}");
        check("downloads/a.json", Permission::Read);
        check("artifacts/page.pdf", Permission::Read);
        check("artifacts/crawls/a/page.png", Permission::Read);
        check("artifacts/state-20260101-000000.json", Permission::Secrets);
        check("artifacts/trace.zip", Permission::Secrets);
    }
}
