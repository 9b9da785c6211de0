//! What the model may call: a few operations of the catalogue with a few of their fields, and the two ways
//! to end.

mod in_text;

use serde_json::{Map, Value, json};
use szk_client::Origins;
use szk_tools::browser::BatchStep;
use szk_tools::{Call, Failure, find};

use crate::action::Action;
use crate::actions::Configured;
use crate::model::{Tool, ToolCall};
use crate::repair;

pub(crate) use in_text::in_text;

/// Ends the task.
pub(crate) const DONE: &str = "done";
/// Runs code that reads.
pub(crate) const CODE: &str = "run_code";
/// Asks the person.
pub(crate) const ASK: &str = "ask_person";
/// Keeps a note.
pub(crate) const REMEMBER: &str = "remember";

/// The operations, and the fields that a model may give. None of them names a file, runs code, or reaches
/// another session.
const OFFERED: [(&str, &[&str]); 8] = [
    ("browser_navigate", &["url", "history"]),
    ("browser_snapshot", &["mode", "scope", "cursor", "boxes"]),
    ("browser_find", &["text"]),
    (
        "browser_act",
        &[
            "kind",
            "ref",
            "name",
            "role",
            "selector",
            "x",
            "y",
            "button",
            "count",
            "modifiers",
            "text",
            "key",
            "values",
            "dx",
            "dy",
            "to",
            "state",
            "url",
            "dialog",
            "dialog_text",
        ],
    ),
    ("browser_screenshot", &["selector", "full_page"]),
    ("browser_tabs", &["action", "tab"]),
    ("browser_arm", &["event", "accept", "text"]),
    ("workflow_login", &["url", "username", "secret"]),
];

/// Words of enumerations that a model may not use.
const WITHHELD: [(&str, &str, &[&str]); 3] = [
    (
        "browser_act",
        "kind",
        &["upload", "resize", "down", "up", "move"],
    ),
    ("browser_tabs", "action", &["open", "label"]),
    (
        "browser_arm",
        "event",
        &["chooser", "download", "permission", "auth"],
    ),
];

/// What the model may give to take up a recipe that stopped; szk adds its name.
const GOES_ON: (&str, &[&str]) = ("recipe_run", &["ref", "resume"]);

/// What calls of the model are read with.
pub(crate) struct Given<'a> {
    pub(crate) session: &'a str,
    pub(crate) origins: &'a Origins,
    /// What it was offered.
    pub(crate) tools: &'a [Tool],
    /// Those that the person named.
    pub(crate) secrets: &'a [String],
    /// The recipe that stopped.
    pub(crate) recipe: Option<&'a str>,
    /// Whether it may write code.
    pub(crate) code: bool,
    /// Those of the program.
    pub(crate) actions: &'a [&'a dyn Action],
    /// Those of the configuration.
    pub(crate) configured: &'a [Configured],
}

/// What a call of the model means.
#[derive(Debug)]
pub(crate) enum Wanted {
    /// An operation.
    Operation(Box<Call>),
    /// The end.
    Done(Claim),
    /// A question to the person.
    Ask(String),
    /// Code that reads.
    Code(String),
    /// A note to keep.
    Remember(String),
    /// An action of the program, and its arguments.
    Action(usize, Map<String, Value>),
    /// One of the configuration.
    Configured(usize, Map<String, Value>),
}

/// What the model says of the task at its end.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Claim {
    /// Whether it was done.
    pub(crate) success: bool,
    /// In words.
    pub(crate) text: String,
    /// As data.
    pub(crate) result: Option<Value>,
}

/// All tools; `schema` is what the result has to look like.
pub(crate) fn offered(
    schema: Option<&Value>,
    logins: bool,
    code: bool,
    actions: &[&dyn Action],
    configured: &[Configured],
) -> Vec<Tool> {
    let mut tools: Vec<Tool> = OFFERED
        .iter()
        .filter(|(name, _)| logins || *name != "workflow_login")
        .filter_map(|(name, fields)| operation(name, fields))
        .collect();
    let mut properties = json!({
        "success": { "type": "boolean", "description": "Whether all of the task was done." },
        "text": { "type": "string", "description": "The answer, or why it was not done." },
    });
    if let Some(schema) = schema {
        properties["result"] = schema.clone();
    }
    tools.push(Tool {
        name: DONE.to_owned(),
        description: "End the task, and say truthfully whether it was done.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": properties,
            "required": ["success", "text"],
        }),
    });
    if code {
        tools.push(Tool {
            name: CODE.to_owned(),
            description: "Run JavaScript that reads the DOM, synchronously, and returns a value. Best for \
                          long lists. What would change or send anything throws. Return `{acts: [{kind, \
                          selector, text}]}` to have up to 50 acts of `browser_act` carried out in order."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "code": { "type": "string" } },
                "required": ["code"],
            }),
        });
    }
    tools.push(Tool {
        name: ASK.to_owned(),
        description: "Ask the person who gave the task.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "question": { "type": "string" } },
            "required": ["question"],
        }),
    });
    tools.push(Tool {
        name: REMEMBER.to_owned(),
        description:
            "Keep a note, such as a code read on a page: old pages are left out of long runs."
                .to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "note": { "type": "string" } },
            "required": ["note"],
        }),
    });
    tools.extend(actions.iter().map(|action| action.tool()));
    tools.extend(configured.iter().map(Configured::tool));
    tools
}

