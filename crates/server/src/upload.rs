//! Files that come with a request, as `multipart/form-data`: they are stored in the session's private
//! folder, and the call names them there.
//!
//! A file fills the field that its part is named after, such as `paths`. Deeper in the input, `upload:NAME`
//! stands for the file of the part `NAME`.

use std::path::PathBuf;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use multer::{Constraints, Field, Multipart, SizeLimit};
use serde_json::{Map, Value};
use szk_client::Received;
use szk_tools::{Call, Done, Failure, Kind, Response, Spec};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::app::{App, Who};
use crate::error::ErrorReply;
use crate::request::{self, BODY, LONGEST_BODY};

/// Stands for a file in an input.
const SCHEME: &str = "upload:";

/// Most parts of a request.
const MOST: usize = 200;

/// Pieces of a file that may wait to be written.
const PIECES: usize = 8;

/// The boundary between parts, if the body says that it has some.
pub(crate) fn boundary(headers: &HeaderMap) -> Option<String> {
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    multer::parse_boundary(kind).ok()
}

/// The files of a request. They go with it, unless a call has used them.
#[derive(Default)]
pub(crate) struct Uploads {
    files: Vec<Upload>,
}

struct Upload {
    /// How the input names it.
    mark: String,
    received: Received,
}

impl Uploads {
    /// Puts the files where the call names them.
    pub(crate) fn put_into(&self, call: &mut Call) -> Result<(), Failure> {
        let mut placed = vec![false; self.files.len()];
        let mut missing = None;
        call.input_mut().each_path(&mut |path| {
            let Some(mark) = path.to_str().filter(|path| path.starts_with(SCHEME)) else {
                return;
            };
            match self.files.iter().position(|file| file.mark == mark) {
                Some(found) => {
                    placed[found] = true;
                    path.clone_from(&self.files[found].received.path);
                }
                None => missing = Some(mark.to_owned()),
            }
        });
        if let Some(mark) = missing {
            let failure = Failure::invalid(format!("`{}` came with no file", mark.escape_debug()));
            return Err(
                failure.hint("send a part of that name with a file, as `multipart/form-data`")
            );
        }
        let unused = placed.iter().position(|placed| !placed);
        unused.map_or(Ok(()), |unused| Err(self.unused(unused, call)))
    }

    fn unused(&self, file: usize, call: &Call) -> Failure {
        let mark = self.files[file].mark.escape_debug();
        let fields = call.spec().uploads.unwrap_or_default();
        let hint = match fields {
            [] => format!("name it in the input, as `{mark}`"),
            fields => format!(
                "name the part `{}`, or name the file in the input, as `{mark}`",
                fields.join("` or `")
            ),
        };
        Failure::invalid(format!("the file `{mark}` has no place in the call")).hint(hint)
    }

    /// Where the files are.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let paths = self.files.iter().map(|file| file.received.path.clone());
        paths.collect()
    }

    /// The call in words that are the same whenever it is made with the same files.
    pub(crate) fn told(&self, call: &Call) -> Result<String, Failure> {
        let mut told = format!("{} {}", call.spec().name, call.encode()?);
        for Upload { received, .. } in &self.files {
            let name = received.path.file_name().unwrap_or_default();
            let path = Value::from(received.path.to_string_lossy());
            let content = format!("\"{} {}\"", received.sha256, name.display());
            told = told.replace(&path.to_string(), &content);
        }
        Ok(told)
    }

    /// Keeps the files, unless the call did nothing with them: a page may read them later.
    pub(crate) fn used(&mut self, outcome: &Result<Response, Failure>) {
        let nothing = |failure: &Failure| failure.effect == Done::None;
        if !outcome.as_ref().is_err_and(nothing) {
            let files = self.files.drain(..);
            files.for_each(|file| file.received.keep());
        }
    }
}

/// Where the parts of a body go.
pub(crate) struct Target<'a> {
    pub(crate) app: &'a App,
    pub(crate) who: &'a Who,
    pub(crate) spec: &'a Spec,
    /// The session in the path.
    pub(crate) session: Option<&'a str>,
}

