//! What a token must allow for a call.

use std::collections::BTreeSet;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Call, Reach};

/// One thing that a token allows.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    /// Reading pages and lists.
    Read,
    /// Changing pages, tabs and sessions.
    Write,
    /// Deleting what cannot be restored.
    Destroy,
    /// Running JavaScript, programs and tests.
    Code,
    /// The DevTools protocol of a session.
    Cdp,
    /// Logging in with secrets, and cookies as data.
    Secrets,
    /// Paths on the server's disk.
    Files,
    /// Tasks in words, whose model its user pays for.
    Agent,
    /// Tokens, the audit log, and the end of the server.
    Admin,
}

impl Permission {
    /// All of them, weakest first.
    pub const ALL: &'static [Self] = &[
        Self::Read,
        Self::Write,
        Self::Destroy,
        Self::Code,
        Self::Cdp,
        Self::Secrets,
        Self::Files,
        Self::Agent,
        Self::Admin,
    ];

    /// What an operation of this reach needs.
    #[must_use]
    pub const fn of(reach: Reach) -> Self {
        match reach {
            Reach::Read => Self::Read,
            Reach::Write => Self::Write,
            Reach::Destroy => Self::Destroy,
        }
    }

    /// Its name in a token.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Destroy => "destroy",
            Self::Code => "code",
            Self::Cdp => "cdp",
            Self::Secrets => "secrets",
            Self::Files => "files",
            Self::Agent => "agent",
            Self::Admin => "admin",
        }
    }
}

impl Call {
    /// Everything that this call needs: what its operation needs, and what its input asks for.
    #[must_use]
    pub fn permissions(&self) -> BTreeSet<Permission> {
        self.permissions_with(&[])
    }

    /// The same for a call that brings these files itself.
    #[must_use]
    pub fn permissions_with(&self, brought: &[PathBuf]) -> BTreeSet<Permission> {
        let mut call = self.clone();
        let mut needed = BTreeSet::from([call.spec().needs]);
        needed.extend(call.input().needs());
        call.input_mut().each_path(&mut |path| {
            if !brought.contains(path) {
                needed.insert(Permission::Files);
            }
        });
        needed
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn check(name: &str, input: Value, expected: &[Permission]) {
        let call = Call::decode(name, input).unwrap();
        let needed: Vec<Permission> = call.permissions().into_iter().collect();
        assert_eq!(needed, expected, "{name}");
    }

    #[test]
    fn a_call_needs_what_its_operation_and_its_input_need() {
        use Permission::{Agent, Cdp, Code, Destroy, Files, Read, Secrets, Write};
        check("browser_snapshot", json!({}), &[Read]);
        check(
            "browser_navigate",
            json!({"url": "https://a.example"}),
            &[Write],
        );
        check("session_delete", json!({"session": "a"}), &[Destroy]);
        check("browser_run_code", json!({"code": "1"}), &[Code]);
        check("session_endpoint", json!({}), &[Cdp]);
        check("browser_pdf", json!({"path": "a.pdf"}), &[Read, Files]);
        check("session_open", json!({"raw_port": 9222}), &[Write, Cdp]);
        check(
            "session_open",
            json!({"extensions": ["a"]}),
            &[Write, Files],
        );
        check(
            "session_state",
            json!({"action": "export", "path": "a"}),
            &[Secrets, Files],
        );
        let recipe = json!({"recipe": "a", "urls": ["https://a.example"]});
        check("workflow_scrape", recipe, &[Read, Write]);
        check("agent_run", json!({"task": "a"}), &[Read, Write, Agent]);
        check(
            "agent_run",
            json!({"task": "a", "secrets": ["b"]}),
            &[Read, Write, Secrets, Agent],
        );
    }

    #[test]
    fn files_that_come_with_the_call_need_no_permission_and_others_do() {
        use Permission::{Files, Write};
        let input = json!({"kind": "upload", "selector": "input", "paths": ["/in/a", "/in/b"]});
        let call = Call::decode("browser_act", input).unwrap();
        let brought = |paths: &[&str]| {
            let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            call.permissions_with(&paths)
                .into_iter()
                .collect::<Vec<_>>()
        };
        assert_eq!(brought(&["/in/a", "/in/b"]), [Write]);
        assert_eq!(brought(&["/in/a"]), [Write, Files]);
    }

    #[test]
    fn a_batch_needs_what_its_steps_need() {
        use Permission::{Code, Read, Write};
        let steps = json!([
            {"tool": "browser_snapshot"},
            {"tool": "browser_run_code", "input": {"code": "1"}},
            {"tool": "nothing", "input": {}},
        ]);
        check(
            "browser_batch",
            json!({"steps": steps}),
            &[Read, Write, Code],
        );
    }

    #[test]
    fn whatever_may_fill_in_secrets_is_told_that_it_must_not() {
        let recipe = json!({"name": "a"});
        let steps = json!([{"tool": "recipe_run", "input": recipe}]);
        for (name, input, at) in [
            ("recipe_run", recipe, "/no_secrets"),
            ("workflow_scrape", json!({"recipe": "a"}), "/no_secrets"),
            (
                "browser_batch",
                json!({"steps": steps}),
                "/steps/0/input/no_secrets",
            ),
        ] {
            // Nobody can allow it to themselves.
            let mut call = Call::decode(name, input).unwrap();
            call.input_mut().without_secrets();
            let encoded = call.encode().unwrap();
            assert_eq!(encoded.pointer(at), Some(&json!(true)), "{encoded}");
        }
    }

    #[test]
    fn names_are_those_on_the_wire() {
        for permission in Permission::ALL {
            assert_eq!(json!(permission), json!(permission.name()));
        }
    }
}
