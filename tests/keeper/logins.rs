//! A login survives every way a browser and its keeper can end.

use serde_json::Value;

use crate::harness::process::Process;
use crate::harness::{LoginSite, SOON, Signal, TestEnv, wait_for, wait_until};

/// A logged-in profile with the site's tab closed.
struct LoggedIn {
    env: TestEnv,
    login: LoginSite,
    keeper: Process,
    browser: Process,
}

impl LoggedIn {
    fn new() -> Self {
        let env = TestEnv::new();
        let login = LoginSite::serve();
        let opened = env.open("work");
        let keeper = keeper(&opened);
        login.log_in(&env, "work");
        env.navigate("work", "about:blank");
        let browser = env.browser();
        Self {
            env,
            login,
            keeper,
            browser,
        }
    }

    /// Waits until everything is on disk: no more is promised for `kill -9`.
    fn saved(self) -> Self {
        wait_until("the login is saved", SOON, || {
            let state = std::fs::read_to_string(self.env.in_profile("work", "state.json"))
                .unwrap_or_default();
            [
                "\"sid\"",
                "\"keep\"",
                "\"own-part\"",
                "\"embedded\"",
                "\"jane\"",
                "\"by-name\"",
            ]
            .iter()
            .all(|part| state.contains(part))
                // The tab has left the site: restored there, it would request the page.
                && !state.contains("\"tabs\":[")
        });
        self
    }

    /// Waits for keeper and browser to exit, reopens and finds the login.
    #[track_caller]
    fn is_still_logged_in(&self) {
        wait_until("the keeper ends", SOON, || !self.keeper.lives());
        self.env.no_chromium_is_left();
        let accepts = self.login.site.accepts();
        let opened = self.env.open("work");
        assert_eq!(opened["started"], "started");
        assert_eq!(
            self.login.site.accepts(),
            accepts,
            "restoring must not touch the network"
        );
        self.finds_the_login();
    }

    #[track_caller]
    fn finds_the_login(&self) {
        assert_eq!(self.login.who(&self.env, "work"), self.login.jane());
        self.env.close("work");
        assert!(
            self.env.chromium_processes().is_empty(),
            "{:#?}",
            self.env.chromium_processes()
        );
    }
}

fn keeper(opened: &Value) -> Process {
    let pid = opened["keeper_pid"]
        .as_u64()
        .and_then(|pid| u32::try_from(pid).ok())
        .expect("a process id");
    Process::find(pid).expect("the keeper runs")
}

#[test]
fn close() {
    let test = LoggedIn::new();
    test.env.close("work");
    assert!(
        test.env.chromium_processes().is_empty(),
        "closing returns after Chromium is gone"
    );
    test.is_still_logged_in();
}

#[test]
fn sigterm_of_the_keeper() {
    let test = LoggedIn::new();
    test.keeper.signal(Signal::TERM);
    test.is_still_logged_in();
}

#[test]
fn sigint_of_the_keeper() {
    let test = LoggedIn::new();
    test.keeper.signal(Signal::INT);
    test.is_still_logged_in();
}

#[test]
fn kill_9_of_the_keeper() {
    let test = LoggedIn::new().saved();
    test.keeper.signal(Signal::KILL);
    test.is_still_logged_in();
}

#[test]
fn kill_9_of_both_at_once() {
    let test = LoggedIn::new().saved();
    test.keeper.signal(Signal::KILL);
    test.browser.signal(Signal::KILL);
    test.is_still_logged_in();
}

#[test]
fn kill_9_of_chromium() {
    let test = LoggedIn::new().saved();
    let accepts = test.login.site.accepts();
    test.browser.signal(Signal::KILL);
    let again = wait_for("Chromium is started again", SOON, || {
        test.env
            .browsers()
            .into_iter()
            .find(|browser| *browser != test.browser)
    });
    assert!(test.keeper.lives(), "the keeper stays");
    assert_eq!(again.profile(), Some("work"));
    assert_eq!(test.env.eval("work", "1"), 1);
    assert_eq!(
        test.login.site.accepts(),
        accepts,
        "restoring must not touch the network"
    );
    test.finds_the_login();
}

/// The keeper hears at once that it is to stop, and that the browser's services have ended with the browser.
#[test]
fn kill_9_of_all_of_chromium_and_a_signal_for_the_keeper_at_once() {
    let test = LoggedIn::new().saved();
    test.keeper.signal(Signal::STOP);
    for process in test.env.chromium_processes() {
        process.signal(Signal::KILL);
    }
    test.keeper.signal(Signal::TERM);
    test.keeper.signal(Signal::CONT);
    test.is_still_logged_in();
}

#[test]
fn kill_9_of_chromium_and_then_a_signal_for_the_keeper() {
    let test = LoggedIn::new().saved();
    test.browser.signal(Signal::KILL);
    test.keeper.signal(Signal::TERM);
    test.is_still_logged_in();
}
