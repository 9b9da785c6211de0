//! Bounds the size of answers.
//!
//! A page decides how long its titles, texts and messages are, and a batch adds them up. Whatever an
//! operation answers, its text and its data stay below [`TEXT`] and [`DATA`] bytes. A longer answer is
//! written completely to a file in the profile's `artifacts`, and the answer says where it is and what
//! was truncated.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use serde_json::{Value, json};
use szk_store::atomic;
use szk_tools::{Failure, Response};

use crate::context::Keeper;

/// Longest text of an answer, in bytes.
pub(crate) const TEXT: usize = 128 << 10;
/// Longest data of an answer as JSON, in bytes.
pub(crate) const DATA: usize = 256 << 10;
/// Longest picture in an answer, in bytes of base64.
const PICTURE: usize = 16 << 20;
/// Longest message and longest hint of a failure, in bytes.
const MESSAGE: usize = 8 << 10;
/// Steps in which texts (bytes) and lists (entries) get shorter until the data fits.
const STEPS: [(usize, usize); 7] = [
    (100_000, 50_000),
    (32_000, 10_000),
    (8_000, 2_000),
    (2_000, 500),
    (1_000, 100),
    (500, 20),
    (200, 5),
];

/// Truncates an answer that is too long, and keeps the whole one in a file.
pub(crate) async fn bounded(
    keeper: &Keeper,
    operation: &'static str,
    result: Result<Response, Failure>,
) -> Result<Response, Failure> {
    let response = match result {
        Ok(response) => response,
        Err(failure) => return Err(short(failure)),
    };
    let size = written(&response.data);
    if response.summary.len() <= TEXT && size <= DATA && !has_large_picture(&response) {
        return Ok(response);
    }
    let folder = keeper.session.profile().artifacts_dir();
    let cut = tokio::task::spawn_blocking(move || cut(response, size, &folder, operation));
    cut.await
        .map_err(|error| Failure::internal(format!("cannot truncate the answer: {error}")))
}

fn has_large_picture(response: &Response) -> bool {
    response
        .images
        .iter()
        .any(|image| image.base64.len() > PICTURE)
}

fn cut(mut response: Response, size: usize, folder: &Path, operation: &str) -> Response {
    let mut notes = Vec::new();
    pictures(&mut response, folder, operation, &mut notes);
    let text = response.summary.len();
    if text > TEXT || size > DATA {
        let whole = json!({"text": response.summary, "data": response.data});
        let kept = keep(&whole, folder, operation);
        shorten(&mut response.data);
        truncate(&mut response.summary, TEXT - 1024);
        if response.summary.len() < text {
            // They would hold all of it once more.
            response.parts.clear();
        }
        notes.push(match kept {
            Ok(path) => {
                let note = format!(
                    "this answer was truncated: it had {text} bytes of text and {size} of data; the whole answer is in `{}`",
                    path.display()
                );
                response.whole = Some(path.clone());
                response.files.push(path);
                note
            }
            Err(error) => format!(
                "this answer was truncated: it had {text} bytes of text and {size} of data, and the whole answer could not be kept: {error}"
            ),
        });
    }
    for note in notes {
        response.summary.push_str("\nnote: ");
        response.summary.push_str(&note);
    }
    response
}

/// Moves pictures that are too large for an answer to files.
fn pictures(response: &mut Response, folder: &Path, operation: &str, notes: &mut Vec<String>) {
    let (small, large) = std::mem::take(&mut response.images)
        .into_iter()
        .partition(|image| image.base64.len() <= PICTURE);
    response.images = small;
    for image in large {
        let ending = image.mime.rsplit('/').next().unwrap_or("png").to_owned();
        let bytes = BASE64_STANDARD.decode(&image.base64).unwrap_or_default();
        let path = place(folder, operation, &ending);
        match atomic::write(&path, &bytes) {
            Ok(()) => {
                notes.push(format!(
                    "a picture was too large for the answer; it is in `{}`",
                    path.display()
                ));
                response.files.push(path);
            }
            Err(error) => notes.push(format!("a picture was too large for the answer: {error}")),
        }
    }
}

fn keep(whole: &Value, folder: &Path, operation: &str) -> Result<PathBuf, String> {
    let path = place(folder, operation, "json");
    let bytes = serde_json::to_vec(whole).map_err(|error| error.to_string())?;
    atomic::write(&path, &bytes).map_err(|error| error.to_string())?;
    Ok(path)
}

fn place(folder: &Path, operation: &str, ending: &str) -> PathBuf {
    let time = Timestamp::now().strftime("%Y%m%d-%H%M%S%.6f");
    folder.join(format!("{operation}-{time}.{ending}"))
}

/// Shortens texts and lists, longest first, until everything is below [`DATA`]. Names, numbers and
/// structure stay, so that the answer still fits its operation's output type.
pub(crate) fn shorten(data: &mut Value) {
    for (longest, most) in STEPS {
        if written(data) <= DATA {
            return;
        }
        shrink(data, longest, most);
    }
    // Objects of a page with very many names.
    prune(data);
}

