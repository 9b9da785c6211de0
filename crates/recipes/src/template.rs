//! Texts with parameters: `{{name}}`.

use std::collections::BTreeMap;

/// Values of parameters, by name.
pub type Values = BTreeMap<String, String>;

/// A text that cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// Nothing has this name.
    #[error("there is no parameter `{0}`")]
    Unknown(String),
    /// `{{` without `}}`.
    #[error("`{{{{` without `}}}}` in `{0}`")]
    Open(String),
}

/// The names in a text.
///
/// # Errors
/// [`TemplateError::Open`].
pub fn names(text: &str) -> Result<Vec<&str>, TemplateError> {
    let parts = parts(text)?;
    Ok(parts.into_iter().filter_map(|(_, name)| name).collect())
}

/// The text with the values of its parameters.
///
/// # Errors
/// [`TemplateError`].
pub fn fill(text: &str, values: &Values) -> Result<String, TemplateError> {
    let mut filled = String::new();
    for (before, name) in parts(text)? {
        filled.push_str(before);
        if let Some(name) = name {
            let value = values.get(name);
            filled.push_str(value.ok_or_else(|| TemplateError::Unknown(name.to_owned()))?);
        }
    }
    Ok(filled)
}

/// Plain text, each with the name that follows it.
fn parts(text: &str) -> Result<Vec<(&str, Option<&str>)>, TemplateError> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, left)) = after.split_once("}}") else {
            return Err(TemplateError::Open(text.to_owned()));
        };
        parts.push((before, Some(name.trim())));
        rest = left;
    }
    parts.push((rest, None));
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_by_values() {
        let values = Values::from([("order".to_owned(), "7 {{x}}".to_owned())]);
        assert_eq!(
            fill("a {{order}}b{{ order }}", &values).unwrap(),
            "a 7 {{x}}b7 {{x}}"
        );
        assert_eq!(fill("plain", &values).unwrap(), "plain");
        assert_eq!(names("{{a}}-{{b}}").unwrap(), ["a", "b"]);
        assert_eq!(
            fill("{{b}}", &values),
            Err(TemplateError::Unknown("b".into()))
        );
        assert_eq!(names("{{b"), Err(TemplateError::Open("{{b".into())));
    }
}
