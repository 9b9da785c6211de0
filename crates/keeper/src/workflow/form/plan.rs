//! Finds the fields that the caller means, and plans how to fill each.

use std::path::PathBuf;

use serde_json::Value;
use szk_page::act::Act;
use szk_page::forms::{Choice, Field, Fits, Marks, Survey, Wanted, find};
use szk_page::snapshot::{Handle, Scope, Stale};
use szk_tools::Failure;
use szk_tools::workflow::{FieldState, FillFormInput, FormField};

use crate::browser::{page as page_of, scope, uploads::readable};
use crate::workflow::page::WorkflowPage;
use crate::workflow::secret::{self, BoundSecret};

/// Fields to name among which the caller has to choose.
const MOST_NAMED: usize = 6;

/// One act.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) act: Act,
    pub(super) node: Handle,
}

/// A field and its acts, or why there are none.
pub(super) struct Plan {
    /// The field, as the caller named it.
    pub(super) field: String,
    /// The element.
    pub(super) target: Option<String>,
    pub(super) steps: Result<Vec<Step>, (FieldState, String)>,
    /// Whether to keep the value out of the answer.
    pub(super) secret: bool,
    /// What a check box, which has no value of its own, holds afterwards.
    pub(super) stands_for: Option<String>,
}

/// A value to fill in.
enum FieldValue {
    Text(String),
    On(bool),
    Several(Vec<String>),
    Files(Vec<PathBuf>),
}

/// Where the value comes from.
enum Source {
    Given(FieldValue),
    /// A secret, allowed only in some documents.
    Secret(BoundSecret),
}

/// Reads the page, including elements that match possible selectors.
pub(super) async fn survey(
    page: &WorkflowPage<'_>,
    input: &FillFormInput,
) -> Result<Survey, Failure> {
    let button = input.button.as_ref();
    let wanted = Wanted {
        marks: Marks {
            // A name is not a selector, and would match nothing.
            submit: button.filter(|button| looks_like_css(button)).cloned(),
            ..Marks::default()
        },
        ..of_fields(&input.fields)
    };
    page.survey(&wanted).await
}

fn of_fields(fields: &[FormField]) -> Wanted {
    let fields = fields.iter().map(|field| field.field.clone());
    Wanted {
        fields: fields.filter(|field| looks_like_css(field)).collect(),
        ..Wanted::default()
    }
}

/// Finds all fields on the page as it is now.
pub(super) async fn all(
    page: &WorkflowPage<'_>,
    fields: &[FormField],
) -> Result<Vec<Plan>, Failure> {
    let survey = page.survey(&of_fields(fields)).await?;
    let mut plans = Vec::new();
    for field in fields {
        plans.push(one(page, &survey, field).await?);
    }
    Ok(plans)
}

async fn one(page: &WorkflowPage<'_>, survey: &Survey, given: &FormField) -> Result<Plan, Failure> {
    let source = source(page, given).await?;
    let mut plan = Plan {
        field: given.field.clone(),
        target: None,
        steps: Ok(Vec::new()),
        secret: given.secret.is_some(),
        stands_for: None,
    };
    let meant = match meant(page, survey, given).await? {
        Ok(meant) => meant,
        Err(why) => {
            plan.steps = Err(why);
            return Ok(plan);
        }
    };
    let put = match source {
        Source::Given(put) => put,
        Source::Secret(carried) => {
            let mut text = "";
            for field in &meant {
                text = carried.for_origin(survey.origin_of(field))?;
            }
            FieldValue::Text(text.to_owned())
        }
    };
    plan.target = Some(match meant.as_slice() {
        [one] => described(one),
        several => format!("{} of {} in a group", several[0].role, several.len()),
    });
    let secret = plan.secret;
    match steps(&meant, put, secret) {
        Ok((steps, stands_for)) => {
            plan.steps = Ok(steps);
            plan.stands_for = stands_for;
        }
        Err(why) => plan.steps = Err((FieldState::Failed, why)),
    }
    Ok(plan)
}

