//! Actions of `[agent.actions]`: programs and recipes that the user lets every task call.

mod program;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value, json};
use szk_client::{AgentAction, Origins};
use szk_tools::doctor::Check;
use szk_tools::recipe::{List, ListInput, RecipeRow, RunInput};
use szk_tools::{Code, Failure};

use crate::agent::Agent;
use crate::model::Tool;
use crate::place::ActReport;
use crate::replay;
use crate::running::Running;

/// The kind of steps that agrees to all actions beforehand.
pub(crate) const KIND: &str = "action";

/// An action that can be called in this task.
#[derive(Debug)]
pub(crate) struct Configured {
    pub(crate) name: String,
    action: AgentAction,
    /// The recipe that it runs.
    row: Option<RecipeRow>,
    schema: Value,
    checker: jsonschema::Validator,
}

impl Configured {
    fn new(name: &str, action: AgentAction, row: Option<RecipeRow>) -> Result<Self, Failure> {
        let schema = match &row {
            Some(row) => of_recipe(row),
            None => action
                .parameters
                .clone()
                .unwrap_or_else(|| json!({ "type": "object" })),
        };
        let checker = jsonschema::validator_for(&schema).map_err(|error| {
            Failure::new(
                Code::InvalidConfig,
                format!("`parameters` of `[agent.actions.{name}]` is not a JSON schema: {error}"),
            )
        })?;
        Ok(Self {
            name: name.to_owned(),
            action,
            row,
            schema,
            checker,
        })
    }

    /// The tool as the model sees it.
    pub(crate) fn tool(&self) -> Tool {
        Tool {
            name: self.name.clone(),
            description: self.action.about.clone(),
            parameters: self.schema.clone(),
        }
    }

    /// What the person is asked.
    fn question(&self, given: &Value) -> String {
        let what = match &self.action.recipe {
            Some(recipe) => format!("run the recipe `{}`", szk_text::line(recipe, 100)),
            None => {
                let command = self.action.command.as_deref().unwrap_or_default();
                format!("run `{}`", szk_text::line(&command.join(" "), 300))
            }
        };
        let given = szk_text::line(&given.to_string(), 1000);
        format!("call the action `{}` ({what}) with {given}", self.name)
    }
}

/// The values that a recipe wants of the model. Secrets are the task's.
fn of_recipe(row: &RecipeRow) -> Value {
    let open = |name: &&String| !row.secrets.contains(name);
    let names: Vec<&String> = row.params.iter().filter(open).collect();
    let required: Vec<&&String> = names
        .iter()
        .filter(|name| !row.optional.contains(name))
        .collect();
    let fields = names
        .iter()
        .map(|name| ((**name).clone(), json!({ "type": "string" })));
    json!({
        "type": "object",
        "properties": fields.collect::<Map<_, _>>(),
        "required": required,
        "additionalProperties": false,
    })
}

impl Agent<'_> {
    /// The actions of the configuration that can be called in this session, within these origins.
    pub(crate) async fn configured(
        &self,
        session: &str,
        origins: &Origins,
    ) -> Result<Vec<Configured>, Failure> {
        let actions = self.client.agent_settings()?.actions;
        let mut rows = Vec::new();
        if actions.values().any(|action| action.recipe.is_some()) {
            let input = ListInput {
                session: Some(session.to_owned()),
                ..ListInput::default()
            };
            let answer = self.client.run::<List>(input, &|_| {}).await?;
            rows = answer.read::<List>()?.recipes;
            rows.retain(|row| origins.hold(&row.site));
        }
        let mut found = Vec::new();
        for (name, action) in actions {
            let row = match &action.recipe {
                None => None,
                // Recipes belong to a profile or a project; another one does without.
                Some(recipe) => match rows.iter().find(|row| row.name == *recipe) {
                    None => continue,
                    row => row.cloned(),
                },
            };
            found.push(Configured::new(&name, action, row)?);
        }
        Ok(found)
    }
}

