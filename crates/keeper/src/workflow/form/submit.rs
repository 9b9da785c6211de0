//! Submits what was filled in.

use szk_page::act::Outcome;
use szk_page::forms::{Field, Survey, submit_button};
use szk_page::snapshot::Handle;
use szk_tools::browser::ActNavigation;
use szk_tools::workflow::{FillFormInput, FillFormOutput, Submitted};
use szk_tools::{Code, Failure};

use super::plan::Plan;
use crate::browser::{navigated, shown};
use crate::workflow::page::{Done, ENTER, WorkflowPage, shown as shown_name};

/// What to say when Enter was pressed for want of a button, and did nothing.
const IN_VAIN: &str =
    "Enter changed nothing, and no submit button was found: name it with `button`";

/// The button that the caller names.
pub(super) fn button(
    survey: &Survey,
    input: &FillFormInput,
) -> Result<Option<(Handle, String)>, Failure> {
    let Some(wanted) = &input.button else {
        return Ok(None);
    };
    let plain = |text: &str| szk_text::comparable(text).to_lowercase();
    let by = |test: &dyn Fn(&szk_page::forms::Button) -> bool| {
        let found: Vec<_> = survey.buttons().filter(|button| test(button)).collect();
        match found.as_slice() {
            [one] => Some((one.handle, one.name.clone())),
            _ => None,
        }
    };
    let found = by(&|button| button.name == *wanted)
        .or_else(|| by(&|button| plain(&button.name) == plain(wanted)))
        .or_else(|| by(&|button| button.mark == "submit"));
    if found.is_some() {
        return Ok(found);
    }
    Err(Failure::new(
        Code::NotFound,
        format!(
            "no button, or more than one, matches `{}`",
            wanted.chars().take(60).collect::<String>()
        ),
    )
    .hint(format!("buttons of the page: {}", names(survey))))
}

fn names(survey: &Survey) -> String {
    let named = survey.buttons().filter(|button| !button.name.is_empty());
    let names: Vec<String> = named
        .map(|button| format!("`{}`", szk_text::line(&button.name, 60)))
        .take(20)
        .collect();
    match names.is_empty() {
        true => "none with a name".to_owned(),
        false => names.join(", "),
    }
}

/// Fails where neither a button nor a key would submit these fields.
pub(super) fn can_submit(survey: &Survey, plans: &[Plan]) -> Result<(), Failure> {
    let steps = plans.iter().filter_map(|plan| plan.steps.as_ref().ok());
    let nodes: Vec<Handle> = steps.filter_map(|steps| Some(steps.last()?.node)).collect();
    let last = nodes.last().and_then(|node| field(survey, *node));
    let Some(last) = last.filter(|last| last.form == 0 && !takes_enter(last)) else {
        return Ok(());
    };
    if submit_button(survey, &nodes).is_some() {
        return Ok(());
    }
    let mut said = [&last.name, &last.near, &last.attr].into_iter();
    let name = said.find(|name| !name.is_empty());
    let name = name.map_or_else(|| "the last field".to_owned(), |name| shown_name(name));
    Err(Failure::new(
        Code::NotFound,
        format!("no submit button found, and Enter in {name} submits nothing: nothing was filled"),
    )
    .hint(format!(
        "name it with `button`, or leave out `submit`; buttons of the page: {}",
        names(survey)
    )))
}

/// Whether Enter may submit what is in a field without a form: elsewhere it begins a new line or does nothing.
fn takes_enter(field: &Field) -> bool {
    let typed = ["textbox", "searchbox", "combobox", "spinbutton"];
    field.tag == "input" && typed.contains(&field.role.as_str())
}

fn field(survey: &Survey, node: Handle) -> Option<&Field> {
    survey.fields().find(|field| field.handle == node)
}

/// What there is to say of a submission that changed nothing, if Enter was pressed for want of a button.
pub(super) fn no_button(
    survey: &Survey,
    filled: &[Handle],
    output: &FillFormOutput,
) -> Option<&'static str> {
    let submitted = output.submitted.as_ref()?;
    let last = field(survey, *filled.last()?)?;
    let lacks = last.form == 0 && submit_button(survey, filled).is_none();
    (lacks && submitted.by == ENTER).then_some(IN_VAIN)
}

/// Submits with the button that the caller names, with that of the fields, or with Enter in the last of them.
pub(super) async fn submit(
    page: &WorkflowPage<'_>,
    survey: &Survey,
    named: Option<(Handle, String)>,
    filled: &[Handle],
) -> Result<(Submitted, Outcome), Failure> {
    let last = filled[filled.len() - 1];
    let found = || submit_button(survey, filled).map(|found| (found.handle, found.name.clone()));
    let button = named.or_else(found);
    let button = button.as_ref().map(|(node, name)| (*node, name.as_str()));
    let (done, by) = page.send(button, last).await?;
    let Done::Did(did) = done else {
        return Err(Failure::new(
            Code::NavigationFailed,
            "the form was gone before it was submitted",
        )
        .effect(szk_tools::Done::Unknown));
    };
    let outcome = did.outcome;
    let submitted = Submitted {
        by,
        changed: outcome.happened(),
        navigation: outcome.navigation.as_ref().map(|navigation| ActNavigation {
            url: shown(&navigation.url),
            ..navigated(navigation)
        }),
    };
    Ok((submitted, outcome))
}
