//! Failures of acts.

use szk_page::act::{ActError, Failed};
use szk_tools::{Code, Done, Failure};

use crate::failure;

/// Several elements match.
pub(super) fn several(message: &str, candidates: &[String]) -> Failure {
    let message = format!("{message}: {}", candidates.join(", "));
    Failure::new(Code::Ambiguous, message)
        .hint("make the selector match one element, or repeat the call with one of these refs")
}

/// What to do about a selector that matches nothing. Words are often meant as a name.
fn not_found(selector: &str) -> String {
    let is_word = |one: char| one.is_alphanumeric() || one == ' ' || one == '-';
    let by_name = match selector.chars().all(is_word) {
        true => format!(", or name it by what it says: `text={}`", selector.trim()),
        false => String::new(),
    };
    format!(
        "check with `browser_snapshot`{by_name}; if it appears later, wait for it first with kind `wait`"
    )
}

/// The failure of an act on a ref or something else; its effect is unknown once the first input was out.
/// `known` tells more of a ref that ended meanwhile, of several elements that match, or of the dialog that is open.
pub(crate) fn failure(failed: Failed, reference: Option<&str>, known: Option<Failure>) -> Failure {
    let effect = if failed.begun {
        Done::Unknown
    } else {
        Done::None
    };
    let message = failed.error.to_string();
    let failure = match failed.error {
        ActError::NotFound { selector } => Failure::new(Code::NotFound, message).hint(not_found(&selector)),
        ActError::Ambiguous { candidates, .. } => {
            known.unwrap_or_else(|| several(&message, &candidates))
        }
        ActError::Selector { .. } => Failure::invalid(message)
            .hint("selectors are CSS, or XPath that begins with `//` or `xpath=`; ` >> ` continues inside an element or a frame"),
        ActError::NoFrame { .. } => Failure::new(Code::NotFound, message),
        ActError::Stale => known.unwrap_or_else(|| {
            let message = match reference {
                Some(name) => format!("`{name}` is no longer in the page"),
                None => message,
            };
            Failure::new(Code::RefStale, message).hint("take a new `browser_snapshot`")
        }),
        ActError::Covered { .. } => Failure::new(Code::ClickIntercepted, message)
            .hint("close or move the covering element, then repeat the call"),
        ActError::PassesThrough { .. } => Failure::new(Code::NotActionable, message)
            .hint("the page has made this element ignore clicks for now: wait until it takes them, or act on the element around it"),
        ActError::Missed { .. } => Failure::new(Code::ClickIntercepted, message)
            .hint("check the effect with `browser_snapshot`, then repeat the call")
            .retryable(),
        ActError::Unreachable { .. } => Failure::new(Code::NotActionable, message)
            .hint("pages often hide a control and show a styled one in its place: act on what is visible, such as its label"),
        ActError::Unmoved { .. } => Failure::new(Code::NotActionable, message)
            .hint("scroll the element that has the scroll bar: give its `ref`"),
        ActError::NotReady { .. } => Failure::new(Code::NotActionable, message)
            .hint("wait for it with kind `wait`, or first do what enables it")
            .retryable(),
        ActError::Unsuited { .. } | ActError::Outside { .. } => Failure::invalid(message),
        ActError::NoOption { ref options, .. } => {
            let failure = Failure::new(Code::NotFound, message);
            if options.is_empty() {
                failure.hint("it lists no options: find the element that does with `browser_snapshot`, or enter text with kind `fill`")
            } else {
                let options = options.iter().map(|option| szk_text::line(option, 60));
                failure.hint(format!(
                    "options: {}",
                    options.collect::<Vec<_>>().join(", ")
                ))
            }
        }
        ActError::SeveralOptions { ref options, .. } => {
            let options = options.iter().take(20);
            let options = options.map(|option| szk_text::line(option, 60));
            let options = options.collect::<Vec<_>>().join(", ");
            Failure::new(Code::Ambiguous, message).hint(format!("give the whole text of one option: {options}"))
        }
        ActError::Timeout { .. } | ActError::Late => Failure::new(Code::Timeout, message)
            .hint("raise `timeout_ms`, or look at the page with `browser_screenshot`")
            .retryable(),
        ActError::Dialog => known.unwrap_or_else(|| {
            Failure::new(Code::SessionBusy, message)
                .hint("answer it with `browser_arm`, `event` dialog")
        }),
        ActError::Closed => {
            Failure::new(Code::NotFound, message).hint("list the tabs with `browser_tabs`")
        }
        ActError::Gone => Failure::new(Code::NavigationFailed, message)
            .hint("take a `browser_snapshot` of the new document, and act there")
            .retryable(),
        ActError::Call(error) => failure::cdp("the act failed", &error, effect),
    };
    failure.effect(effect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_place_of_a_selector_may_be_a_name() {
        let hint = |selector: &str| {
            let error = ActError::NotFound {
                selector: selector.to_owned(),
            };
            let failed = Failed {
                error,
                begun: false,
                approached: false,
            };
            failure(failed, None, None).hint.unwrap()
        };
        assert!(hint("Sign in").contains("`text=Sign in`"));
        assert!(!hint("#sign-in").contains("text="));
        assert!(!hint("form > button").contains("text="));
    }
}
