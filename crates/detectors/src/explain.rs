//! What a failed check means, for whoever has to act on it.

/// Checks by name, or by the part before the first dot.
const MEANINGS: &[(&str, &str)] = &[
    (
        "webdriver",
        "`navigator.webdriver` says that the browser is driven: `--enable-automation`, or a debugging port or pipe without `--disable-blink-features=AutomationControlled`",
    ),
    (
        "client hints agree with the user agent",
        "user agent and client hints describe different browsers: a user agent was set without its metadata, or for another version or system than this Chromium's",
    ),
    (
        "headers agree with JavaScript",
        "requests carry another user agent, other hints or other languages than scripts see: an override reached only one of them",
    ),
    (
        "agrees with the page",
        "a frame or worker describes another browser than its page: an override or patch did not reach it",
    ),
    (
        "the window is on the screen",
        "sizes of screen, window and page cannot be true together: an emulated viewport, an info bar, or a window larger than its screen",
    ),
    (
        "media queries agree with the screen",
        "style sheets see another size or density than scripts: metrics are emulated, or `screen` was patched",
    ),
    (
        "styles agree with media queries",
        "`matchMedia` was patched: the style engine says otherwise",
    ),
    (
        "permissions agree",
        "`Notification.permission` and `permissions.query` disagree, as in a headless browser or after a patch",
    ),
    (
        "languages agree",
        "`navigator.languages` and the locale that dates are written in disagree: use a locale that Chromium has a pack for",
    ),
    (
        "time zone agrees with dates",
        "the named time zone is not the one dates are computed in: an override did not reach this realm",
    ),
    (
        "canvas is not disturbed",
        "drawing the same picture twice gives two results: something adds noise, which is itself a mark",
    ),
    (
        "sound is not disturbed",
        "computing the same sound twice gives two results: something adds noise, which is itself a mark",
    ),
    (
        "rhythm of the screen",
        "frames are not drawn in a screen's rhythm: a software compositor without a clock, or a very slow machine",
    ),
    (
        "reports",
        "this realm never answered: something held it at its start, or the browser refused to open it",
    ),
    (
        "native",
        "a function or property of the platform is not as the browser made it: a script patches it, and pages can tell",
    ),
    (
        "errors",
        "stacks of errors show somebody else's code: a script injected into the page's own world",
    ),
    (
        "runtime",
        "the page notices that `Runtime` (or `Debugger`) is enabled: a client of the endpoint does that, szk does not",
    ),
    (
        "traces",
        "something that a driver or extension leaves in pages was found: a global, a binding, an attribute",
    ),
    (
        "csp",
        "the page's content security policy is bypassed or was disturbed",
    ),
    ("intoli", "a check of a public headless test fails"),
    ("fpscanner", "a check of a public fingerprint scanner fails"),
];

/// What it means if this check fails.
#[must_use]
pub fn explain(check: &str) -> &'static str {
    let group = check.split('.').next().unwrap_or(check);
    MEANINGS
        .iter()
        .find(|(known, _)| *known == check)
        .or_else(|| MEANINGS.iter().find(|(known, _)| *known == group))
        .map_or("this is not as in an ordinary browser", |(_, meaning)| {
            meaning
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_explained_by_name_or_by_group() {
        assert!(explain("webdriver").contains("navigator.webdriver"));
        assert!(explain("native.tags").contains("patches"));
        assert!(explain("something new").contains("ordinary"));
    }
}
