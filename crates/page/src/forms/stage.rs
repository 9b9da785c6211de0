//! Which step of a login a page is at.

use url::{Position, Url};

use super::survey::{Button, Document, Field, Survey};
use super::words::{
    CODE, GO_ON, LOGIN_PAGE, NO_CODE, NO_SUBMIT, PASSING, SIGN_IN, SIGN_OUT, USER, Verdict,
    verdict_of_text,
};

/// A step of a login.
#[derive(Debug, Clone, PartialEq)]
pub enum Stage<'a> {
    /// It asks for a password, perhaps along with the user name.
    Password {
        /// The user name field, if it is on this page.
        user: Option<&'a Field>,
        /// The password field.
        password: &'a Field,
        /// The button that submits it; `None` means a key does.
        submit: Option<&'a Button>,
        /// What else on the page needs a person.
        besides: Option<Verdict>,
    },
    /// It asks only for the user name.
    User {
        /// Its field.
        user: &'a Field,
        /// The button that submits it; `None` means a key does.
        submit: Option<&'a Button>,
    },
    /// It asks for a code, an approval or a security key.
    SecondFactor,
    /// Only a captcha.
    Captcha,
    /// It asks for a new password, twice.
    NewPassword,
    /// On its way elsewhere.
    Passing,
    /// None of the above.
    Other {
        /// A link or button that leads to a form.
        sign_in: Option<&'a Button>,
        /// The name of the sign-out control.
        sign_out: Option<&'a str>,
    },
}

/// Tells which step a page is at.
#[must_use]
pub fn stage(survey: &Survey) -> Stage<'_> {
    let captcha = survey.documents.iter().any(|d| !d.captcha.is_empty());
    let code = survey.fields().any(is_code);
    let mut new_password = false;
    for document in &survey.documents {
        let passwords: Vec<&Field> = document.fields.iter().filter(|f| is_password(f)).collect();
        for password in &passwords {
            let of_form = passwords.iter().filter(|other| other.form == password.form);
            if password.mark != "password"
                && (of_form.count() > 1 || password.autocomplete.contains("new-password"))
            {
                new_password = true;
                continue;
            }
            let user = user_before(document, password);
            return Stage::Password {
                user,
                password,
                submit: button_of(document, password),
                besides: match (captcha, code) {
                    (true, _) => Some(Verdict::Captcha),
                    (_, true) => Some(Verdict::SecondFactor),
                    _ => None,
                },
            };
        }
    }
    if code || is_split_code(survey) {
        return Stage::SecondFactor;
    }
    if new_password {
        return Stage::NewPassword;
    }
    if let Some((document, user)) = user_alone(survey) {
        return Stage::User {
            user,
            submit: button_of(document, user),
        };
    }
    if captcha {
        return Stage::Captcha;
    }
    let text = survey.documents.iter().map(|d| d.text.as_str());
    let little = survey.documents.iter().map(|d| d.text.len()).sum::<usize>() < 1500;
    let pressed = || {
        let documents = survey.documents.iter();
        documents.flat_map(|d| d.buttons.iter().chain(&d.links))
    };
    let mut names = pressed().map(|button| button.name.as_str());
    let sign_out = names.find(|name| SIGN_OUT.fit(name));
    // A signed-in page may well mention second factors.
    if little && sign_out.is_none() {
        for text in text {
            match verdict_of_text(text) {
                Some((Verdict::SecondFactor, _)) => return Stage::SecondFactor,
                Some((Verdict::Captcha, _)) => return Stage::Captcha,
                _ => {}
            }
        }
    }
    if is_passing(survey) {
        return Stage::Passing;
    }
    Stage::Other {
        sign_in: pressed().find(|b| SIGN_IN.fit(&b.name) && !NO_SUBMIT.fit(&b.name) && !b.disabled),
        sign_out,
    }
}

fn usable(field: &Field) -> bool {
    !field.hidden
        && (field.mark == "user"
            || field.mark == "password"
            || matches!(
                field.role.as_str(),
                "textbox" | "combobox" | "searchbox" | "spinbutton"
            ))
        && field.tag != "select"
}

/// Everything that a field says about itself.
fn said(field: &Field) -> String {
    [
        &field.name,
        &field.near,
        &field.attr,
        &field.id,
        &field.placeholder,
    ]
    .map(String::as_str)
    .join(" ")
}

