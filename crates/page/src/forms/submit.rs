//! Which button sends what was filled in.

use super::survey::{Button, Document, Field, Survey};
use super::words::{GO_ON, HARMS, NO_SUBMIT, SENDS, SIGN_IN};
use crate::snapshot::Handle;

/// The button that logs in or goes on with the login from a field.
#[must_use]
pub(super) fn of_login<'a>(document: &'a Document, field: &Field) -> Option<&'a Button> {
    let named = |button: &Button| match () {
        () if NO_SUBMIT.fit(&button.name) => 0,
        () if SIGN_IN.fit(&button.name) => 4,
        () if GO_ON.fit(&button.name) => 3,
        () => 0,
    };
    if field.form == 0 {
        return beside(document, &[field], &named);
    }
    let worth = |button: &Button| match NO_SUBMIT.fit(&button.name) {
        true => 0,
        false => named(button) + submits(button),
    };
    within(document, field.form, &worth)
}

/// The button that submits the fields that were filled last: of the form that one of them is in, or one that
/// belongs to those that are in none. `None` if no button surely does.
#[must_use]
pub fn submit_button<'a>(survey: &'a Survey, filled: &[Handle]) -> Option<&'a Button> {
    let of = |handle: &Handle| {
        let documents = survey.documents.iter();
        let mut fields = documents.flat_map(|d| d.fields.iter().map(move |field| (d, field)));
        fields.find(|(_, field)| field.handle == *handle)
    };
    let fields: Vec<(&Document, &Field)> = filled.iter().rev().filter_map(of).collect();
    // A field may be beside the form, or in a frame.
    let in_forms = fields.iter().filter(|(_, field)| field.form != 0);
    let of_forms = in_forms.map(|(document, field)| within(document, field.form, &worth));
    if let Some(button) = of_forms.flatten().next() {
        return Some(button);
    }
    let (document, _) = fields.iter().find(|(_, field)| field.form == 0)?;
    let theirs = fields
        .iter()
        .filter(|(of, field)| std::ptr::eq(*of, *document) && field.form == 0);
    let theirs: Vec<&Field> = theirs.map(|(_, field)| *field).collect();
    beside(document, &theirs, &sends)
}

/// The best button of a form.
fn within<'a>(
    document: &'a Document,
    form: u32,
    worth: &dyn Fn(&Button) -> i32,
) -> Option<&'a Button> {
    let of_form = document.buttons.iter().filter(|button| button.form == form);
    best(of_form.collect(), worth)
}

/// The best button behind fields that are in no form, in the smallest thing that holds both: there nothing but
/// its name says that a button submits. Of several with one name, as in the rows of a list, none is meant.
fn beside<'a>(
    document: &'a Document,
    fields: &[&Field],
    worth: &dyn Fn(&Button) -> i32,
) -> Option<&'a Button> {
    let (first, others) = fields.split_first()?;
    let last = fields.iter().map(|field| field.at).max()?;
    let behind = document
        .buttons
        .iter()
        .filter(|button| button.form == 0 && button.at > last && worth(button) > 0);
    let behind: Vec<&Button> = behind.collect();
    let holds_all = |box_: &&u32| others.iter().all(|field| field.around.contains(box_));
    for box_ in first.around.iter().filter(holds_all) {
        let inside = behind.iter().filter(|button| button.around.contains(box_));
        let inside: Vec<&Button> = inside.copied().collect();
        if let Some(found) = best(inside.clone(), worth) {
            let alike = inside.iter().filter(|button| button.name == found.name);
            return (alike.count() == 1).then_some(found);
        }
    }
    None
}

/// The first of those that are worth most, if any is worth something.
fn best<'a>(buttons: Vec<&'a Button>, worth: &dyn Fn(&Button) -> i32) -> Option<&'a Button> {
    let mut best: Option<(&Button, i32)> = None;
    for button in buttons {
        let worth = worth(button);
        if worth > 0 && best.is_none_or(|(_, most)| worth > most) {
            best = Some((button, worth));
        }
    }
    best.map(|(button, _)| button)
}

fn submits(button: &Button) -> i32 {
    if button.submits { 2 } else { 0 }
}