async fn source(page: &WorkflowPage<'_>, given: &FormField) -> Result<Source, Failure> {
    let at = |text: &str| Failure::invalid(format!("`{}`: {text}", given.field));
    match (&given.value, &given.secret, &given.paths) {
        (Some(value), None, None) => Ok(Source::Given(match value {
            Value::String(text) => FieldValue::Text(text.clone()),
            Value::Number(number) => FieldValue::Text(number.to_string()),
            Value::Bool(on) => FieldValue::On(*on),
            Value::Null => FieldValue::Text(String::new()),
            Value::Array(items) => {
                let texts = items.iter().map(|item| match item {
                    Value::String(text) => Some(text.clone()),
                    Value::Number(number) => Some(number.to_string()),
                    _ => None,
                });
                let texts: Option<Vec<String>> = texts.collect();
                let texts = texts.ok_or_else(|| at("a list can only hold texts"))?;
                FieldValue::Several(texts)
            }
            Value::Object(_) => {
                return Err(at("`value` must be text, number, true, false or a list"));
            }
        })),
        (None, Some(name), None) => {
            let carried = secret::of_name(page.keeper, name).await?;
            Ok(Source::Secret(carried))
        }
        (None, None, Some(paths)) if !paths.is_empty() => {
            Ok(Source::Given(FieldValue::Files(paths.clone())))
        }
        _ => Err(at("give one of `value`, `secret` and `paths`")),
    }
}

type Meant = Result<Vec<Field>, (FieldState, String)>;

/// The field that the caller means, or the boxes of a group.
async fn meant(
    page: &WorkflowPage<'_>,
    survey: &Survey,
    given: &FormField,
) -> Result<Meant, Failure> {
    if let Scope::Ref(name) = scope(&given.field) {
        return by_ref(page, survey, &name).await;
    }
    let role = given.role.as_deref();
    match find(survey, &given.field, role) {
        Fits::One(field) => return Ok(Ok(vec![field.clone()])),
        Fits::Group(fields) => return Ok(Ok(fields.into_iter().cloned().collect())),
        Fits::Many(fields) => {
            let names = named(page, &fields).await;
            let why = format!(
                "{} match; choose one with `role`, a ref or a selector",
                names.join(", ")
            );
            return Ok(Err((FieldState::Ambiguous, why)));
        }
        Fits::None => {}
    }
    let marked: Vec<&Field> = survey
        .fields()
        .filter(|field| field.mark == given.field)
        .collect();
    Ok(match marked.as_slice() {
        [] => Err((FieldState::NotFound, "no such field".to_owned())),
        [one] => Ok(vec![(*one).clone()]),
        several => Err((
            FieldState::Ambiguous,
            format!(
                "{} elements match this selector: {}",
                several.len(),
                named(page, several).await.join(", ")
            ),
        )),
    })
}

/// The first of several fields, with their refs.
async fn named(page: &WorkflowPage<'_>, fields: &[&Field]) -> Vec<String> {
    let fields = &fields[..fields.len().min(MOST_NAMED)];
    let mut lines = Vec::new();
    if let Ok((running, tab)) = page.keeper.tab(Some(&page.tab)).await {
        let handles: Vec<Handle> = fields.iter().map(|field| field.handle).collect();
        let shared = page.keeper.views.of(&running, &tab);
        let mut view = shared.lock().await;
        let read = view.lines_of(&page_of(&running, &tab), &handles).await;
        lines = read.unwrap_or_default();
    }
    let lines = lines.into_iter().chain(std::iter::repeat(None));
    let each = fields.iter().zip(lines);
    each.map(|(field, line)| line.unwrap_or_else(|| described(field)))
        .collect()
}

async fn by_ref(page: &WorkflowPage<'_>, survey: &Survey, name: &str) -> Result<Meant, Failure> {
    let (running, tab) = page.keeper.tab(Some(&page.tab)).await?;
    let shared = page.keeper.views.of(&running, &tab);
    let mut view = shared.lock().await;
    let mut found = view.resolve(name).await;
    if let Err(Stale::Gone { .. }) = found {
        let page = crate::browser::page(&running, &tab);
        if let Err(error) = view.look_again(&page).await {
            tracing::debug!(%error, "cannot look for the heir of a ref");
        }
        found = view.resolve(name).await;
    }
    // Reports what changed since the snapshot, like every other act.
    if let Err(error) = found {
        return Ok(Err((FieldState::NotFound, error.to_string())));
    }
    let Some(handle) = view.handle(name) else {
        return Ok(Err((FieldState::NotFound, "no such ref".to_owned())));
    };
    let field = survey.fields().find(|field| field.handle == handle);
    Ok(match field {
        Some(field) => Ok(vec![field.clone()]),
        None => Err((FieldState::Failed, "it is not a field".to_owned())),
    })
}

