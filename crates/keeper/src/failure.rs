//! Turns errors of the runtime into failures.

use szk_cdp::CallError;
use szk_runtime::find::FindError;
use szk_runtime::launch::LaunchError;
use szk_runtime::session::{OpenError, SessionError};
use szk_runtime::supervisor::{SupervisorError, Tab};
use szk_tools::{Code, Done, Failure};
use szk_wire::failure;

/// A profile could not be opened.
pub(crate) fn open(error: &OpenError) -> Failure {
    let text = full(error);
    match error {
        OpenError::Lock(error) => failure::lock(error),
        OpenError::Store(error) => failure::store(error),
        OpenError::Config(errors) => failure::config(errors),
        OpenError::Policy(denied) => failure::policy(denied),
        OpenError::Find(FindError::Explicit { .. }) => Failure::new(Code::BrowserNotFound, text)
            .hint("correct the path, or leave it out to let szk look for Chromium; `szk doctor` shows what it finds"),
        OpenError::Find(FindError::Nothing { .. }) => Failure::new(Code::BrowserNotFound, text)
            .hint("install Chromium (Debian and Ubuntu: `apt install chromium`) or Google Chrome, or name one with SZK_CHROMIUM"),
        OpenError::Launch(error) => launch(error, text),
        OpenError::Stealth(_) => Failure::new(Code::BrowserCrashed, text)
            .hint("szk did not open the session, because pages could detect it; find the cause with `szk doctor`")
            .retryable(),
        OpenError::Script(_) => Failure::new(Code::InvalidConfig, text).hint("correct `[stealth] scripts`"),
        OpenError::Older { .. } => Failure::new(Code::ProfileUnusable, text)
            .hint("name the newer Chromium with SZK_CHROMIUM, or open another profile; an older Chromium would damage this profile's data"),
        OpenError::InUse { pid, .. } => Failure::new(Code::ProfileLocked, text)
            .hint(format!("close that browser (pid {pid}) and open the profile again")),
        OpenError::Proxy { .. } => Failure::new(Code::InvalidConfig, text).hint("correct `proxy`"),
    }
}

fn launch(error: &LaunchError, text: String) -> Failure {
    if matches!(error, LaunchError::Display(_)) {
        return Failure::new(Code::InvalidConfig, text).hint(
            "install Xvfb (Debian and Ubuntu: `apt install xvfb`), or leave `browser.xvfb` out",
        );
    }
    let lower = text.to_lowercase();
    let hint = if lower.contains("display") || lower.contains("ozone") || lower.contains("x server")
    {
        "there is no usable display: open the session with `headless` true"
    } else if lower.contains("sandbox") || lower.contains("namespace") {
        "this system does not let Chromium set up its sandbox: allow user namespaces with the command that `szk doctor` shows"
    } else if lower.contains("shared libraries") {
        "the executable lacks system libraries: install your distribution's Chromium"
    } else if matches!(error, LaunchError::Silent { extended: true, .. }) {
        "Chromium may be unable to load an extension: load its folder in `chrome://extensions` of a Chromium with a window, which says why; or open the session without it"
    } else {
        "find the cause with `szk doctor`; `keeper.log` in the profile has more"
    };
    let failure = Failure::new(Code::BrowserCrashed, text).hint(hint);
    if matches!(error, LaunchError::Silent { .. }) {
        failure.retryable()
    } else {
        failure
    }
}

/// The session cannot do it now.
pub(crate) fn session(error: &SessionError) -> Failure {
    let failure = Failure::new(Code::SessionBusy, error.to_string()).retryable();
    match error {
        SessionError::Closing => failure.hint("open the session again"),
        SessionError::Restarting => {
            failure.hint("szk is restarting Chromium after a crash: try again in a few seconds")
        }
        SessionError::Endpoint { .. } => failure.hint("check the ports with `szk doctor`"),
    }
}

/// A tab could not be opened.
pub(crate) fn tab(error: &SupervisorError) -> Failure {
    Failure::new(Code::BrowserCrashed, error.to_string())
        .hint("try again, or list the tabs with `browser_tabs`")
        .retryable()
}

