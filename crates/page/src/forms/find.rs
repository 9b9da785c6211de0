//! Finds a field by the name that people use for it.

use super::survey::{Field, Survey};

/// What matches a name.
#[derive(Debug, PartialEq)]
pub enum Fits<'a> {
    /// Nothing.
    None,
    /// One field.
    One(&'a Field),
    /// Check boxes or radio buttons that belong together.
    Group(Vec<&'a Field>),
    /// Several fields that do not belong together.
    Many(Vec<&'a Field>),
}

/// Finds the field with this label, `name`, id or placeholder; better matches come first.
#[must_use]
pub fn find<'a>(survey: &'a Survey, wanted: &str, role: Option<&str>) -> Fits<'a> {
    let plainly = plain(wanted);
    if plainly.is_empty() {
        return Fits::None;
    }
    let fields: Vec<&Field> = survey
        .fields()
        .filter(|field| role.is_none_or(|role| is_of(field, role)))
        .collect();
    let own = |field: &Field| {
        [
            plain(&field.name),
            plain(&field.attr),
            plain(&field.id),
            plain(&field.placeholder),
            plain(&field.near),
        ]
    };
    let ranks: [&dyn Fn(&Field) -> bool; 7] = [
        &|field| field.name == wanted,
        &|field| field.attr == wanted || field.id == wanted,
        &|field| is_box(field) && !field.group.is_empty() && field.group == wanted,
        &|field| plain(&field.name) == plainly,
        &|field| is_box(field) && plain(&field.group) == plainly,
        &|field| own(field).contains(&plainly),
        &|field| own(field).iter().any(|name| words_in(name, &plainly)),
    ];
    for fits in ranks {
        let found: Vec<&Field> = fields.iter().copied().filter(|field| fits(field)).collect();
        match found.as_slice() {
            [] => {}
            [one] if one.r#type != "radio" => return Fits::One(one),
            [first, ..] => {
                if found.iter().all(|field| together(first, field)) {
                    return Fits::Group(found);
                }
                // A field that cannot be used is not meant.
                let usable: Vec<&Field> = found.iter().copied().filter(|f| !f.disabled).collect();
                return match usable.as_slice() {
                    [one] if one.r#type != "radio" => Fits::One(one),
                    _ => Fits::Many(found),
                };
            }
        }
    }
    Fits::None
}

/// The ARIA role, or the type of an `input`.
fn is_of(field: &Field, role: &str) -> bool {
    field.role == role || field.r#type == role || field.tag == role
}

fn is_box(field: &Field) -> bool {
    matches!(field.r#type.as_str(), "radio" | "checkbox")
        || matches!(field.role.as_str(), "radio" | "checkbox")
}

fn together(a: &Field, b: &Field) -> bool {
    let same = a.form == b.form && (a.attr == b.attr && !a.attr.is_empty() || a.group == b.group);
    is_box(a) && is_box(b) && a.role == b.role && same
}

/// Without the decorations that authors put around labels.
fn plain(text: &str) -> String {
    let text = szk_text::comparable(text).to_lowercase();
    text.trim_end_matches(['*', ':', ' ', '?'])
        .trim_start_matches(['*', ' '])
        .to_owned()
}

/// Whether the words occur in a text as whole words.
fn words_in(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        let free = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        free(before) && free(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forms::Document;

    fn field(name: &str, attr: &str, r#type: &str) -> Field {
        Field {
            name: name.into(),
            attr: attr.into(),
            r#type: r#type.into(),
            role: match r#type {
                "radio" | "checkbox" => r#type.into(),
                _ => "textbox".into(),
            },
            ..Field::default()
        }
    }

    fn survey() -> Survey {
        let mut fields = vec![
            field("First name *", "first", "text"),
            field("Last name *", "last", "text"),
            field("Name on card", "cc-name", "text"),
            field("E-mail:", "email", "email"),
            field("Repeat e-mail", "email2", "email"),
            field("", "q", "text"),
            field("Red", "color", "radio"),
            field("Blue", "color", "radio"),
            field("I agree", "ok", "checkbox"),
        ];
        for field in &mut fields[6..8] {
            field.group = "Colour".into();
        }
        Survey {
            documents: vec![Document {
                fields,
                ..Document::default()
            }],
        }
    }

    #[track_caller]
    fn check(wanted: &str, expected: &str) {
        let survey = survey();
        let found = match find(&survey, wanted, None) {
            Fits::None => "none".to_owned(),
            Fits::One(field) => field.attr.clone(),
            Fits::Group(fields) => format!("group of {}", fields.len()),
            Fits::Many(fields) => format!("{} different", fields.len()),
        };
        assert_eq!(found, expected, "{wanted}");
    }

    #[test]
    fn what_fits_best_is_meant() {
        check("First name", "first");
        check("first name", "first");
        check("last", "last");
        check("e-mail", "email");
        check("E-Mail:", "email");
        check("repeat", "email2");
        check("q", "q");
        check("I agree", "ok");
        check("Colour", "group of 2");
        check("color", "group of 2");
        check("Red", "group of 1");
        check("name", "3 different");
        check("card", "cc-name");
        check("ard", "none");
        check("", "none");
    }

    #[test]
    fn a_role_tells_fields_apart() {
        let survey = survey();
        assert_eq!(find(&survey, "Red", Some("textbox")), Fits::None);
        assert!(matches!(
            find(&survey, "agree", Some("checkbox")),
            Fits::One(_)
        ));
    }
}