/// The tool that takes up a recipe that stopped.
pub(crate) fn going_on() -> Option<Tool> {
    operation(GOES_ON.0, GOES_ON.1)
}

fn operation(name: &str, fields: &[&str]) -> Option<Tool> {
    let spec = find(name)?;
    let mut parameters = (spec.input)();
    let properties = parameters["properties"].as_object_mut()?;
    properties.retain(|field, _| fields.contains(&field.as_str()));
    for (_, field, words) in WITHHELD.iter().filter(|(of, _, _)| *of == name) {
        if let Some(Value::Array(known)) = properties.get_mut(*field).map(|one| &mut one["enum"]) {
            known.retain(|word| !words.iter().any(|one| word == one));
        }
    }
    Some(Tool {
        name: name.to_owned(),
        description: spec.summary.to_owned(),
        parameters,
    })
}

/// A failure as the model hears it: a hint that names a tool which it does not have, or a command of the
/// terminal, would only lead it astray.
pub(crate) fn fitting(mut failure: Failure, tools: &[Tool]) -> Failure {
    let quoted = |hint: &String| {
        let words = hint.split('`').skip(1).step_by(2).map(str::to_owned);
        words.collect::<Vec<_>>()
    };
    let foreign = |word: &String| {
        let name = word.split_whitespace().next().unwrap_or_default();
        name == "szk"
            || name.starts_with("--")
            || (find(name).is_some() && !tools.iter().any(|tool| tool.name == name))
    };
    failure.hint = failure
        .hint
        .filter(|hint| !quoted(hint).iter().any(foreign));
    failure
}

/// Reads a call of the model.
///
/// # Errors
/// `INVALID_INPUT` or `POLICY_DENIED`, for the model.
pub(crate) fn read(called: &ToolCall, with: &Given<'_>) -> Result<Wanted, Failure> {
    let given = repair::json(&called.arguments).map(|read| read.value);
    let Some(Value::Object(given)) = given else {
        return Err(Failure::invalid(format!(
            "the arguments of `{}` are no JSON object",
            szk_text::line(&called.name, 60)
        )));
    };
    match called.name.as_str() {
        DONE => claim(&given).map(Wanted::Done),
        CODE if with.code => words(CODE, &given, "code").map(Wanted::Code),
        ASK => words(ASK, &given, "question").map(Wanted::Ask),
        REMEMBER => words(REMEMBER, &given, "note").map(Wanted::Remember),
        name => {
            let own = with.actions.iter().position(|one| one.tool().name == name);
            let configured = with.configured.iter().position(|one| one.name == name);
            match (own, configured) {
                (Some(at), _) => Ok(Wanted::Action(at, given)),
                (None, Some(at)) => Ok(Wanted::Configured(at, given)),
                (None, None) => operation_call(name, given, with),
            }
        }
    }
}

/// What the model says of the task at its end.
///
/// # Errors
/// `INVALID_INPUT` for one that does not say whether it was done, or what came of it.
pub(crate) fn claim(given: &Map<String, Value>) -> Result<Claim, Failure> {
    let success = given.get("success").and_then(Value::as_bool);
    Ok(Claim {
        success: success.ok_or_else(|| lacks(DONE, given, "success", "true or false"))?,
        text: text(DONE, given, "text")?,
        result: given.get("result").filter(|one| !one.is_null()).cloned(),
    })
}

/// A text that a tool of szk's own needs.
fn text(tool: &str, given: &Map<String, Value>, field: &str) -> Result<String, Failure> {
    let text = given.get(field).and_then(Value::as_str);
    let text = text.ok_or_else(|| lacks(tool, given, field, "a string"))?;
    Ok(text.to_owned())
}

/// The same, but not an empty one.
fn words(tool: &str, given: &Map<String, Value>, field: &str) -> Result<String, Failure> {
    let text = text(tool, given, field)?;
    match text.trim().is_empty() {
        true => Err(lacks(tool, given, field, "a string that is not empty")),
        false => Ok(text),
    }
}

fn lacks(tool: &str, given: &Map<String, Value>, field: &str, kind: &str) -> Failure {
    let is = match given.get(field) {
        None | Some(Value::Null) => "it is missing".to_owned(),
        Some(value) => format!("it is `{}`", szk_text::line(&value.to_string(), 60)),
    };
    Failure::invalid(format!("`{tool}` needs `{field}`, {kind}; {is}"))
}

