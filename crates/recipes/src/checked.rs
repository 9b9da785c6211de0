//! Whether a recipe can know at its end that it has done what it is for.

use crate::recipe::{Do, Expect, Recipe, Step};

/// Whether the last step shows that it was done: it says what has to be so afterwards, or cannot succeed
/// otherwise.
#[must_use]
pub fn ends_checked(recipe: &Recipe) -> bool {
    checked(&recipe.steps)
}

fn checked(steps: &[Step]) -> bool {
    steps.last().is_some_and(|last| {
        let expects = last.expect.as_ref().is_some_and(Expect::shows);
        expects
            || match last.act {
                Do::Navigate | Do::Extract | Do::Select | Do::Check | Do::Uncheck => true,
                Do::Repeat => last.until.is_some(),
                Do::Each => checked(&last.steps),
                // What another recipe ends with is not known here.
                Do::Use => false,
                Do::Click
                | Do::Fill
                | Do::Type
                | Do::Press
                | Do::Hover
                | Do::Drag
                | Do::Upload
                | Do::Wait => false,
            }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn a_recipe_is_checked_by_its_last_step() {
        let check = |steps: &str, expected: bool| {
            let text = format!("[recipe]\nname = \"a\"\nsite = \"https://a.example\"\n{steps}");
            let recipe = parse(&text, "a.toml").unwrap();
            assert_eq!(ends_checked(&recipe), expected, "{steps}");
        };
        let click = "[[step]]\ndo = \"click\"\non = { name = \"Send\" }\n";
        check(click, false);
        let expects = format!("{click}expect = {{ text = \"Sent\" }}\n");
        check(&expects, true);
        check(&format!("{expects}{click}"), false);
        check(&format!("{click}expect = {{ seconds = 5 }}\n"), false);
        let state = format!("{click}expect = {{ state = {{ pressed = true }} }}\n");
        check(&state, true);
        // Something else may have changed than was meant to.
        check(&format!("{click}expect = {{ changes = true }}\n"), false);
        check("[[step]]\ndo = \"navigate\"\nvalue = \"/a\"", true);
        check("[[step]]\ndo = \"check\"\non = { name = \"Yes\" }", true);
        check("[[step]]\ndo = \"use\"\nvalue = \"b\"", false);
        let each =
            "[[step]]\ndo = \"each\"\n[[step.steps]]\ndo = \"click\"\non = { name = \"Open\" }";
        check(each, false);
    }
}
