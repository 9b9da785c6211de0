//! Which operations a client is shown: each one costs a model attention before it does anything.

use crate::{Failure, Spec, catalogue};

/// What most tasks need; everything else is there when it is asked for.
const DEFAULT: [&str; 11] = [
    "session_open",
    "session_close",
    "session_list",
    "browser_navigate",
    "browser_snapshot",
    "browser_act",
    "browser_find",
    "browser_extract",
    "browser_screenshot",
    "browser_tabs",
    "browser_run_code",
];

/// Sets by name, for help texts.
pub const SETS: [(&str, &str); 5] = [
    ("default", "what most tasks need"),
    ("all", "every operation on sessions and pages"),
    ("session", "every operation on sessions"),
    ("workflow", "signing in, filling forms, collecting content"),
    ("browser", "every operation on pages"),
];

/// The operations of these sets and single operations, in the catalogue's order.
///
/// # Errors
/// `INVALID_INPUT` for a name that is neither, with those there are.
pub fn select<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Vec<&'static Spec>, Failure> {
    let names: Vec<&str> = names.into_iter().collect();
    let known =
        |name: &str| SETS.iter().any(|(set, _)| *set == name) || catalogue::find(name).is_some();
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        return Err(unknown_set(unknown));
    }
    let chosen = |spec: &&Spec| names.iter().any(|name| has(name, spec.name));
    Ok(catalogue::specs().iter().filter(chosen).collect())
}

/// Whether an operation is in a set, or is the one of this name.
fn has(set: &str, operation: &str) -> bool {
    match set {
        "default" => DEFAULT.contains(&operation),
        // The workflows are long to describe, and made of the others.
        "all" => !operation.starts_with("workflow_"),
        "session" => operation.starts_with("session_"),
        "workflow" => operation.starts_with("workflow_"),
        "browser" => operation.starts_with("browser_"),
        name => name == operation,
    }
}

fn unknown_set(name: &str) -> Failure {
    let sets: Vec<String> = SETS.iter().map(|(set, _)| format!("`{set}`")).collect();
    let shown: String = name.chars().take(60).collect();
    Failure::invalid(format!("there is no set or operation `{shown}`")).hint(format!(
        "sets are {}; single operations have names such as `browser_navigate`",
        sets.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> Vec<&'static str> {
        let chosen = select(words.iter().copied()).unwrap();
        chosen.iter().map(|spec| spec.name).collect()
    }

    #[test]
    fn sets_and_single_operations_add_up() {
        assert_eq!(names(&["all", "workflow"]).len(), catalogue::specs().len());
        assert_eq!(names(&["workflow"]).len(), 3);
        let both = names(&["browser_pdf", "session"]);
        assert!(both.contains(&"browser_pdf") && both.contains(&"session_state"));
        assert!(!both.contains(&"browser_navigate"));
        assert!(names(&["default"]).contains(&"browser_navigate"));
        assert!(!names(&["default"]).contains(&"browser_batch"));
        assert_eq!(names(&[]).len(), 0);
        let error = match select(["brwoser"]) {
            Err(error) => error.to_string(),
            Ok(_) => String::new(),
        };
        assert!(error.contains("`default`"), "{error}");
    }
}
