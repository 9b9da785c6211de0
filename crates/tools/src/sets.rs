//! Sets of operations: every tool shown to a model costs attention before it does anything.

use crate::{Failure, Set, Spec, catalogue};

/// Names of the sets and their descriptions, for help texts.
pub const SETS: [(&str, &str); 7] = [
    ("default", "what most tasks need"),
    ("all", "every operation"),
    ("session", "every operation on sessions"),
    ("workflow", "signing in, filling forms, collecting content"),
    ("browser", "every operation on pages"),
    ("recipe", "replaying what was done once"),
    ("test", "running files and tests with Playwright"),
];

/// The operations in these sets, and those named singly, in the catalogue's order.
///
/// # Errors
/// `INVALID_INPUT` for a name that is neither; the hint lists the sets.
pub fn select<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Vec<&'static Spec>, Failure> {
    let names: Vec<&str> = names.into_iter().collect();
    let known =
        |name: &str| SETS.iter().any(|(set, _)| *set == name) || catalogue::find(name).is_some();
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        return Err(unknown_set(unknown));
    }
    let chosen = |spec: &&Spec| names.iter().any(|name| has(name, spec));
    Ok(catalogue::specs().iter().filter(chosen).collect())
}

/// Whether an operation is in this set, or has this name.
fn has(set: &str, spec: &Spec) -> bool {
    match set {
        "default" => spec.sets.contains(&Set::Default),
        "all" => true,
        "session" => spec.name.starts_with("session_"),
        "workflow" => spec.name.starts_with("workflow_"),
        "recipe" => spec.name.starts_with("recipe_"),
        "browser" => spec.name.starts_with("browser_"),
        "test" => spec.sets.contains(&Set::Test),
        name => name == spec.name,
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
        assert_eq!(names(&["all"]).len(), catalogue::specs().len());
        assert_eq!(
            names(&["test"]),
            ["session_run_test", "browser_run_file", "browser_run_test"]
        );
        assert!(names(&["all"]).contains(&"browser_run_test"));
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