fn is_password(field: &Field) -> bool {
    if !field.mark.is_empty() {
        return field.mark == "password";
    }
    // Some ask for a code in a password field.
    let code = || {
        let said = said(field).to_lowercase();
        field.autocomplete.contains("one-time-code")
            || CODE.fit(&said)
                && !["pass", "kennw", "wort", "contra"]
                    .iter()
                    .any(|w| said.contains(w))
    };
    usable(field) && field.r#type == "password" && !code()
}

fn is_code(field: &Field) -> bool {
    if !usable(field) || !field.mark.is_empty() || is_password(field) {
        return false;
    }
    if field.autocomplete.contains("one-time-code") {
        return true;
    }
    let kind = matches!(
        field.r#type.as_str(),
        "text" | "tel" | "number" | "password"
    );
    let said = [
        &field.name,
        &field.near,
        &field.attr,
        &field.id,
        &field.placeholder,
    ];
    kind && !field.autocomplete.contains("username")
        && said.iter().any(|text| CODE.fit(text))
        && !said
            .iter()
            .any(|text| NO_CODE.fit(text) || USER.fit(text) && !CODE.fit(text))
}

/// A field for each digit.
fn is_split_code(survey: &Survey) -> bool {
    survey.documents.iter().any(|document| {
        let single = document
            .fields
            .iter()
            .filter(|f| usable(f) && f.length == 1);
        single.count() >= 4
    })
}

fn is_user(field: &Field) -> bool {
    usable(field)
        && field.mark != "password"
        && matches!(
            field.r#type.as_str(),
            "text" | "email" | "tel" | "search" | "number" | ""
        )
        && !is_code(field)
}

/// The user name field that belongs to a password field.
fn user_before<'a>(document: &'a Document, password: &Field) -> Option<&'a Field> {
    if let Some(named) = document.fields.iter().find(|field| field.mark == "user") {
        return Some(named);
    }
    let at = document
        .fields
        .iter()
        .position(|f| f.handle == password.handle)?;
    let before: Vec<&Field> = document.fields[..at]
        .iter()
        .filter(|field| field.form == password.form && is_user(field) && field.role != "searchbox")
        .collect();
    let by = |test: &dyn Fn(&Field) -> bool| before.iter().rev().copied().find(|f| test(f));
    by(&|field| says_user(&field.autocomplete))
        .or_else(|| by(&|field| field.r#type == "email" || USER.fit(&said(field))))
        .or_else(|| before.last().copied())
}

fn says_user(autocomplete: &str) -> bool {
    autocomplete
        .split_whitespace()
        .any(|word| matches!(word, "username" | "email"))
}

/// A user name field on a page about signing in.
fn user_alone(survey: &Survey) -> Option<(&Document, &Field)> {
    for document in &survey.documents {
        if let Some(named) = document.fields.iter().find(|field| field.mark == "user") {
            return Some((document, named));
        }
    }
    survey.documents.iter().find_map(|document| {
        let about = LOGIN_PAGE.fit(&document.title)
            || document.headings.iter().any(|text| LOGIN_PAGE.fit(text))
            || LOGIN_PAGE.fit(&path(&document.url));
        let found = document.fields.iter().find(|field| {
            let named =
                says_user(&field.autocomplete) || field.r#type == "email" || USER.fit(&said(field));
            if !is_user(field) || !named || field.role == "searchbox" {
                return false;
            }
            let button = button_of(document, field);
            let goes_in = button.is_some_and(|button| SIGN_IN.fit(&button.name));
            let goes_on = button.is_none_or(|button| GO_ON.fit(&button.name));
            goes_in || goes_on && about
        });
        found.map(|field| (document, field))
    })
}

/// The part of an address after the host.
fn path(url: &str) -> String {
    Url::parse(url).map_or_else(
        |_| String::new(),
        |url| url[Position::BeforePath..].to_owned(),
    )
}

/// The button that goes on from a field: the one that the caller names, or one that belongs to the field.
fn button_of<'a>(document: &'a Document, field: &Field) -> Option<&'a Button> {
    if let Some(named) = document
        .buttons
        .iter()
        .find(|button| button.mark == "submit")
    {
        return Some(named);
    }
    super::submit::of_login(document, field)
}

