//! How a failure is displayed.

use serde_json::json;
use szk_tools::{Done, Failure};

use super::spoken::Speech;
use super::style::{BAD, STRONG, USABLE, WARN, paint};
use super::text::{printable, printable_lines};

/// `error[CODE]: message`, followed by its effect and what to do next.
pub(crate) fn text(failure: &Failure, speech: &Speech) -> String {
    let head = format!("error[{}]", failure.code.name());
    let message = speech.message_of(failure, &printable_lines(&failure.message));
    // Each report of several mistakes already starts with a heading.
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    let mut out = format!("{}: {}", paint(BAD, &head), paint_first(message));
    match failure.effect {
        Done::None => {}
        Done::Done => below(&mut out, "note", "it took effect before this went wrong"),
        Done::Unknown => below(&mut out, "note", "it may have been done in part"),
    }
    if let Some(hint) = &failure.hint {
        below(&mut out, "hint", &speech.hint(&printable_lines(hint)));
    } else if failure.retryable {
        below(&mut out, "hint", "try again");
    }
    out
}

/// The failure as one JSON object on one line.
pub(crate) fn json(failure: &Failure) -> String {
    json!({ "error": failure }).to_string()
}

/// A problem that prevented nothing.
pub(crate) fn warning(text: &str) -> String {
    format!("{}: {}", paint(WARN, "warning"), printable(text))
}

/// The first line is the message; the rest (file lines with a caret) keeps its own style.
fn paint_first(message: &str) -> String {
    match message.split_once('\n') {
        Some((first, rest)) => format!("{}\n{rest}", paint(STRONG, first)),
        None => paint(STRONG, message),
    }
}

/// Adds a labelled part, with further lines indented under the first.
fn below(out: &mut String, label: &str, text: &str) {
    let text = text.replace('\n', "\n        ");
    out.push_str(&format!("\n  {}: {text}", paint(USABLE, label)));
}

#[cfg(test)]
mod tests {
    use szk_tools::Code;

    use super::*;

    fn plain(failure: &Failure) -> String {
        anstream::adapter::strip_str(&text(failure, &Speech::default())).to_string()
    }

    #[test]
    fn code_message_and_next_step() {
        let failure = Failure::new(Code::SessionNotFound, "no profile is called `wrok`")
            .hint("did you mean `work`?");
        insta::assert_snapshot!(plain(&failure), @r"
        error[SESSION_NOT_FOUND]: no profile is called `wrok`
          hint: did you mean `work`?
        ");
        insta::assert_snapshot!(json(&failure), @r#"{"error":{"code":"SESSION_NOT_FOUND","message":"no profile is called `wrok`","hint":"did you mean `work`?","retryable":false,"effect":"none"}}"#);
    }

    #[test]
    fn lines_of_a_file_keep_their_place() {
        let failure = Failure::new(
            Code::InvalidConfig,
            "error: unknown key\n  --> szk.config.toml:2:1\n2 | localle = 5\n  | ^^^^^^^",
        )
        .hint("first\nsecond");
        insta::assert_snapshot!(plain(&failure), @r"
        error[INVALID_CONFIG]: unknown key
          --> szk.config.toml:2:1
        2 | localle = 5
          | ^^^^^^^
          hint: first
                second
        ");
    }

    #[test]
    fn what_was_done_is_said() {
        let failure = Failure::new(Code::Timeout, "no answer in `5000` ms\x1b[2J")
            .retryable()
            .effect(Done::Unknown);
        insta::assert_snapshot!(plain(&failure), @r"
        error[TIMEOUT]: no answer in `5000` ms[2J
          note: it may have been done in part
          hint: try again
        ");
    }
}
