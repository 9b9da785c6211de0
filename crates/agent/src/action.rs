//! Actions of a program's own, which a model may call besides the operations of szk.

use serde_json::{Map, Value};
use szk_tools::{Failure, find};

use crate::actions::Configured;
use crate::model::{BoxFuture, Tool};
use crate::tools::{ASK, CODE, DONE, REMEMBER};

/// Something that a program lets the model do. What comes of it is data to the model, like what pages say.
pub trait Action: Send + Sync {
    /// What the model is told of it: name, description, and the schema of its arguments.
    fn tool(&self) -> Tool;

    /// Does it; the arguments are as the model gave them, and not yet checked.
    fn call<'a>(
        &'a self,
        arguments: &'a Map<String, Value>,
    ) -> BoxFuture<'a, Result<String, Failure>>;
}

/// Checks that no action has the name of something else.
///
/// # Errors
/// `INVALID_INPUT` for one that has.
pub(crate) fn check(actions: &[&dyn Action], configured: &[Configured]) -> Result<(), Failure> {
    let mut names: Vec<String> = Vec::new();
    let own = actions.iter().map(|action| action.tool().name);
    for name in own.chain(configured.iter().map(|action| action.name.clone())) {
        let taken = [DONE, CODE, ASK, REMEMBER].contains(&&*name) || find(&name).is_some();
        if taken || names.contains(&name) {
            let message = format!("an action cannot be named `{}`", szk_text::line(&name, 60));
            return Err(Failure::invalid(message).hint("give it a name that nothing else has"));
        }
        names.push(name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Named(&'static str);

    impl Action for Named {
        fn tool(&self) -> Tool {
            Tool {
                name: self.0.to_owned(),
                description: String::new(),
                parameters: Value::Null,
            }
        }

        fn call<'a>(&'a self, _: &'a Map<String, Value>) -> BoxFuture<'a, Result<String, Failure>> {
            Box::pin(std::future::ready(Ok(String::new())))
        }
    }

    #[test]
    fn the_name_of_an_action_is_its_own() {
        for (names, expected) in [
            (["look_up", "send_mail"], true),
            (["look_up", "look_up"], false),
            (["look_up", "done"], false),
            (["remember", "look_up"], false),
            (["browser_act", "look_up"], false),
            // Not offered to a model, but models know it.
            (["session_close", "look_up"], false),
        ] {
            let [a, b] = names.map(Named);
            assert_eq!(check(&[&a, &b], &[]).is_ok(), expected, "{names:?}");
        }
    }
}