impl Target<'_> {
    /// Reads all parts: files into the session's folder, all else into an input.
    pub(crate) async fn read(
        &self,
        boundary: String,
        body: Body,
        uploads: &mut Uploads,
    ) -> Result<Map<String, Value>, ErrorReply> {
        let (Some(fields), Some(session)) = (self.spec.uploads, self.session) else {
            let why = format!("`{}` takes no files", self.spec.name);
            return Err(unsupported(&why));
        };
        if !self.who.allows(self.spec.needs) {
            return Err(self.who.lacks(self.spec.needs).into());
        }
        let limit = self.app.limits.upload();
        if limit == 0 {
            return Err(unsupported("`[server] max_upload` is 0"));
        }
        // The texts, and what stands between the parts, have a limit of their own.
        let sizes = SizeLimit::new().whole_stream(limit.saturating_add(2 * LONGEST_BODY as u64));
        let constraints = Constraints::new().size_limit(sizes);
        let mut parts = Multipart::with_constraints(body.into_data_stream(), boundary, constraints);
        let (mut texts, mut marked, mut length) = (Vec::new(), Map::new(), 0);
        let mut room = limit;
        for _ in 0..MOST {
            let next = timeout(BODY, parts.next_field()).await;
            let Some(part) = next.map_err(|_| request::too_slow())?.map_err(broken)? else {
                let mut input = request::texts(self.spec, texts)?;
                input.extend(marked);
                return Ok(input);
            };
            let Some(name) = part.name().map(str::to_owned) else {
                return Err(Failure::invalid("a part of the body has no name").into());
            };
            match part.file_name().map(str::to_owned) {
                Some(file) => {
                    let received = self.store(session, file, part, &mut room).await?;
                    let fills = fields.contains(&name.as_str());
                    let mark = match fills {
                        true => format!("{SCHEME}{name}[{}]", uploads.files.len()),
                        false => format!("{SCHEME}{name}"),
                    };
                    if fills {
                        self.fill(&mut marked, &name, &mark)?;
                    }
                    uploads.files.push(Upload { mark, received });
                }
                None => {
                    let text = text(part, &mut length).await?;
                    texts.push((name, text));
                }
            }
        }
        Err(Failure::invalid(format!("the body has more than {MOST} parts")).into())
    }

    /// Sets the field to a file, or adds the file to it.
    fn fill(&self, input: &mut Map<String, Value>, name: &str, mark: &str) -> Result<(), Failure> {
        let fields = (self.spec.fields)();
        let field = fields.iter().find(|field| field.name == name);
        let many = field.is_some_and(|field| matches!(field.kind, Kind::List(_)));
        match input.get_mut(name) {
            Some(Value::Array(list)) => list.push(mark.into()),
            Some(_) => {
                return Err(Failure::invalid(format!("`{name}` takes one file")).about([name]));
            }
            None => {
                let value = if many {
                    Value::from(vec![mark])
                } else {
                    mark.into()
                };
                input.insert(name.to_owned(), value);
            }
        }
        Ok(())
    }

    async fn store(
        &self,
        session: &str,
        name: String,
        mut part: Field<'static>,
        room: &mut u64,
    ) -> Result<Received, ErrorReply> {
        let client = self.who.client.clone();
        let session = session.to_owned();
        let (pieces, mut arriving) = mpsc::channel::<Option<Bytes>>(PIECES);
        let writer = tokio::task::spawn_blocking(move || {
            let mut file = client.receive(&session, &name)?;
            loop {
                match arriving.blocking_recv() {
                    Some(Some(piece)) => file.write(&piece)?,
                    Some(None) => return file.finish(),
                    None => return Err(Failure::invalid("the file broke off")),
                }
            }
        });
        let sent = send(&mut part, pieces, room, self.app.limits.upload()).await;
        let written = writer
            .await
            .map_err(|error| Failure::internal(format!("cannot store the file: {error}")))?;
        // Why it cannot be written comes before why no more of it was read.
        match (written, sent) {
            (Err(failure), Ok(())) => Err(failure.into()),
            (_, Err(error)) => Err(error),
            (Ok(received), Ok(())) => Ok(received),
        }
    }
}

/// A part that is no file; `length` counts what all of them have.
async fn text(mut part: Field<'static>, length: &mut usize) -> Result<String, ErrorReply> {
    let mut bytes = Vec::new();
    while let Some(piece) = piece(&mut part).await? {
        *length += piece.len();
        if *length > LONGEST_BODY {
            return Err(request::too_long());
        }
        bytes.extend_from_slice(&piece);
    }
    String::from_utf8(bytes)
        .map_err(|_| Failure::invalid("a field of the body is not UTF-8").into())
}

async fn piece(part: &mut Field<'static>) -> Result<Option<Bytes>, ErrorReply> {
    let piece = timeout(BODY, part.chunk()).await;
    piece.map_err(|_| request::too_slow())?.map_err(broken)
}

/// Reads a file to its end, or for as long as somebody takes it. All files of a request share the `room`.
async fn send(
    part: &mut Field<'static>,
    to: mpsc::Sender<Option<Bytes>>,
    room: &mut u64,
    limit: u64,
) -> Result<(), ErrorReply> {
    loop {
        let piece = piece(part).await?;
        let length = piece.as_ref().map_or(0, Bytes::len) as u64;
        *room = room.checked_sub(length).ok_or_else(|| too_long(limit))?;
        let last = piece.is_none();
        if to.send(piece).await.is_err() || last {
            return Ok(());
        }
    }
}

fn broken(error: multer::Error) -> ErrorReply {
    match error {
        // Only what is neither a file nor a text can be that long: those have limits of their own.
        multer::Error::StreamSizeExceeded { .. } | multer::Error::FieldSizeExceeded { .. } => {
            request::too_long()
        }
        error => Failure::invalid(format!("the body is not `multipart/form-data`: {error}")).into(),
    }
}

/// The answer to files that are larger than allowed.
pub(crate) fn too_long(limit: u64) -> ErrorReply {
    let failure = Failure::invalid(format!("there are more than {} MiB of files", limit >> 20))
        .hint("send less, or raise `[server] max_upload` and restart the server");
    ErrorReply::with_status(failure, StatusCode::PAYLOAD_TOO_LARGE)
}

fn unsupported(why: &str) -> ErrorReply {
    let failure = Failure::invalid(why).hint("send the input as JSON");
    ErrorReply::with_status(failure, StatusCode::UNSUPPORTED_MEDIA_TYPE)
}
