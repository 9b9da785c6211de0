//! Who is right when the profile and the saved state differ.

use std::collections::HashSet;

use jiff::Timestamp;

use super::schema::Cookie;

/// What of a saved state goes into the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// All of it, over what is there: the profile is new, or a state is imported into it.
    FillEverything,
    /// All of it, over what is there, save for databases of a newer version: the state was saved after
    /// the profile's files were written for the last time.
    PreferSaved,
    /// What the profile does not have: it ended without order and may have lost its last seconds.
    FillMissing,
    /// What a profile never keeps: session cookies, sessionStorage and tabs.
    SessionOnly,
}

/// Decides from when the profile's files were last written (`None`: there are none, or none of that
/// kind), when the state was saved (`None`: somebody else's file) and whether it was saved at an
/// orderly end.
///
/// The files' time must be taken before Chromium is started: it writes at once.
#[must_use]
pub fn policy_for(
    profile_files: Option<Timestamp>,
    saved: Option<Timestamp>,
    clean: bool,
) -> Policy {
    match (profile_files, saved) {
        (None, _) => Policy::FillEverything,
        (Some(_), Some(_)) if clean => Policy::SessionOnly,
        (Some(files), Some(saved)) if saved > files => Policy::PreferSaved,
        (Some(_), _) => Policy::FillMissing,
    }
}

/// The saved cookies that go into the browser, which has the cookies `present`.
#[must_use]
pub fn cookies_to_restore(
    saved: &[Cookie],
    present: &[Cookie],
    policy: Policy,
    now: Timestamp,
) -> Vec<Cookie> {
    let known: HashSet<_> = present.iter().map(identity).collect();
    let now = now.as_duration().as_secs_f64();
    let wanted = |cookie: &&Cookie| match policy {
        _ if !cookie.is_session() && cookie.expires <= now => false,
        Policy::FillEverything | Policy::PreferSaved => true,
        Policy::FillMissing => !known.contains(&identity(cookie)),
        Policy::SessionOnly => cookie.is_session() && !known.contains(&identity(cookie)),
    };
    saved.iter().filter(wanted).cloned().collect()
}

/// What Chromium keeps cookies apart by.
fn identity(cookie: &Cookie) -> (&str, &str, &str, Option<(&str, bool)>) {
    let ancestor = cookie.has_cross_site_ancestor.unwrap_or(true);
    let partition = cookie.partition_key.as_deref().map(|site| (site, ancestor));
    (&cookie.domain, &cookie.path, &cookie.name, partition)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn the_newer_one_is_right() {
        let check = |files: Option<i64>, saved: Option<i64>, clean, expected| {
            assert_eq!(
                policy_for(files.map(at), saved.map(at), clean),
                expected,
                "{files:?} {saved:?} {clean}"
            );
        };
        check(None, None, false, Policy::FillEverything);
        check(None, Some(5), false, Policy::FillEverything);
        check(None, Some(5), true, Policy::FillEverything);
        check(Some(5), Some(4), true, Policy::SessionOnly);
        check(Some(5), Some(9), true, Policy::SessionOnly);
        check(Some(5), Some(4), false, Policy::FillMissing);
        check(Some(5), Some(5), false, Policy::FillMissing);
        check(Some(5), Some(6), false, Policy::PreferSaved);
        check(Some(5), None, false, Policy::FillMissing);
        check(Some(5), None, true, Policy::FillMissing);
    }

    fn cookie(name: &str, value: &str, expires: f64) -> Cookie {
        let json = serde_json::json!({"name": name, "value": value, "domain": "x.test", "expires": expires});
        serde_json::from_str(&json.to_string()).unwrap()
    }

    #[test]
    fn cookies_follow_the_policy() {
        let saved = [
            cookie("session", "old", -1.0),
            cookie("session-new", "old", -1.0),
            cookie("kept", "old", 2000.0),
            cookie("kept-new", "old", 2000.0),
            cookie("over", "old", 999.0),
        ];
        let present = [
            cookie("session", "new", -1.0),
            cookie("kept", "new", 2000.0),
        ];
        let check = |policy, expected: &[&str]| {
            let names: Vec<_> = cookies_to_restore(&saved, &present, policy, at(1000))
                .into_iter()
                .map(|cookie| cookie.name)
                .collect();
            assert_eq!(names, expected, "{policy:?}");
        };
        check(
            Policy::FillEverything,
            &["session", "session-new", "kept", "kept-new"],
        );
        check(
            Policy::PreferSaved,
            &["session", "session-new", "kept", "kept-new"],
        );
        check(Policy::FillMissing, &["session-new", "kept-new"]);
        check(Policy::SessionOnly, &["session-new"]);
    }

    #[test]
    fn partitions_are_different_cookies() {
        let saved = [Cookie {
            partition_key: Some("https://top.test".into()),
            ..cookie("a", "1", -1.0)
        }];
        let present = [cookie("a", "1", -1.0)];
        assert_eq!(
            cookies_to_restore(&saved, &present, Policy::FillMissing, at(0)).len(),
            1
        );
        // Playwright writes no ancestor bit for some, and means true.
        let same = [Cookie {
            has_cross_site_ancestor: Some(true),
            ..saved[0].clone()
        }];
        assert_eq!(
            cookies_to_restore(&saved, &same, Policy::FillMissing, at(0)).len(),
            0
        );
    }
}
