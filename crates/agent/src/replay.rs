//! Recipe first: a task that has a recipe is carried out without a model, which goes on where it stops.

use std::collections::BTreeMap;

use szk_tools::recipe::{
    List, ListInput, RecipeRow, Run as RunRecipe, RunInput as Input, RunOutput as Output,
};
use szk_tools::{Code, Done, Failure};

use crate::agent::Agent;
use crate::model::{Message, Role};
use crate::place::{Place, is_final};
use crate::run::Event;
use crate::running::Running;
use crate::task::{Recipe, Task};
use crate::tools::Claim;

/// Longest description of a recipe, in characters: the words of its task.
pub(crate) const ABOUT: usize = 200;

/// What is said of a recipe that came to its end without anybody knowing what it did.
const UNVERIFIED: &str = "; whether it did what it is for is not known: nothing shows it at its end. Give its last step an `expect`, or configure a model that looks";

/// A recipe that can be replayed now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ready {
    pub(crate) name: String,
    /// The origin that it is for.
    pub(crate) site: String,
    /// Whether its end shows that it was done.
    checked: bool,
    pub(crate) params: BTreeMap<String, String>,
}

/// The description of a recipe that is saved after a task, by which the task finds it again.
pub(crate) fn about(words: &str) -> String {
    szk_text::line(words, ABOUT)
}

impl Agent<'_> {
    /// The recipe of a task: the one that it names, or the one that was saved after a task in the same
    /// words.
    pub(crate) async fn recipe(
        &self,
        task: &Task,
        session: &str,
    ) -> Result<Option<Ready>, Failure> {
        if task.recipe == Recipe::None {
            return Ok(None);
        }
        let input = ListInput {
            session: Some(session.to_owned()),
            ..ListInput::default()
        };
        let answer = self.client.run::<List>(input, &|_| {}).await?;
        chosen(&answer.read::<List>()?.recipes, task)
    }
}

fn chosen(rows: &[RecipeRow], task: &Task) -> Result<Option<Ready>, Failure> {
    let about = about(&task.words);
    match &task.recipe {
        Recipe::None => Ok(None),
        Recipe::Known => {
            let row = rows.iter().find(|row| row.about == about);
            // Without its values it cannot run, and nobody has asked for it.
            Ok(row.and_then(|row| ready(row, &BTreeMap::new(), &task.secrets).ok()))
        }
        Recipe::Named(name, params) => {
            let row = rows.iter().find(|row| row.name == *name).ok_or_else(|| {
                let name = szk_text::line(name, 60);
                Failure::new(Code::NotFound, format!("there is no recipe `{name}`"))
                    .hint("see what there is with `recipe_list` (`szk recipe list`)")
            })?;
            ready(row, params, &task.secrets).map(Some)
        }
    }
}

/// The recipe with all its values. Secrets are only those of the task.
pub(crate) fn ready(
    row: &RecipeRow,
    given: &BTreeMap<String, String>,
    secrets: &[String],
) -> Result<Ready, Failure> {
    let mut params = given.clone();
    for param in &row.secrets {
        if let Some(secret) = params.get(param) {
            if !secrets.contains(secret) {
                return Err(Failure::new(
                    Code::PolicyDenied,
                    format!("the task has not been given the secret for `{param}`"),
                )
                .hint("name it in `secrets` (`--secret`)"));
            }
        } else if let [only] = secrets {
            params.insert(param.clone(), only.clone());
        } else if row.optional.contains(param) {
            return Err(Failure::new(
                Code::PolicyDenied,
                format!("the recipe would use the secret it names for `{param}`"),
            )
            .hint("name it in `secrets` (`--secret`) and in `params` (`--param`)"));
        }
    }
    if let Some(other) = params.keys().find(|name| !row.params.contains(*name)) {
        let message = format!(
            "the recipe `{}` has no parameter `{}`",
            row.name,
            szk_text::line(other, 60)
        );
        let known = match row.params.as_slice() {
            [] => "it has none".to_owned(),
            names => format!("it has: {}", names.join(", ")),
        };
        return Err(Failure::invalid(message).hint(known));
    }
    let missing = row
        .params
        .iter()
        .find(|param| !params.contains_key(*param) && !row.optional.contains(param));
    if let Some(param) = missing {
        let message = format!("the recipe `{}` needs a value for `{param}`", row.name);
        return Err(Failure::invalid(message).hint("give it in `params` (`--param NAME=VALUE`)"));
    }
    Ok(Ready {
        name: row.name.clone(),
        site: row.site.clone(),
        checked: row.checked,
        params,
    })
}

