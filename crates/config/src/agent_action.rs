//! `[agent.actions]`: what the model of a task may do besides szk's own operations.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::InvalidValue;
use crate::check::Checked;

/// Seconds that a program may take if its action does not say.
const SECONDS: u64 = 60;
/// Longest name: providers take no longer ones.
const LONGEST: usize = 64;

/// One action: a program or a recipe.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentAction {
    /// The description that the model reads.
    pub about: String,
    /// The program and its arguments.
    pub command: Option<Vec<String>>,
    /// The recipe.
    pub recipe: Option<String>,
    /// JSON schema of what the model gives; a recipe has parameters of its own.
    pub parameters: Option<Value>,
    /// Whether the person is asked before each call.
    #[serde(default = "asks")]
    pub ask: bool,
    /// Seconds (1 to 3600) that the program may take.
    #[serde(default = "seconds")]
    pub timeout: u64,
}

fn asks() -> bool {
    true
}

fn seconds() -> u64 {
    SECONDS
}

/// Actions with usable names that each do one thing.
pub(crate) fn check(actions: &BTreeMap<String, AgentAction>) -> Checked {
    actions.iter().try_for_each(|(name, action)| {
        wrong(name, action).map_or(Ok(()), |why| {
            Err(InvalidValue::new(format!("`{name}`: {why}")))
        })
    })
}

fn wrong(name: &str, action: &AgentAction) -> Option<&'static str> {
    let known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let named = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.len() <= LONGEST
        && name.bytes().all(known);
    if !named {
        return Some(
            "a name has at most 64 lower-case letters, digits and `_`, and begins with a letter",
        );
    }
    if action.about.trim().is_empty() {
        return Some("`about` tells the model what it does, and cannot be empty");
    }
    if !(1..=3600).contains(&action.timeout) {
        return Some("`timeout` is 1 to 3600 seconds");
    }
    match (&action.command, &action.recipe) {
        (Some(command), None) if command.first().is_none_or(|program| program.is_empty()) => {
            Some("`command` begins with a program")
        }
        (Some(command), None) if command[0].contains('/') && !command[0].starts_with('/') => {
            Some("the program is an absolute path, or a name that is looked up in PATH")
        }
        (Some(_), None) => {
            let is_object = |schema: &Value| schema["type"] == "object";
            let fits = action.parameters.as_ref().is_none_or(is_object);
            (!fits).then_some("`parameters` is a JSON schema with `type = \"object\"`")
        }
        (None, Some(recipe)) if recipe.is_empty() => Some("`recipe` names a recipe"),
        (None, Some(_)) => action
            .parameters
            .is_some()
            .then_some("a recipe has `parameters` of its own"),
        _ => Some("an action has either `command` or `recipe`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_a_program_or_a_recipe() {
        let check = |text: &str, expected: Option<&str>| {
            let actions: BTreeMap<String, AgentAction> = toml::from_str(text).unwrap();
            let found = check(&actions).err().map(|wrong| wrong.to_string());
            let fits = match (&found, expected) {
                (Some(found), Some(expected)) => found.contains(expected),
                (found, expected) => found.as_deref() == expected,
            };
            assert!(fits, "{text}: {found:?}");
        };
        let program = "about = 'x'\ncommand = ['/bin/x', 'a']\n";
        check(&format!("[look_up]\n{program}"), None);
        check("[a]\nabout = 'x'\nrecipe = 'order'\nask = false", None);
        check("[a]\nabout = 'x'\ncommand = ['jq']\ntimeout = 5", None);
        check(&format!("[Look]\n{program}"), Some("lower-case"));
        check(&format!("[1a]\n{program}"), Some("begins with a letter"));
        check("[a]\nabout = ' '\ncommand = ['jq']", Some("`about`"));
        check("[a]\nabout = 'x'", Some("either"));
        check(
            "[a]\nabout = 'x'\ncommand = ['jq']\nrecipe = 'x'",
            Some("either"),
        );
        check("[a]\nabout = 'x'\ncommand = []", Some("begins with"));
        check("[a]\nabout = 'x'\ncommand = ['./x']", Some("absolute"));
        check(
            "[a]\nabout = 'x'\ncommand = ['jq']\ntimeout = 0",
            Some("1 to 3600"),
        );
        check(
            "[a]\nabout = 'x'\ncommand = ['jq']\nparameters = { type = 'string' }",
            Some("type = \"object\""),
        );
        check(
            "[a]\nabout = 'x'\nrecipe = 'x'\nparameters = { type = 'object' }",
            Some("of its own"),
        );
        let action: BTreeMap<String, AgentAction> =
            toml::from_str(&format!("[a]\n{program}")).unwrap();
        assert!(action["a"].ask && action["a"].timeout == SECONDS);
    }
}
