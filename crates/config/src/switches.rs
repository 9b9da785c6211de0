//! Browser command-line switches that users may add, and those they may not.

use crate::InvalidValue;
use crate::check::Checked;

/// Switches that szk sets itself: if one is given twice, the last one wins, and the session would
/// break. The second column says what to use instead.
const OWNED: &[(&str, &str)] = &[
    ("--app", "open a session with a URL"),
    ("--enable-automation", "nothing: every page sees it"),
    ("--headless", "`browser.headless`"),
    ("--lang", "`identity.locale`"),
    ("--load-extension", "`browser.extensions`"),
    ("--proxy-server", "`identity.proxy`"),
    ("--remote-debugging-pipe", "the session's endpoint"),
    ("--remote-debugging-port", "the session's endpoint"),
    ("--user-agent", "`identity.user_agent`"),
    ("--user-data-dir", "`store.path`"),
    ("--window-size", "`identity.viewport`"),
];

/// Switches that measurably show to pages.
const VISIBLE: &[&str] = &[
    "--accept-lang",
    "--autoplay-policy",
    "--disable-3d-apis",
    "--disable-notifications",
    "--disable-site-isolation-trials",
    "--disable-software-rasterizer",
    "--disable-speech-api",
    "--disable-web-security",
    "--guest",
    "--hide-scrollbars",
    "--kiosk",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
];

/// Checks that every entry is a switch, and not one that szk sets itself.
pub(crate) fn check(args: &[String]) -> Checked {
    args.iter().try_for_each(|arg| {
        let name = name(arg);
        if !name.starts_with("--") || name.len() == 2 {
            return Err(InvalidValue::new(format!(
                "`{arg}` is not a switch: each entry is one, such as `--mute-audio`"
            )));
        }
        match OWNED.iter().find(|(owned, _)| *owned == name) {
            Some((_, instead)) => Err(InvalidValue::new(format!(
                "`{name}` is set by szk itself: use {instead}"
            ))),
            None => Ok(()),
        }
    })
}

/// The switches among `args` that pages can detect, by name.
pub(crate) fn visible(args: &[String]) -> impl Iterator<Item = &str> {
    args.iter()
        .map(|arg| name(arg))
        .filter(|name| VISIBLE.contains(name))
}

fn name(arg: &str) -> &str {
    arg.split('=').next().unwrap_or(arg)
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(arg: &str, expected: &str) {
        let checked = super::check(&[arg.to_owned()]);
        let shown = checked.map_or_else(|wrong| wrong.to_string(), |()| String::new());
        assert_eq!(shown, expected);
    }

    #[test]
    fn switches() {
        check("--mute-audio", "");
        check(
            "mute-audio",
            "`mute-audio` is not a switch: each entry is one, such as `--mute-audio`",
        );
        check(
            "--user-data-dir=/tmp/x",
            "`--user-data-dir` is set by szk itself: use `store.path`",
        );
    }

    #[test]
    fn visible_ones_are_named() {
        let args = ["--mute-audio", "--autoplay-policy=x"].map(str::to_owned);
        assert_eq!(
            super::visible(&args).collect::<Vec<_>>(),
            ["--autoplay-policy"]
        );
    }
}