impl Running<'_> {
    /// Replays the recipe; returns whether that was all of the task. Otherwise the model has been told how
    /// far it went.
    pub(super) async fn replay_recipe(
        &mut self,
        recipe: &Ready,
        checker: Option<&jsonschema::Validator>,
    ) -> Result<bool, Failure> {
        let input = Input {
            session: Some(self.session.clone()),
            name: recipe.name.clone(),
            params: Some(recipe.params.clone()),
            // Recipes that it uses have parameters of their own.
            only_secrets: Some(self.task.secrets.clone()),
            ..Input::default()
        };
        let done = match self.call(input.into()).await {
            Ok(answer) => Ok(answer.read::<RunRecipe>()?),
            Err(failure) if is_final(&failure) => return Err(failure),
            Err(failure) => Err(failure),
        };
        let back = self.come_back().await?.map(Place::said);
        let mut stopped = match &done {
            Err(failure) => Some(self.told_of(recipe, failure.clone())),
            Ok(output) => self.unfit(output, checker, back.as_deref()),
        };
        let model = self.agent.model.ready();
        if let (Ok(output), None, false) = (&done, &stopped, recipe.checked) {
            stopped = match model {
                Ok(()) => self.unverified(output).await?,
                // Nobody can look.
                Err(_) => {
                    self.outcome.done = false;
                    self.outcome.text.push_str(UNVERIFIED);
                    None
                }
            };
        }
        self.event(&Event::Replayed {
            recipe: recipe.name.clone(),
            steps: done
                .as_ref()
                .map_or_else(|_| Vec::new(), |output| output.steps.clone()),
            stopped: stopped.clone(),
        })?;
        if done.is_ok() || matches!(&done, Err(failure) if failure.effect != Done::None) {
            self.outcome.replayed = Some(recipe.name.clone());
        }
        let Some(stopped) = stopped else {
            return Ok(true);
        };
        self.stopped(&recipe.name, &stopped);
        Ok(false)
    }

    /// Tells the model where a recipe stopped, and lets it be taken up again.
    pub(super) fn stopped(&mut self, recipe: &str, stopped: &str) {
        self.paused = Some(recipe.to_owned());
        self.tools.extend(crate::tools::going_on());
        self.history.push(Message::new(Role::User, stopped));
    }

    /// Where the recipe stopped, for the model.
    fn told_of(&mut self, recipe: &Ready, failure: Failure) -> String {
        let why = match failure.code {
            Code::NeedsApproval => self.heard(failure),
            _ => Failure {
                message: self.fence.around(&failure.message),
                ..failure
            },
        };
        let name = &recipe.name;
        format!(
            "szk has replayed a recipe of this task, `{name}`, until it stopped. What it has done stays \
             done.\n{why}\nIf it stopped at an element, call `recipe_run` with the `ref` of the right \
             one: the rest is replayed. With `resume` it tries the same step again, after you have made \
             way for it. Or go on by yourself from here."
        )
    }

    /// Has a judge look at what was replayed, because nothing in the recipe shows that it was done; says why
    /// the model has to go on, if the judge does not see it either.
    async fn unverified(&mut self, output: &Output) -> Result<Option<String>, Failure> {
        let mut doubt = String::new();
        if self.task.judge {
            let claim = Claim {
                success: true,
                text: format!("These steps were replayed:\n{}", output.steps.join("\n")),
                result: self.outcome.result.clone(),
            };
            let (done, why) = self.verdict(&claim).await?;
            if done == Some(true) {
                return Ok(None);
            }
            if !why.is_empty() {
                doubt = format!(" A judge says: {why}.");
            }
        }
        self.outcome.done = false;
        Ok(Some(format!(
            "szk has replayed all of the recipe `{}`, but nothing in it shows whether its last step did what \
             it is for.{doubt} Look at the page, do what is missing, and end with `done`.",
            output.name
        )))
    }

    /// Ends the task with what the recipe did and read; says why the model has to look all the same, if
    /// it has to.
    fn unfit(
        &mut self,
        output: &Output,
        checker: Option<&jsonschema::Validator>,
        back: Option<&str>,
    ) -> Option<String> {
        let replayed = format!("szk has replayed all of the recipe `{}`.", output.name);
        if let Some(back) = back {
            return Some(format!("{replayed} {back}"));
        }
        let records = serde_json::Value::Array(output.records.clone());
        let whole = [Some(&records), output.records.first()];
        let result = match checker {
            Some(checker) => {
                let fits = whole
                    .into_iter()
                    .flatten()
                    .find(|one| checker.is_valid(one));
                if fits.is_none() {
                    let read = self.fence.around(&records.to_string());
                    return Some(format!(
                        "{replayed} What it read does not fit the schema:\n{read}\nLook at the page and \
                         end with `done` and a `result`."
                    ));
                }
                fits
            }
            None if output.records.is_empty() => None,
            None => Some(&records),
        };
        self.outcome.done = true;
        self.outcome.result = result.cloned();
        self.outcome.text = format!(
            "the recipe `{}` was replayed without a model: {}",
            output.name,
            szk_text::counted(output.steps.len() as u64, "step")
        );
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    fn row(name: &str, about: &str) -> RecipeRow {
        let row = serde_json::json!({
            "name": name, "site": "https://a.example", "about": about,
            "params": ["city", "password"], "optional": ["city"], "secrets": ["password"],
            "checked": true, "path": "/x",
        });
        serde_json::from_value(row).unwrap()
    }

    fn task(recipe: Recipe, secrets: &[&str]) -> Task {
        Task {
            words: "find the\n cheapest offer".to_owned(),
            session: None,
            origins: Vec::new(),
            schema: None,
            secrets: secrets.iter().map(|one| (*one).to_owned()).collect(),
            limits: Limits::default(),
            judge: true,
            save: None,
            recipe,
            code: true,
            approve: Vec::new(),
        }
    }

    #[test]
    fn a_task_finds_the_recipe_that_was_saved_after_it() {
        let rows = [
            row("a", "another"),
            row("b", &about("find the\n cheapest offer")),
        ];
        let found = chosen(&rows, &task(Recipe::Known, &["shop"]))
            .unwrap()
            .unwrap();
        assert_eq!(found.name, "b");
        assert_eq!(found.params["password"], "shop");
        assert_eq!(chosen(&rows, &task(Recipe::Known, &[])), Ok(None));
        assert_eq!(
            chosen(&rows[..1], &task(Recipe::Known, &["shop"])),
            Ok(None)
        );
        assert_eq!(chosen(&rows, &task(Recipe::None, &["shop"])), Ok(None));
    }

    #[test]
    fn a_named_recipe_says_what_it_lacks() {
        let rows = [row("a", "")];
        let check = |params: &[(&str, &str)], secrets: &[&str], expected: Result<(), Code>| {
            let params = params
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let named = Recipe::Named("a".to_owned(), params.collect());
            let got = chosen(&rows, &task(named, secrets));
            assert_eq!(got.map(|_| ()).map_err(|failure| failure.code), expected);
        };
        check(&[], &["shop"], Ok(()));
        check(&[], &["shop", "bank"], Err(Code::InvalidInput));
        check(&[("town", "Graz")], &["shop"], Err(Code::InvalidInput));
        check(&[("password", "bank")], &["shop", "bank"], Ok(()));
        check(&[("password", "bank")], &["shop"], Err(Code::PolicyDenied));
        let missing = task(Recipe::Named("z".to_owned(), BTreeMap::new()), &[]);
        assert_eq!(chosen(&rows, &missing).unwrap_err().code, Code::NotFound);
    }
}
