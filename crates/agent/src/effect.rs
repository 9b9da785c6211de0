//! What a task has done so far: a failure in its middle must not say that repeating it is safe.

use szk_tools::browser::TabsAction;
use szk_tools::{Call, Done, Failure, TabUse};

/// What was done so far.
#[derive(Debug, Default)]
pub(crate) struct Effect {
    done: bool,
    /// Whether it is not known of something.
    unknown: bool,
}

impl Effect {
    /// Takes note of what came of something that may change pages, sessions or the world.
    pub(crate) fn note(&mut self, came: Result<(), &Failure>) {
        match came.map_or_else(|failure| failure.effect, |()| Done::Done) {
            Done::None => {}
            Done::Done => self.done = true,
            Done::Unknown => self.unknown = true,
        }
    }

    /// A failure of the whole task. Repeating the task would do again what was done.
    pub(crate) fn of_task(&self, mut failure: Failure) -> Failure {
        failure.effect = match (self.done, self.unknown, failure.effect) {
            (true, ..) | (_, _, Done::Done) => Done::Done,
            (_, true, _) | (_, _, Done::Unknown) => Done::Unknown,
            (false, false, Done::None) => Done::None,
        };
        failure.retryable &= failure.effect == Done::None;
        failure
    }
}

/// Whether a call only looks at pages and tabs.
pub(crate) fn only_looks(call: &Call) -> bool {
    match call {
        Call::BrowserTabs(input) => {
            matches!(input.action.unwrap_or_default(), TabsAction::List)
        }
        Call::BrowserRunCode(input) => input.reads == Some(true),
        call => call.tab_use() == TabUse::Reads,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use szk_tools::Code;

    use super::*;

    fn call(name: &str, input: Value) -> Call {
        Call::decode(name, input).unwrap()
    }

    #[test]
    fn looking_is_no_effect() {
        let check = |name: &str, input: Value, expected: bool| {
            assert_eq!(only_looks(&call(name, input)), expected, "{name}");
        };
        check("browser_snapshot", json!({}), true);
        check("browser_find", json!({"text": "a"}), true);
        check("browser_screenshot", json!({}), true);
        check("browser_tabs", json!({}), true);
        check("browser_tabs", json!({"action": "close"}), false);
        check(
            "browser_run_code",
            json!({"code": "1", "reads": true}),
            true,
        );
        check("browser_act", json!({"kind": "click", "ref": "e1"}), false);
        check(
            "browser_navigate",
            json!({"url": "https://a.example"}),
            false,
        );
        check("browser_batch", json!({"steps": []}), false);
        check("browser_arm", json!({"event": "dialog"}), false);
        check("workflow_login", json!({"secret": "a"}), false);
        check("recipe_run", json!({"name": "a"}), false);
    }

    #[test]
    fn a_task_that_has_done_something_is_not_repeated() {
        let failure = |effect| {
            Failure::new(Code::ModelFailed, "x")
                .retryable()
                .effect(effect)
        };
        let check = |came: &[Done], effect: Done, expected: (Done, bool)| {
            let mut so_far = Effect::default();
            for one in came {
                let failed = failure(*one);
                so_far.note(match one {
                    Done::Done => Ok(()),
                    _ => Err(&failed),
                });
            }
            let failed = so_far.of_task(failure(effect));
            assert_eq!((failed.effect, failed.retryable), expected, "{came:?}");
        };
        check(&[], Done::None, (Done::None, true));
        check(&[Done::None], Done::None, (Done::None, true));
        check(&[Done::Done, Done::None], Done::None, (Done::Done, false));
        check(&[Done::Unknown], Done::None, (Done::Unknown, false));
        check(
            &[Done::Unknown, Done::Done],
            Done::None,
            (Done::Done, false),
        );
        check(&[], Done::Unknown, (Done::Unknown, false));
    }
}
