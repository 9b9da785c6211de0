//! The answer of `workflow_fill_form` in words.

use szk_tools::workflow::{FieldState, FillFormOutput, FilledField};

use crate::browser::{led_to, unreachable};

/// What became of each field, of the form, and of the page.
pub(super) fn summary(output: &FillFormOutput, wants: bool, notes: &[&str]) -> String {
    let well = output
        .fields
        .iter()
        .filter(|field| matches!(field.state, FieldState::Filled | FieldState::Already))
        .count();
    let all = szk_text::counted(output.fields.len() as u64, "field");
    let mut lines = vec![format!("filled {well} of {all}")];
    for field in &output.fields {
        let state = match field.state {
            FieldState::Filled => with_value("filled", field),
            FieldState::Already => with_value("already set", field),
            FieldState::Differs => differs(field),
            FieldState::NotFound => with_value("not found", field),
            FieldState::Ambiguous => with_value("several fit", field),
            FieldState::Failed => with_value("failed", field),
            FieldState::Skipped => with_value("not touched", field),
        };
        let note = field.note.as_ref();
        let note = note.map(|note| format!(" ({})", szk_text::line(note, 500)));
        lines.push(format!(
            "- {}: {state}{}",
            field.field,
            note.unwrap_or_default()
        ));
    }
    match &output.submitted {
        Some(submitted) => {
            let to = submitted
                .navigation
                .as_ref()
                .map(|navigation| match &navigation.error {
                    Some(why) if !navigation.in_frame => {
                        format!("; {}", unreachable(&navigation.url, why).message)
                    }
                    _ => format!("; {}", led_to(&output.tab, navigation)),
                });
            lines.push(format!(
                "submitted: {}{}",
                submitted.by,
                to.unwrap_or_default()
            ));
        }
        None if wants => lines.push("not submitted: not all fields are filled".to_owned()),
        None => {}
    }
    let told = output.diff.as_deref().unwrap_or_default();
    let news = |message: &&String| {
        let said = format!(": {}", szk_text::line(message, 200));
        !told.lines().any(|line| line.ends_with(&said))
    };
    for message in output.messages.iter().filter(news) {
        let message = szk_text::quoted(message, 200);
        lines.push(format!("the page says: {message}"));
    }
    lines.extend(notes.iter().map(|note| (*note).to_owned()));
    if let Some(diff) = &output.diff {
        lines.push(format!("changed since you last looked:\n{diff}"));
    }
    lines.join("\n")
}

fn with_value(state: &str, field: &FilledField) -> String {
    match &field.value {
        Some(value) => format!("{state}, now {}", szk_text::quoted(value, 100)),
        None => state.to_owned(),
    }
}

/// What a field is that the page has not let become what was asked for.
fn differs(field: &FilledField) -> String {
    let role = field.target.as_deref().unwrap_or_default();
    let role = role.split(' ').next().unwrap_or_default();
    match (role, field.value.as_deref()) {
        ("checkbox" | "switch", Some(state)) => {
            format!("the page does not let it change: it is still {state}")
        }
        (_, Some("")) => String::from("is empty, not what you asked for"),
        (_, Some(value)) => {
            let value = szk_text::quoted(value, 100);
            format!("holds {value}, not what you asked for")
        }
        (_, None) => String::from("is not what you asked for"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_the_page_kept_says_what_it_is() {
        let check = |target: &str, value: Option<&str>, expected: &str| {
            let field = FilledField {
                field: "It".to_owned(),
                state: FieldState::Differs,
                target: Some(target.to_owned()),
                value: value.map(str::to_owned),
                note: None,
            };
            assert_eq!(differs(&field), expected);
        };
        let still = "the page does not let it change: it is still not checked";
        check("checkbox \"Terms\"", Some("not checked"), still);
        check("switch \"Dark\"", Some("not checked"), still);
        check("radio of 3 in a group", None, "is not what you asked for");
        check(
            "combobox \"Land\"",
            Some("PL"),
            "holds \"PL\", not what you asked for",
        );
        check(
            "textbox \"Date\"",
            Some(""),
            "is empty, not what you asked for",
        );
    }
}
