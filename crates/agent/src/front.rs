//! Where a task came from, and what the person there can do about a step that waits for an approval.

use szk_tools::{Code, Failure};

use crate::running::Running;
use crate::task::Outcome;
use crate::tools;

/// Most steps that are named as not approved.
const NAMED: usize = 10;

/// Where a task came from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Front {
    /// A Rust program.
    #[default]
    Program,
    /// `szk do`.
    Terminal,
    /// `agent_run` over MCP.
    Mcp,
    /// `POST /v1/sessions/{session}/tasks`.
    Http,
}

impl Front {
    /// How a person lets steps of these kinds happen.
    fn approving(self, kinds: &str) -> String {
        let terminal = format!("`szk do` with `--approve {kinds}` in a terminal");
        match self {
            Self::Program => {
                format!("the program agrees by `approve` of its task, with {kinds}, or by `agree`")
            }
            Self::Terminal => {
                format!("the person can give the task again with `--approve {kinds}`")
            }
            Self::Mcp => format!(
                "nobody is asked in a task of `agent_run`: a person can answer in a live view that is open meanwhile (`session_handoff`), or give the task to {terminal}"
            ),
            Self::Http => format!(
                "nobody is asked in a task over HTTP: a person can answer in a live view that is open meanwhile (`POST /v1/sessions/{{session}}/handoff`), or give the task to {terminal}"
            ),
        }
    }
}

impl Front {
    /// A failure of a run that has begun, which can go on: what was done need not be done again.
    pub(crate) fn can_go_on(self, failure: Failure, run: &Outcome) -> Failure {
        // Nothing is missing but the record of it.
        if run.done {
            return failure;
        }
        let (id, session) = (&run.run, &run.session);
        let how = match self {
            Self::Program => {
                format!("go on with `resume` of the agent: run `{id}` of the session `{session}`")
            }
            Self::Terminal => format!("go on with `szk runs resume {id} -s {session}`"),
            Self::Mcp | Self::Http => {
                format!("a person can go on with `szk runs resume {id} -s {session}` in a terminal")
            }
        };
        let hint = match &failure.hint {
            Some(hint) => format!("{hint}; then {how}"),
            None => how,
        };
        Failure {
            run: Some(id.as_str().into()),
            ..failure
        }
        .hint(hint)
    }
}

impl Running<'_> {
    /// A failure as the model hears it: page text as data, and only hints that it can follow. What lacked an
    /// approval is noted for the person.
    pub(super) fn heard(&mut self, failure: Failure) -> Failure {
        if failure.code == Code::NeedsApproval {
            return self.unapproved(failure);
        }
        let failure = tools::fitting(failure, &self.tools);
        // Hints name what a page shows.
        let hint = failure.hint.iter().map(|hint| format!("\nhint: {hint}"));
        let said = format!("{}{}", failure.message, hint.collect::<String>());
        Failure {
            message: self.fence.around(&said),
            hint: None,
            ..failure
        }
    }

    fn unapproved(&mut self, failure: Failure) -> Failure {
        let how = self.agent.front.approving(&failure.approve.join(","));
        let known = &mut self.outcome.unapproved;
        let what = format!("{}; {how}", szk_text::line(&failure.message, 400));
        if known.len() < NAMED && !known.contains(&what) {
            known.push(what);
        }
        let message = self.fence.around(&failure.message);
        Failure { message, ..failure }.hint(format!(
            "do it another way, or end with `done` and say so: {how}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_front_names_what_its_person_can_do() {
        for (front, expected) in [
            (Front::Terminal, "again with `--approve submit,login`"),
            (Front::Mcp, "`session_handoff`"),
            (Front::Http, "POST /v1/sessions/{session}/handoff"),
            (Front::Program, "`agree`"),
        ] {
            let said = front.approving("submit,login");
            assert!(said.contains(expected), "{said}");
        }
    }

    #[test]
    fn each_front_says_how_a_run_goes_on() {
        let outcome = |done| Outcome {
            run: "r1".to_owned(),
            session: "work".to_owned(),
            done,
            ..Outcome::default()
        };
        let failed = || Failure::new(Code::ModelFailed, "x").hint("wait a little");
        let resume = "`szk runs resume r1 -s work`";
        for (front, expected) in [
            (
                Front::Terminal,
                format!("wait a little; then go on with {resume}"),
            ),
            (
                Front::Mcp,
                format!("wait a little; then a person can go on with {resume} in a terminal"),
            ),
            (
                Front::Http,
                format!("wait a little; then a person can go on with {resume} in a terminal"),
            ),
        ] {
            let failure = front.can_go_on(failed(), &outcome(false));
            assert_eq!(failure.hint, Some(expected));
            assert_eq!(failure.run.unwrap().to_string(), "r1");
        }
        let program = Front::Program.can_go_on(failed(), &outcome(false));
        assert!(program.hint.is_some_and(|hint| hint.contains("`resume`")));
        // A run that is done cannot be resumed.
        assert_eq!(
            Front::Terminal.can_go_on(failed(), &outcome(true)),
            failed()
        );
    }
}