/// The acts for a field, and what a group then stands for; or why there are none.
fn steps(
    meant: &[Field],
    put: FieldValue,
    secret: bool,
) -> Result<(Vec<Step>, Option<String>), String> {
    if let Some(field) = meant.iter().find(|field| field.disabled)
        && meant.len() == 1
    {
        return Err(format!("{} is disabled", described(field)));
    }
    let one = |act: Act| {
        let node = meant[0].handle;
        Ok((vec![Step { act, node }], None))
    };
    let field = &meant[0];
    let kind = kind(field);
    if secret && kind != Kind::Text {
        return Err("only a text field can take a secret".to_owned());
    }
    match (kind, put) {
        (Kind::Files, FieldValue::Files(paths)) => {
            for path in &paths {
                readable(path).map_err(|failure| failure.message)?;
            }
            if paths.len() > 1 && !field.multiple {
                return Err("it takes one file".to_owned());
            }
            one(Act::Upload(paths))
        }
        (Kind::Files, _) => Err("it takes files: give `paths`".to_owned()),
        (_, FieldValue::Files(_)) => Err("it takes no files".to_owned()),
        (Kind::Radio, put) => radio(meant, put),
        (Kind::Box, put) => boxes(meant, put),
        (Kind::List, FieldValue::Text(text)) => one(Act::Select(options(field, vec![text])?)),
        (Kind::List, FieldValue::Several(all)) => {
            if all.len() != 1 && !field.multiple && field.tag == "select" {
                return Err("it takes only one option".to_owned());
            }
            one(Act::Select(options(field, all)?))
        }
        (Kind::List, FieldValue::On(_)) => Err("it takes an option".to_owned()),
        (Kind::Text, _) if field.readonly => Err(format!("{} is read-only", described(field))),
        (Kind::Text, FieldValue::Text(text)) => {
            if field.length > 0 && text.chars().count() > field.length as usize {
                let most = szk_text::counted(field.length.into(), "character");
                return Err(format!("it takes {most} at most"));
            }
            one(Act::Fill(text))
        }
        (Kind::Text, FieldValue::On(_)) => Err("it takes text".to_owned()),
        (Kind::Text, FieldValue::Several(_)) => Err("it takes one text".to_owned()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    List,
    Radio,
    Box,
    Files,
}

fn kind(field: &Field) -> Kind {
    match (
        field.tag.as_str(),
        field.r#type.as_str(),
        field.role.as_str(),
    ) {
        ("input", "file", _) => Kind::Files,
        ("input", "radio", _) | (_, _, "radio") => Kind::Radio,
        ("input", "checkbox", _) | (_, _, "checkbox" | "switch") => Kind::Box,
        ("select", ..) => Kind::List,
        ("input" | "textarea", ..) => Kind::Text,
        (_, _, "combobox" | "listbox") => Kind::List,
        _ => Kind::Text,
    }
}

/// Checks the options of the browser's own list; other lists show theirs only when open.
fn options(field: &Field, wanted: Vec<String>) -> Result<Vec<String>, String> {
    if field.tag != "select" {
        return Ok(wanted);
    }
    for one in &wanted {
        let meant = |option: &&Choice| same(&option.label, one) || option.value == *one;
        let mut meant = field.options.iter().filter(meant).peekable();
        let there = meant.peek().is_some();
        if there && meant.all(|option| option.disabled) {
            return Err(format!("its option `{one}` is disabled"));
        }
        if !there {
            let open = field.options.iter().filter(|option| !option.disabled);
            let labels = open.map(|option| option.label.as_str()).take(30);
            let labels = labels.map(|label| szk_text::line(label, 60));
            let labels = labels.collect::<Vec<_>>().join(", ");
            return Err(format!("it has no option `{one}`; it has {labels}"));
        }
    }
    Ok(wanted)
}

fn radio(meant: &[Field], put: FieldValue) -> Result<(Vec<Step>, Option<String>), String> {
    let chosen = match (put, meant) {
        (FieldValue::On(true), [one]) => one,
        (FieldValue::Text(text), _) => by_label(meant, &text)?,
        (FieldValue::Several(texts), _) if texts.len() == 1 => by_label(meant, &texts[0])?,
        _ => return Err("it takes the label of one option".to_owned()),
    };
    if chosen.disabled {
        return Err(format!("{} is disabled", described(chosen)));
    }
    let step = Step {
        act: Act::Check(true),
        node: chosen.handle,
    };
    Ok((vec![step], Some(label(chosen).to_owned())))
}

fn boxes(meant: &[Field], put: FieldValue) -> Result<(Vec<Step>, Option<String>), String> {
    let step = |field: &Field, on: bool| Step {
        act: Act::Check(on),
        node: field.handle,
    };
    let wanted = match (put, meant) {
        (FieldValue::On(on), [one]) => return Ok((vec![step(one, on)], Some(word(on).to_owned()))),
        (FieldValue::Text(text), [one]) => {
            let on = match text.trim().to_lowercase().as_str() {
                "true" | "on" | "yes" | "1" | "checked" => true,
                "false" | "off" | "no" | "0" | "" | "unchecked" => false,
                _ => return Err("it takes true or false".to_owned()),
            };
            return Ok((vec![step(one, on)], Some(word(on).to_owned())));
        }
        (FieldValue::Text(text), _) => vec![text],
        (FieldValue::Several(texts), _) => texts,
        _ => return Err("it takes the labels of options".to_owned()),
    };
    let mut on = Vec::new();
    for text in &wanted {
        on.push(by_label(meant, text)?.handle);
    }
    // These and no others.
    let steps = meant
        .iter()
        .filter(|field| !field.disabled)
        .map(|field| step(field, on.contains(&field.handle)));
    Ok((steps.collect(), Some(wanted.join(", "))))
}

fn by_label<'a>(meant: &'a [Field], wanted: &str) -> Result<&'a Field, String> {
    meant
        .iter()
        .find(|field| same(label(field), wanted))
        .or_else(|| meant.iter().find(|field| field.value == wanted))
        .ok_or_else(|| {
            let labels = meant.iter().map(|field| szk_text::line(label(field), 60));
            let labels: Vec<String> = labels.collect();
            format!("it has no option `{wanted}`; it has {}", labels.join(", "))
        })
}