/// What helps if the process of a page has died.
const BRINGS_BACK: &str = "recover the tab with `browser_navigate` (`szk navigate --reload`): reload the page, or go to another address";

/// The process of a page has died.
pub(crate) fn crashed(tab: &Tab) -> Failure {
    Failure::new(
        Code::BrowserCrashed,
        format!("the page in {} has crashed", tab.id),
    )
    .hint(BRINGS_BACK)
}

/// The browser refused a command, or went away; `effect` says what had been done by then.
pub(crate) fn cdp(doing: &str, error: &CallError, effect: Done) -> Failure {
    let failure = match error {
        CallError::SessionGone => Failure::new(Code::NotFound, format!("{doing}: the tab is gone"))
            .hint("list the tabs with `browser_tabs`"),
        CallError::Crashed => {
            Failure::new(Code::BrowserCrashed, format!("{doing}: the page has crashed"))
                .hint(BRINGS_BACK)
        }
        CallError::Closed { .. } => {
            Failure::new(Code::BrowserCrashed, format!("{doing}: Chromium exited"))
                .hint(match effect {
                    Done::None => "szk is restarting it: repeat the call",
                    Done::Done | Done::Unknown => {
                        "szk is restarting it: see what was done before you repeat the call"
                    }
                })
                .retryable()
        }
        other if szk_page::navigation::is_between_documents(other) => Failure::new(
            Code::SessionBusy,
            format!("{doing}: the page is navigating to another document"),
        )
        .hint("repeat the call once it has loaded; leave a page that never settles with `browser_navigate`")
        .retryable(),
        other => Failure::new(Code::Internal, format!("{doing}: {other}"))
            .hint("`keeper.log` in the profile has more"),
    };
    failure.effect(effect)
}

/// A navigation had no answer, or the browser refused it. Whoever gave no answer may have asked the site.
pub(crate) fn not_navigated(error: &CallError) -> Failure {
    match error {
        CallError::Closed { .. }
        | CallError::SessionGone
        | CallError::Crashed
        | CallError::Unreadable { .. } => cdp("the navigation did not end", error, Done::Unknown),
        CallError::Remote { .. } | CallError::NotSent => {
            cdp("the browser refused to navigate", error, Done::None)
        }
    }
}

/// An error with its causes, which `thiserror` does not include by itself.
fn full(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use szk_cdp::CloseReason;

    use super::*;

    /// Chromium waits for an answer to its dialog about an extension that it cannot load.
    #[test]
    fn extensions_are_suspected_only_where_there_are_any() {
        let failure = |extended: bool| {
            let silent = LaunchError::Silent {
                path: "/usr/bin/chromium".into(),
                seconds: 30,
                extended,
                stderr: String::new(),
            };
            open(&OpenError::Launch(silent))
        };
        for (extended, expected) in [(true, "chrome://extensions"), (false, "szk doctor")] {
            let failure = failure(extended);
            let hint = failure.hint.as_deref().unwrap_or_default();
            assert!(hint.contains(expected), "{hint}");
            assert_eq!(hint.contains("extension"), extended, "{hint}");
            assert!(failure.retryable && failure.code == Code::BrowserCrashed);
            assert!(failure.message.ends_with("did not answer within 30 s"));
        }
    }

    #[test]
    fn only_an_answer_says_that_the_browser_did_not_navigate() {
        let reason = Arc::new(CloseReason::Ended);
        for error in [
            CallError::Closed { reason },
            CallError::SessionGone,
            CallError::Crashed,
        ] {
            let failure = not_navigated(&error);
            assert_eq!(failure.effect, Done::Unknown, "{failure}");
            assert!(!failure.message.contains("refused"), "{failure}");
            let hint = failure.hint.unwrap_or_default();
            assert!(!hint.contains("repeat the call") || hint.contains("see what was done"));
        }
        let refused = CallError::Remote {
            code: -32000,
            message: "Not allowed".to_owned(),
            data: None,
        };
        let failure = not_navigated(&refused);
        assert_eq!(failure.effect, Done::None);
        assert!(
            failure
                .message
                .starts_with("the browser refused to navigate")
        );
    }
}