impl Running<'_> {
    /// Does what the configuration lets the model do.
    pub(super) async fn configured(
        &mut self,
        at: usize,
        given: Map<String, Value>,
    ) -> Result<ActReport, Failure> {
        let given = Value::Object(given);
        let action = &self.configured[at];
        let wrong: Vec<String> = action
            .checker
            .iter_errors(&given)
            .take(5)
            .map(|error| format!("{} at `{}`", error, error.instance_path()))
            .collect();
        if !wrong.is_empty() {
            let wrong = szk_text::line(&wrong.join("; "), 600);
            return Err(Failure::invalid(format!(
                "`{}` takes something else: {wrong}",
                action.name
            )));
        }
        if action.action.ask {
            let what = action.question(&given);
            let known = self.task.approve.iter().any(|kind| kind == KIND);
            if !known && !self.agent.agree.is_some_and(|ask| ask(&what)) {
                let message = format!("a person has to approve this: {what}");
                let mut failure = Failure::new(Code::NeedsApproval, message);
                failure.approve = [KIND.to_owned()].into();
                return Err(self.heard(failure));
            }
        }
        self.irreproducible = true;
        if let (Some(row), Value::Object(given)) = (&action.row, &given) {
            let params = given
                .iter()
                .map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()));
            let params: BTreeMap<String, String> = params.collect();
            let ready = replay::ready(row, &params, &self.task.secrets)?;
            let input = RunInput {
                session: Some(self.session.clone()),
                name: ready.name,
                params: Some(ready.params),
                ..RunInput::default()
            };
            return self.act(input.into()).await;
        }
        self.agent.client.may_run_programs()?;
        let command = action.action.command.clone().unwrap_or_default();
        let limit = Duration::from_secs(action.action.timeout);
        let said = program::run(&command, &given.to_string(), limit).await;
        self.said_by_action(said)
    }
}

/// What `szk doctor` says of the actions.
pub fn check(actions: &BTreeMap<String, AgentAction>) -> Check {
    let subject = "actions";
    let mut missing = Vec::new();
    for (name, action) in actions {
        if let Err(failure) = Configured::new(name, action.clone(), None) {
            missing.push(failure.message);
        }
        let program = action.command.iter().flatten().next();
        if let Some(program) = program.filter(|program| !can_run(program)) {
            missing.push(format!("`{name}`: `{program}` cannot be run"));
        }
    }
    if !missing.is_empty() {
        return Check::warn(subject, missing.join("; "))
            .fix("szk config explain    # says where `agent.actions` is set");
    }
    let names: Vec<&str> = actions.keys().map(String::as_str).collect();
    match names.as_slice() {
        [] => Check::ok(subject, "none are configured; a task has szk's own"),
        names => Check::ok(subject, format!("tasks may call {}", names.join(", "))),
    }
}

/// Whether there is a program of this name that may be run.
fn can_run(program: &str) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let runs = |path: &std::path::Path| {
        path.metadata()
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if program.starts_with('/') {
        return runs(program.as_ref());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| runs(&folder.join(program)))
}

#[cfg(test)]
mod tests {
    use szk_tools::doctor::CheckStatus;

    use super::*;

    fn action(command: &[&str]) -> AgentAction {
        AgentAction {
            about: "x".to_owned(),
            command: Some(command.iter().map(|word| (*word).to_owned()).collect()),
            recipe: None,
            parameters: None,
            ask: true,
            timeout: 5,
        }
    }

    #[test]
    fn a_recipe_takes_what_is_no_secret() {
        let row = json!({
            "name": "a", "site": "https://a.example", "about": "", "path": "/x",
            "params": ["city", "name", "password"], "optional": ["city"], "secrets": ["password"],
        });
        let schema = of_recipe(&serde_json::from_value(row).unwrap());
        assert_eq!(schema["required"], json!(["name"]));
        let fields = schema["properties"].as_object().unwrap();
        assert_eq!(fields.keys().collect::<Vec<_>>(), ["city", "name"]);
    }

    #[test]
    fn doctor_finds_programs_that_are_not_there() {
        let found =
            |name: &str, action: AgentAction| check(&BTreeMap::from([(name.to_owned(), action)]));
        assert_eq!(check(&BTreeMap::new()).status, CheckStatus::Ok);
        let good = found("list", action(&["sh", "-c", "ls"]));
        assert_eq!(good.status, CheckStatus::Ok);
        assert!(good.detail.contains("list"), "{good:?}");
        for missing in ["/etc/passwd", "/nowhere", "no-program-of-this-name"] {
            let bad = found("list", action(&[missing]));
            assert_eq!(bad.status, CheckStatus::Warn, "{bad:?}");
            assert!(bad.detail.contains(missing), "{bad:?}");
        }
        let mut odd = action(&["sh"]);
        odd.parameters = Some(json!({ "type": "object", "properties": 3 }));
        assert_eq!(found("odd", odd).status, CheckStatus::Warn);
    }
}