fn operation_call(
    name: &str,
    mut given: Map<String, Value>,
    with: &Given<'_>,
) -> Result<Wanted, Failure> {
    let resumed = with.recipe.map(|_| &GOES_ON);
    let tool = with.tools.iter().find(|tool| tool.name == name);
    let mut known = OFFERED.iter().chain(resumed);
    let (Some(tool), Some((_, fields))) = (tool, known.find(|(known, _)| *known == name)) else {
        let names: Vec<_> = with.tools.iter().map(|tool| tool.name.as_str()).collect();
        let message = format!("there is no tool `{}`", szk_text::line(name, 60));
        return Err(Failure::invalid(message).hint(format!("use one of: {}", names.join(", "))));
    };
    // Models fill in what they do not mean.
    given.retain(|_, value| !value.is_null());
    if let Some(other) = given.keys().find(|field| !fields.contains(&field.as_str())) {
        let message = format!("`{name}` has no field `{}` here", szk_text::line(other, 60));
        return Err(Failure::invalid(message).hint(format!("it takes: {}", fields.join(", "))));
    }
    for (field, value) in &given {
        word(tool, field, value)?;
    }
    if matches!(name, "browser_navigate" | "workflow_login")
        && let Some(url) = given.get("url").and_then(Value::as_str)
    {
        let scheme = url.split_once("://").map(|(scheme, _)| scheme);
        if !matches!(scheme, Some("http" | "https")) {
            return Err(denied("an address begins with `https://` or `http://`"));
        }
        if !with.origins.hold(url) {
            return Err(denied(format!(
                "`{}` is outside of the origins of the task: {}",
                szk_text::line(url, 200),
                with.origins.words().join(", ")
            )));
        }
    }
    if let Some(secret) = given.get("secret").and_then(Value::as_str)
        && !with.secrets.iter().any(|known| known == secret)
    {
        return Err(denied("the person has not given this task that secret"));
    }
    if name == "browser_navigate" {
        given.insert("snapshot".to_owned(), "interactive".into());
    }
    if name == "browser_screenshot" {
        given.insert("format".to_owned(), "jpeg".into());
        given.insert("quality".to_owned(), 70.into());
    }
    if let Some(recipe) = with.recipe.filter(|_| name == GOES_ON.0) {
        given.insert("name".to_owned(), recipe.into());
        given.entry("resume").or_insert(true.into());
    }
    // Both run recipes, which name secrets by themselves.
    if matches!(name, "workflow_login" | "recipe_run") {
        given.insert("only_secrets".to_owned(), with.secrets.into());
    }
    given.insert("session".to_owned(), with.session.into());
    Call::decode(name, Value::Object(given)).map(|call| Wanted::Operation(Box::new(call)))
}

/// Refuses a word that a field does not take here, and names those that it takes. The catalogue's own words
/// for it would name some that are then refused.
fn word(tool: &Tool, field: &str, value: &Value) -> Result<(), Failure> {
    let (Some(word), Some(taken)) = (
        value.as_str(),
        tool.parameters["properties"][field]["enum"].as_array(),
    ) else {
        return Ok(());
    };
    let taken: Vec<&str> = taken.iter().filter_map(Value::as_str).collect();
    if taken.contains(&word) {
        return Ok(());
    }
    let (name, shown) = (&tool.name, szk_text::line(word, 60));
    let message = format!("`{field}` of `{name}` cannot be `{shown}` here");
    let withheld = WITHHELD
        .iter()
        .any(|(of, its, words)| of == name && *its == field && words.contains(&word));
    let failure = match withheld {
        true => denied(message),
        false => Failure::invalid(message),
    };
    Err(failure.hint(format!("use one of: {}", taken.join(", "))))
}

/// An act that code asks for, as a step of a batch.
///
/// # Errors
/// Those of [`read`].
pub(crate) fn step(act: &Value, with: &Given<'_>) -> Result<BatchStep, Failure> {
    let Value::Object(act) = act else {
        return Err(Failure::invalid("each of `acts` is an object").about(["acts"]));
    };
    let tool = "browser_act";
    match operation_call(tool, act.clone(), with)? {
        Wanted::Operation(call) => {
            let mut input = call.encode()?;
            let input = input
                .as_object_mut()
                .map(std::mem::take)
                .unwrap_or_default();
            let session = |(field, _): &(String, Value)| field != "session";
            Ok(BatchStep {
                tool: tool.to_owned(),
                input: input.into_iter().filter(session).collect(),
                name: None,
                if_text: None,
                unless_text: None,
                until_text: None,
                repeat: None,
            })
        }
        _ => Err(Failure::internal("an act became no operation")),
    }
}

fn denied(message: impl Into<String>) -> Failure {
    Failure::new(szk_tools::Code::PolicyDenied, message)
}

#[cfg(test)]
mod tests;