/// What a name says about sending what was filled in; nothing for what does harm.
fn sends(button: &Button) -> i32 {
    let (name, aside) = (&button.name, NO_SUBMIT.fit(&button.name));
    match () {
        () if HARMS.fit(name) => 0,
        () if SIGN_IN.fit(name) && !aside => 4,
        () if (GO_ON.fit(name) || SENDS.fit(name)) && !aside => 3,
        // `Create account` and `Search` are no login, and do send a form.
        () if SENDS.fit(name) => 1,
        () => 0,
    }
}

/// What a button of a form is worth: the form itself says that it submits, unless it does something else as well.
fn worth(button: &Button) -> i32 {
    let (name, submits) = (&button.name, submits(button));
    if HARMS.fit(name) {
        return submits.min(1);
    }
    if NO_SUBMIT.fit(name) {
        return if SENDS.fit(name) { submits } else { 0 };
    }
    let only_named = !button.submits && SENDS.fit(name) && !GO_ON.fit(name) && !SIGN_IN.fit(name);
    // Such a button may add a row.
    if only_named {
        1
    } else {
        submits + sends(button)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The name of the button that submits all fields of a page.
    fn sent_by(document: Value) -> Option<String> {
        let mut document: Document = serde_json::from_value(document).unwrap();
        let mut filled = Vec::new();
        for (at, field) in document.fields.iter_mut().enumerate() {
            field.handle = Handle::of(1, at as u32 + 1);
            filled.push(field.handle);
        }
        let survey = Survey {
            documents: vec![document],
        };
        submit_button(&survey, &filled).map(|button| button.name.clone())
    }

    fn one(name: &str, at: u32, around: &[u32]) -> Value {
        json!({"name": name, "at": at, "around": around, "submits": true})
    }

    #[test]
    fn without_a_form_a_button_must_belong_to_the_fields() {
        let mail = one("Mail", 2, &[2, 1]);
        let page = |buttons: Value| json!({"fields": [mail], "buttons": buttons});
        let delete = one("Delete all", 1, &[1]);
        let found = sent_by(page(json!([delete, one("Save", 3, &[1])])));
        assert_eq!(found.as_deref(), Some("Save"));
        // The nearest one, whatever else there is behind it.
        let near = json!([one("Send", 9, &[1]), one("Save", 4, &[2, 1])]);
        assert_eq!(sent_by(page(near)).as_deref(), Some("Save"));
        for none in [
            json!([delete]),
            json!([one("Delete account", 3, &[2, 1])]),
            json!([one("Row 0", 3, &[1]), one("Row 1", 4, &[1])]),
            json!([one("Save", 1, &[1])]),
            json!([one("Add to cart", 3, &[2, 1])]),
            json!([one("Save", 3, &[3, 1]), one("Save", 5, &[4, 1])]),
            json!([json!({"name": "Save", "at": 3, "submits": true, "form": 7})]),
        ] {
            assert_eq!(sent_by(page(none.clone())), None, "{none}");
        }
        // What holds only one of two fields is not theirs.
        let two = json!({"fields": [one("A", 1, &[2, 1]), one("B", 3, &[3, 1])],
            "buttons": [one("Save", 4, &[3, 1]), one("Apply", 5, &[1])]});
        assert_eq!(sent_by(two).as_deref(), Some("Save"));
    }

    #[test]
    fn in_a_form_the_name_decides_between_buttons_that_submit() {
        let of = |name: &str, submits: bool| json!({"name": name, "submits": submits, "form": 1});
        for (buttons, found) in [
            (
                json!([of("Delete account", true), of("Save", true)]),
                "Save",
            ),
            (
                json!([of("Delete all", true), of("Search", true)]),
                "Search",
            ),
            (
                json!([of("Add phone", false), of("Register", true)]),
                "Register",
            ),
            (
                json!([of("Log in", true), of("Create account", true)]),
                "Log in",
            ),
            (json!([of("Unlock", true), of("Register", true)]), "Unlock"),
            (json!([of("Delete account", true)]), "Delete account"),
        ] {
            let field = json!({"name": "Mail", "form": 1});
            let page = json!({"fields": [field], "buttons": buttons});
            assert_eq!(sent_by(page).as_deref(), Some(found), "{buttons}");
        }
    }
}