fn is_passing(survey: &Survey) -> bool {
    let Some(page) = survey.documents.first() else {
        return true;
    };
    let bare = survey.fields().next().is_none() && survey.buttons().next().is_none();
    let short = page.text.len() < 300;
    page.loading || page.moving && short || bare && short && PASSING.fit(&page.text)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A page with one document; a field's `name` also fills in whatever is not given.
    fn page(document: Value) -> Survey {
        let mut document: Document = serde_json::from_value(document).unwrap();
        for (at, field) in document.fields.iter_mut().enumerate() {
            if field.role.is_empty() {
                field.role = "textbox".into();
            }
            field.handle = crate::snapshot::Handle::of(1, at as u32 + 1);
        }
        Survey {
            documents: vec![document],
        }
    }

    #[track_caller]
    fn check(document: Value, expected: &str) {
        let survey = page(document);
        let found = match stage(&survey) {
            Stage::Password {
                user,
                password,
                submit,
                besides,
            } => format!(
                "{} then {} by {}{}",
                user.map_or("-", |user| &user.name),
                password.name,
                submit.map_or("key", |button| &button.name),
                besides.map_or(String::new(), |what| format!(" and {what:?}"))
            ),
            Stage::User { user, submit } => {
                format!("{} by {}", user.name, submit.map_or("key", |b| &b.name))
            }
            Stage::Other { sign_in, sign_out } => format!(
                "other {} {}",
                sign_in.map_or("-", |button| &button.name),
                sign_out.unwrap_or("-")
            ),
            other => format!("{other:?}"),
        };
        assert_eq!(found, expected);
    }

    fn field(name: &str, kind: &str) -> Value {
        json!({"name": name, "type": kind, "form": 1})
    }

    fn button(name: &str) -> Value {
        json!({"name": name, "role": "button", "submits": true, "form": 1})
    }

    #[test]
    fn forms_with_a_password() {
        check(
            json!({"fields": [field("E-mail", "email"), field("Password", "password")],
                "buttons": [button("Show password"), button("Sign in with Google"), button("Sign in")]}),
            "E-mail then Password by Sign in",
        );
        check(
            json!({"fields": [field("Search", "search"), field("Name", "text"), field("User", "text"), field("Password", "password")]}),
            "User then Password by key",
        );
        check(
            json!({"fields": [field("Password", "password"), field("Code", "text")], "buttons": [button("Go")]}),
            "- then Password by Go and SecondFactor",
        );
        check(
            json!({"captcha": "reCAPTCHA", "fields": [field("User", "text"), field("Password", "password")]}),
            "User then Password by key and Captcha",
        );
        check(
            json!({"fields": [field("New password", "password"), field("Again", "password")]}),
            "NewPassword",
        );
    }

    #[test]
    fn steps() {
        check(
            json!({"title": "Sign in", "fields": [field("E-mail", "email")], "buttons": [button("Next")]}),
            "E-mail by Next",
        );
        check(
            json!({"fields": [field("E-mail", "email")], "buttons": [button("Subscribe")]}),
            "other - -",
        );
        check(
            json!({"title": "Log in", "fields": [field("Search accounts", "search")], "buttons": []}),
            "Search accounts by key",
        );
        check(
            json!({"fields": [field("Verification code", "text")], "buttons": [button("Verify")]}),
            "SecondFactor",
        );
        check(
            json!({"fields": [field("PIN code", "password")], "buttons": [button("Verify")]}),
            "SecondFactor",
        );
        check(
            json!({"fields": [field("Promo code", "text")], "buttons": [button("Apply")]}),
            "other - -",
        );
        let digits: Vec<Value> = (0..6)
            .map(|_| json!({"type": "tel", "length": 1}))
            .collect();
        check(json!({ "fields": digits }), "SecondFactor");
        check(
            json!({"text": "Approve the sign-in on your phone"}),
            "SecondFactor",
        );
        check(json!({"captcha": "x"}), "Captcha");
        check(json!({"text": "Please verify you are human"}), "Captcha");
    }

    #[test]
    fn pages_that_are_none() {
        check(json!({"text": "Redirecting…", "loading": false}), "Passing");
        check(json!({"loading": true}), "Passing");
        check(
            json!({"links": [{"name": "Log in"}, {"name": "Sign up"}], "text": "Shop"}),
            "other Log in -",
        );
        check(
            json!({"buttons": [{"name": "Sign out"}], "text": "Secure it with two-factor codes"}),
            "other - Sign out",
        );
    }
}
