//! The answer of `workflow_fill_form` in words.

use szk_tools::workflow::{FieldState, FillFormOutput};

/// What became of each field, of the form, and of the page.
pub(super) fn summary(output: &FillFormOutput, wants: bool, notes: &[&str]) -> String {
    let well = output
        .fields
        .iter()
        .filter(|field| matches!(field.state, FieldState::Filled | FieldState::Already))
        .count();
    let mut lines = vec![format!("filled {well} of {} fields", output.fields.len())];
    for field in &output.fields {
        let state = match field.state {
            FieldState::Filled => "filled",
            FieldState::Already => "already set",
            FieldState::Differs => "holds something else",
            FieldState::NotFound => "not found",
            FieldState::Ambiguous => "several fit",
            FieldState::Failed => "failed",
            FieldState::Skipped => "not touched",
        };
        let value = field.value.as_ref().map(|value| {
            let value = szk_text::quoted(value, 100);
            format!(", now {value}")
        });
        let note = field.note.as_ref();
        let note = note.map(|note| format!(" ({})", szk_text::line(note, 500)));
        lines.push(format!(
            "- {}: {state}{}{}",
            field.field,
            value.unwrap_or_default(),
            note.unwrap_or_default()
        ));
    }
    match &output.submitted {
        Some(submitted) => {
            let to = submitted
                .navigation
                .as_ref()
                .map(|navigation| format!("; {} is at {}", output.tab, navigation.url));
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
