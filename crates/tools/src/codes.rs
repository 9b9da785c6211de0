//! Which failures an operation can end with, for descriptions of the API. Most follow from what the operation
//! works on.

use crate::{Code, Reach, Scope, Spec, Subject};

impl Spec {
    /// The codes that a call of this operation can fail with, in the order of the table of codes.
    #[must_use]
    pub fn codes(&self) -> Vec<Code> {
        let all = Code::ALL.iter().copied();
        all.filter(|code| self.fails.contains(code) || self.can_fail_with(*code))
            .collect()
    }

    fn can_fail_with(&self, code: Code) -> bool {
        match code {
            Code::InvalidInput
            | Code::SessionNotFound
            | Code::PolicyDenied
            | Code::Unauthorized
            | Code::LimitReached
            | Code::InvalidConfig
            | Code::Storage
            | Code::Timeout
            | Code::Cancelled
            | Code::Internal => true,
            // Only reading lists needs nothing of a session.
            Code::SessionBusy | Code::ProfileLocked | Code::ProfileUnusable => {
                self.scope != Scope::Store || self.reach != Reach::Read
            }
            Code::BrowserCrashed | Code::NotFound | Code::NeedsApproval => {
                self.scope != Scope::Store
            }
            Code::OptionsDiffer | Code::SessionLimit | Code::Draining | Code::BrowserNotFound => {
                self.scope == Scope::Opens
            }
            Code::NavigationFailed
            | Code::ScriptFailed
            | Code::Ambiguous
            | Code::RefStale
            | Code::ClickIntercepted
            | Code::NotActionable
            | Code::TabTaken => self.subject != Subject::Sessions,
            // The operations that use recipes and models say so.
            Code::RecipeStale | Code::ModelFailed => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_fails_only_over_what_it_works_on() {
        let codes = |name: &str| crate::find(name).unwrap().codes();
        let list = codes("session_list");
        assert!(list.contains(&Code::SessionNotFound) && !list.contains(&Code::BrowserCrashed));
        let open = codes("session_open");
        assert!(open.contains(&Code::BrowserNotFound) && !open.contains(&Code::RefStale));
        let close = codes("session_close");
        assert!(close.contains(&Code::SessionBusy) && !close.contains(&Code::Draining));
        assert!(codes("browser_act").contains(&Code::ClickIntercepted));
        assert!(codes("recipe_run").contains(&Code::RecipeStale));
        // Each code belongs to something.
        for code in Code::ALL {
            let of_it = |spec: &Spec| spec.codes().contains(code);
            assert!(crate::specs().iter().any(of_it), "{code:?}");
        }
    }
}
