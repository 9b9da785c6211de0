//! Answers as MCP tool results.

use std::fmt::Write as _;

use rmcp::model::{CallToolResult, ContentBlock, MetaObject, ProtocolVersion};
use szk_tools::failure::Done;
use szk_tools::{Failure, Response};

/// Key of `_meta` that carries the [`Failure`] of a failed result.
///
/// Not `structuredContent`: the TypeScript SDK validates that against the tool's output schema even if
/// `isError` is set, and would replace the failure with a schema error (seen in 1.32.2).
const FAILURE: &str = "szk/failure";

/// The result of one call for a client of protocol generation `version`.
pub(crate) fn outcome(
    outcome: Result<Response, Failure>,
    version: Option<&ProtocolVersion>,
) -> CallToolResult {
    match outcome {
        Ok(response) if !response.data.is_object() => failure(&Failure::internal(
            "the answer carries no object, which its schema promises",
        )),
        Ok(response) => success(response, structured(version)),
        Err(error) => failure(&error),
    }
}

/// Whether the generation supports `structuredContent` and output schemas (added in 2025-06-18).
pub(crate) fn structured(version: Option<&ProtocolVersion>) -> bool {
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2025_06_18.as_str())
}

/// Text for the model and data for the program.
///
/// The specification would repeat the data in the text, for clients that do not support
/// `structuredContent`. We recognize those by their generation and do that; for all others it would
/// double what a model reads, so their text is the summary, which says the same in fewer words.
fn success(response: Response, structured: bool) -> CallToolResult {
    let mut content = vec![ContentBlock::text(summary(&response))];
    if !structured {
        // For these clients the data has no other way in.
        content.push(ContentBlock::text(response.data.to_string()));
    }
    content.extend(
        response
            .images
            .into_iter()
            .map(|image| ContentBlock::image(image.base64, image.mime)),
    );
    let mut result = match response.unmet {
        true => CallToolResult::error(content),
        false => CallToolResult::success(content),
    };
    result.structured_content = Some(response.data);
    result
}

/// The summary, plus a line for each file that it does not mention.
fn summary(response: &Response) -> String {
    let mut text = response.summary.clone();
    for file in &response.files {
        let path = file.display().to_string();
        if !text.contains(&path) {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "\nfile: {path}");
        }
    }
    text
}

fn failure(failure: &Failure) -> CallToolResult {
    let mut text = failure.to_string();
    match failure.effect {
        Done::None => {}
        Done::Done => text.push_str("\neffect: done (only what followed failed)"),
        Done::Unknown => text.push_str("\neffect: unknown (it may have happened)"),
    }
    let mut meta = MetaObject::default();
    if let Ok(value) = serde_json::to_value(failure) {
        meta.insert(FAILURE.to_owned(), value);
    }
    CallToolResult::error(vec![ContentBlock::text(text)]).with_meta(Some(meta))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use szk_tools::{Code, Image};

    use super::*;

    fn response() -> Response {
        Response {
            summary: "done, see /tmp/a.png".into(),
            data: json!({"n": 1}),
            images: vec![Image {
                mime: "image/png".into(),
                base64: "AAAA".into(),
            }],
            files: vec!["/tmp/a.png".into(), "/tmp/b.png".into()],
            ..Response::default()
        }
    }

    fn wire(result: Result<Response, Failure>, version: ProtocolVersion) -> Value {
        serde_json::to_value(outcome(result, Some(&version))).unwrap()
    }

    #[test]
    fn a_response_is_text_pictures_and_data() {
        let found = wire(Ok(response()), ProtocolVersion::V_2025_06_18);
        assert_eq!(found["isError"], false);
        assert_eq!(found["structuredContent"], json!({"n": 1}));
        assert_eq!(
            found["content"],
            json!([
                {"type": "text", "text": "done, see /tmp/a.png\nfile: /tmp/b.png"},
                {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            ])
        );
    }

    #[test]
    fn what_is_not_as_it_should_be_is_an_error_with_its_data() {
        let unmet = Response {
            unmet: true,
            ..response()
        };
        let found = wire(Ok(unmet), ProtocolVersion::V_2025_11_25);
        assert_eq!(found["isError"], true);
        assert_eq!(found["structuredContent"], json!({"n": 1}));
    }

    #[test]
    fn generations_without_structured_content_get_the_data_as_text() {
        let found = wire(Ok(response()), ProtocolVersion::V_2025_03_26);
        assert_eq!(found["content"][1]["text"], r#"{"n":1}"#);
    }

    #[test]
    fn a_failure_is_text_and_meta_but_not_structured_content() {
        let failure = Failure::new(Code::Timeout, "no answer in `5` ms")
            .hint("raise `timeout_ms`")
            .retryable()
            .effect(Done::Unknown);
        let found = wire(Err(failure), ProtocolVersion::V_2025_11_25);
        assert_eq!(found["isError"], true);
        assert!(found.get("structuredContent").is_none());
        assert_eq!(
            found["content"][0]["text"],
            "TIMEOUT: no answer in `5` ms\nhint: raise `timeout_ms`\neffect: unknown (it may have happened)"
        );
        assert_eq!(
            found["_meta"][FAILURE],
            json!({"code": "TIMEOUT", "message": "no answer in `5` ms", "hint": "raise `timeout_ms`", "retryable": true, "effect": "unknown"})
        );
    }

    #[test]
    fn data_that_is_no_object_is_a_defect_and_says_so() {
        let mut broken = response();
        broken.data = json!([1]);
        let found = wire(Ok(broken), ProtocolVersion::V_2025_11_25);
        assert_eq!(found["isError"], true);
    }
}
