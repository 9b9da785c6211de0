//! Handlers of `browser_*`.

mod act;
mod ahead;
mod arm;
mod batch;
mod emulate;
mod extract;
mod find;
mod labels;
mod logs;
mod navigate;
pub(crate) mod page_text;
mod paper;
mod pdf;
mod run_code;
mod run_file;
mod run_test;
mod screenshot;
mod seen;
mod snapshot;
mod tabs;
pub(crate) mod uploads;
mod view;

use szk_page::document;
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::{Done, Failure};

use crate::context::Keeper;
use crate::failure;

pub(crate) use act::{
    Acting, Changed, How, Known, KnownElement, act, act_failure, led_to, navigated, perform,
    settled, shows, size, stirs,
};
pub(crate) use ahead::keep_ahead;
pub(crate) use arm::{Slots, answer_prompts, arm, waits as prompt_waits};
pub(crate) use batch::batch;
pub(crate) use emulate::{Emulations, again as emulate_again, emulate, resized};
pub(crate) use extract::{Wanted as Content, extract, get as content};
pub(crate) use find::find;
pub(crate) use labels::Labels;
pub(crate) use logs::{Polled, Uncaught, logs};
pub(crate) use navigate::{complete, empty_status, failed as unreachable, navigate};
pub(crate) use pdf::pdf;
pub(crate) use run_code::run_code;
pub(crate) use run_file::run_file;
pub(crate) use run_test::{Tested, run_test, test};
pub(crate) use screenshot::screenshot;
pub(crate) use seen::{AttachedSnapshot, Settling, seen};
pub(crate) use snapshot::snapshot;
pub(crate) use tabs::tabs;
pub(crate) use view::{Views, page, scope, unread};

/// The origin of a tab's page, which must have one.
async fn origin(keeper: &Keeper, running: &Running, tab: &Tab) -> Result<String, Failure> {
    let origin = document::origin(&keeper.worlds, &page(running, tab)).await;
    let origin =
        origin.map_err(|error| failure::cdp("the page's origin is unknown", &error, Done::None))?;
    origin.ok_or_else(|| {
        Failure::invalid(format!("{} has no origin to give permissions to", tab.id))
            .hint("go to the page first")
    })
}

/// A URL as messages show it: without login, and not endless.
pub(crate) fn shown(url: &str) -> String {
    let url = &szk_text::head(url, 1000);
    let without_login = match url.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            match rest[..end].rfind('@') {
                Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
                None => url.to_owned(),
            }
        }
        None => url.to_owned(),
    };
    szk_text::line(&without_login, 199)
}

#[cfg(test)]
mod tests {
    #[test]
    fn urls_are_shown_short_and_without_a_login() {
        assert_eq!(
            super::shown("https://a:b@c.example/d@e"),
            "https://c.example/d@e"
        );
        assert_eq!(
            super::shown("https://c.example/?q=a@b"),
            "https://c.example/?q=a@b"
        );
        assert_eq!(super::shown("about:blank"), "about:blank");
        assert!(
            super::shown(&format!("data:,{}", "x".repeat(9000)))
                .chars()
                .count()
                <= 200
        );
    }
}
