//! Decides what counts as a successful login.

use szk_page::forms::{Survey, Wanted};
use szk_tools::workflow::LoginInput;

use super::attempt::Attempt;
use super::remember::brought;
use crate::browser::shown;
use szk_runtime::state::Cookie;

/// The caller's success condition; all parts of it must hold.
#[derive(Debug, Clone, Default)]
pub(super) struct Condition {
    url: Option<String>,
    text: Option<String>,
    selector: Option<String>,
}

impl Condition {
    pub(super) fn of(input: &LoginInput) -> Self {
        Self {
            url: input.success_url.clone(),
            text: input.success_text.clone(),
            selector: input.success_selector.clone(),
        }
    }

    pub(super) fn is_given(&self) -> bool {
        self.url.is_some() || self.text.is_some() || self.selector.is_some()
    }

    /// What to look for while reading the page.
    pub(super) fn wanted(&self, wanted: Wanted) -> Wanted {
        Wanted {
            text: self.text.clone(),
            selector: self.selector.clone(),
            ..wanted
        }
    }

    pub(super) fn holds(&self, survey: &Survey) -> bool {
        let at = address(survey);
        let there = self.url.as_deref().is_none_or(|url| fits(url, at));
        self.is_given() && there && survey.fits()
    }

    /// Describes the condition.
    pub(super) fn words(&self) -> String {
        let parts = [
            ("address", &self.url),
            ("text", &self.text),
            ("selector", &self.selector),
        ];
        let given = parts
            .iter()
            .filter_map(|(name, part)| Some(format!("{name} `{}`", part.as_ref()?)));
        given.collect::<Vec<_>>().join(" and ")
    }
}

/// The address of the page.
pub(super) fn address(survey: &Survey) -> &str {
    survey.documents.first().map_or("", |page| &page.url)
}

/// Evidence, without a condition, that the login has succeeded now that the form is gone.
pub(super) fn found(
    survey: &Survey,
    sign_out: Option<&str>,
    cookies: &[Cookie],
    attempt: &Attempt,
) -> Option<String> {
    if let Some(name) = sign_out {
        return Some(format!(
            "the form is gone, and the page offers {}",
            crate::workflow::page::shown(name)
        ));
    }
    let at = address(survey);
    if let Some(before) = &attempt.before
        && let Some(name) = brought(at, cookies, before)
    {
        return Some(format!("the form is gone, and the cookie `{name}` is new"));
    }
    let elsewhere = !attempt.form_url.is_empty() && place(at) != place(&attempt.form_url);
    elsewhere.then(|| format!("the form is gone, and the page is at {}", shown(at)))
}

/// An address without query and fragment.
fn place(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// Matches part of an address, or a pattern with `*`.
fn fits(pattern: &str, url: &str) -> bool {
    match pattern.contains('*') {
        true => szk_recipes::fits(pattern, url),
        false => url.contains(pattern),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_match_parts_and_patterns_of_addresses() {
        let check = |pattern: &str, url: &str, expected: bool| {
            assert_eq!(fits(pattern, url), expected, "{pattern} {url}");
        };
        check("/home", "https://x.test/home?a", true);
        check("/home", "https://x.test/", false);
        check("https://*.test/*", "https://x.test/home", true);
        check("https://*/home", "https://x.test/home?a", false);
        check("*home", "https://x.test/home", true);
        check("http://*", "https://x.test/", false);
    }
}