fn label(field: &Field) -> &str {
    [&field.name, &field.near, &field.value]
        .into_iter()
        .find(|text| !text.is_empty())
        .map_or("", String::as_str)
}

pub(super) fn word(on: bool) -> &'static str {
    if on { "checked" } else { "not checked" }
}

/// Ignores case and spaces.
fn same(a: &str, b: &str) -> bool {
    let plain = |text: &str| szk_text::comparable(text).to_lowercase();
    plain(a) == plain(b)
}

fn described(field: &Field) -> String {
    let name = [
        &field.name,
        &field.near,
        &field.placeholder,
        &field.attr,
        &field.id,
    ]
    .into_iter()
    .find(|name| !name.is_empty())
    .map_or("", String::as_str);
    format!("{} {}", field.role, szk_text::quoted(name, 60))
}

/// The name of a field, if it has one.
pub(super) fn called(field: &Field) -> Option<String> {
    let name = match (field.r#type.as_str(), field.group.is_empty()) {
        ("radio", false) => &field.group,
        _ => [
            &field.name,
            &field.near,
            &field.placeholder,
            &field.attr,
            &field.id,
        ]
        .into_iter()
        .find(|name| !name.is_empty())?,
    };
    Some(format!("`{}`", szk_text::line(name, 60)))
}

/// Names of fields rarely look like CSS; the page itself ignores invalid selectors.
fn looks_like_css(text: &str) -> bool {
    text.contains(['#', '.', '[', '>', ':']) || text.bytes().all(|b| b.is_ascii_lowercase())
}
