//! Where a task came from, and what the person there can do about a step that waits for an approval.

use szk_tools::{Code, Failure};

use crate::running::Running;
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
}