fn shrink(value: &mut Value, longest: usize, most: usize) {
    match value {
        Value::String(text) if text.len() > longest => {
            let left = text.len() - longest;
            truncate(text, longest);
            text.push_str(&format!("… ({left} more bytes)"));
        }
        Value::Array(items) => {
            items.truncate(most);
            items
                .iter_mut()
                .for_each(|item| shrink(item, longest, most));
        }
        Value::Object(map) => map
            .values_mut()
            .for_each(|value| shrink(value, longest, most)),
        _ => {}
    }
}

/// Keeps the first names of wide objects, which only pages create, and drops a value that is still too
/// long.
fn prune(data: &mut Value) {
    const NAMES: usize = 100;
    fn narrow(value: &mut Value) {
        match value {
            Value::Object(map) => {
                let surplus: Vec<String> = map.keys().skip(NAMES).cloned().collect();
                for name in surplus {
                    map.remove(&name);
                }
                map.values_mut().for_each(narrow);
            }
            Value::Array(items) => items.iter_mut().for_each(narrow),
            _ => {}
        }
    }
    narrow(data);
    if written(data) > DATA
        && let Some(value) = data.get_mut("value")
    {
        *value = Value::Null;
    }
}

fn short(mut failure: Failure) -> Failure {
    for text in [Some(&mut failure.message), failure.hint.as_mut()]
        .into_iter()
        .flatten()
    {
        if text.len() > MESSAGE {
            let left = text.len() - MESSAGE;
            truncate(text, MESSAGE);
            text.push_str(&format!("… ({left} more bytes)"));
        }
    }
    failure
}

/// Truncates at a character boundary.
fn truncate(text: &mut String, longest: usize) {
    if text.len() > longest {
        let end = (0..=longest).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or_default());
    }
}

/// The length of its JSON, without writing it anywhere.
fn written(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail, and all names of a value are valid in JSON.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

#[cfg(test)]
mod tests {
    use szk_tools::{Code, Image, Part, specs};

    use super::*;
    use crate::sample;

    fn response(data: Value, summary: String) -> Response {
        Response {
            summary,
            data,
            ..Response::default()
        }
    }

    #[test]
    fn bounded_answers_still_fit_their_operations() {
        let dir = tempfile::tempdir().unwrap();
        for spec in specs() {
            let schema = (spec.output)();
            // Long texts, long lists, and both.
            for (text, most) in [(DATA + 2, 1), (100, 2_000), (2_000, 100)] {
                let text_of_it = "ü".repeat(text / 2);
                // Lists in lists grow with the square: no longer than what does not fit.
                let mut many = 1;
                let (data, size) = loop {
                    let data = sample::of(&schema, &text_of_it, many).next().unwrap();
                    let size = written(&data);
                    if size > 2 * DATA || many >= most {
                        break (data, size);
                    }
                    many *= 2;
                };
                let mut whole = response(data, "x".repeat(text));
                whole.parts.push(Part {
                    step: 1,
                    text: whole.summary.clone(),
                    failure: None,
                });
                let cut = cut(whole.clone(), size, dir.path(), spec.name);
                assert!(cut.summary.len() <= TEXT, "{}", spec.name);
                let parts = cut.parts.iter().map(|part| part.text.len());
                assert!(parts.sum::<usize>() <= TEXT, "{}", spec.name);
                let now = written(&cut.data);
                assert!(now <= DATA, "{}: {now} of {size}", spec.name);
                let read = szk_tools::check_answer(spec.name, cut.data);
                assert!(read.is_ok(), "{}: {read:?}", spec.name);
                let [path] = &cut.files[..] else { continue };
                assert!(cut.summary.contains(&path.display().to_string()));
                let kept: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
                assert_eq!(kept["data"], whole.data, "{}", spec.name);
                std::fs::remove_file(path).unwrap();
            }
        }
    }

    #[test]
    fn an_object_of_very_many_names_is_bounded() {
        let wide: serde_json::Map<String, Value> = (0..100_000)
            .map(|n| (format!("name{n}"), n.into()))
            .collect();
        let mut data = json!({"session": "work", "value": wide});
        shorten(&mut data);
        assert!(written(&data) <= DATA);
        assert_eq!(data["session"], "work");
        let mut nested = json!({"value": [[["x".repeat(300_000)]]]});
        shorten(&mut nested);
        assert!(written(&nested) <= DATA);
    }

    #[test]
    fn an_answer_that_fits_is_not_changed() {
        let mut data = json!({"value": "x".repeat(DATA - 100)});
        let before = data.clone();
        shorten(&mut data);
        assert_eq!(data, before);
    }

    #[test]
    fn failures_and_pictures_are_bounded() {
        let failure =
            short(Failure::new(Code::ScriptFailed, "é".repeat(1 << 20)).hint("h".repeat(1 << 20)));
        assert!(failure.message.len() < 2 * MESSAGE && failure.hint.unwrap().len() < 2 * MESSAGE);
        let dir = tempfile::tempdir().unwrap();
        let mut large = response(json!({}), "a picture".into());
        large.images.push(Image {
            mime: "image/png".into(),
            base64: "AAAA".repeat(PICTURE / 4 + 1),
        });
        let cut = cut(large, 2, dir.path(), "browser_screenshot");
        assert!(cut.images.is_empty());
        assert_eq!(cut.files[0].extension().unwrap(), "png");
    }
}
