//! What an output says about itself, so that no front end looks into its fields.

use serde::{Deserialize, Serialize};

/// Questions that every operation's output answers, each beside its own fields.
pub trait Output {
    /// The session that the call was about.
    fn session(&self) -> Option<&str>;

    /// What became of that session as a whole.
    fn change(&self) -> Option<SessionChange> {
        None
    }
}

/// What a call did to a session as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionChange {
    /// It was opened by this call, under the name that the answer gives.
    Started,
    /// It was closed.
    Closed,
}

/// Implements [`Output::session`] for an output with a field of that name.
macro_rules! about_session {
    () => {
        fn session(&self) -> Option<&str> {
            Some(&self.session)
        }
    };
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::session::{Close, CloseOutput, Handoff, Open, OpenOutput};
    use crate::{Response, SessionChange};

    #[test]
    fn an_answer_says_its_session_and_what_became_of_it() {
        let opened = |started: &str| {
            let output = serde_json::from_value::<OpenOutput>(json!({
                "session": "work-1", "started": started, "mode": "headless", "browser": "Chromium",
                "keeper_pid": 1, "tabs": [], "identity": [],
            }));
            let answer = Response::of::<Open>("", &output.unwrap()).unwrap();
            assert_eq!(answer.session.as_deref(), Some("work-1"));
            answer.change
        };
        assert_eq!(opened("started"), Some(SessionChange::Started));
        assert_eq!(opened("joined"), None);
        let output = serde_json::from_value::<CloseOutput>(json!({"session": "a", "saved": true}));
        let closed = Response::of::<Close>("", &output.unwrap()).unwrap();
        assert_eq!(closed.change, Some(SessionChange::Closed));
        let output = json!({"session": "a", "state": "waiting", "window": false});
        let waits = Response::of::<Handoff>("", &serde_json::from_value(output).unwrap());
        assert_eq!(waits.unwrap().change, None);
    }
}
