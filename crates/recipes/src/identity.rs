//! What is known of an element: enough to find it again on a page that has changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What tells an element from all others of a page. Empty fields are not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Identity {
    /// Role, such as `button`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// Accessible name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Text of its label.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Placeholder.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub placeholder: String,
    /// Text that it shows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Text of what it is in, if it says nothing itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub around: String,
    /// Test id.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub test_id: String,
    /// Name under which a form sends it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
    /// Type of an input, such as `password`.
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Path that a link leads to.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub href: String,
    /// Heading or caption above it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub near: String,
    /// Text of the row or list item that it is in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub row: String,
    /// Landmark that it is in, such as `search` or `dialog Login`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub within: String,
    /// Short CSS path.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub css: String,
    /// Frame that it is in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub frame: String,
    /// Hosts of the shadow trees that it is in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub shadow: String,
    /// Language of the document.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub lang: String,
    /// Position among elements of the same role and name, from 1.
    #[serde(skip_serializing_if = "is_zero")]
    pub nth: u32,
    /// Number of elements of the same role and name.
    #[serde(skip_serializing_if = "is_zero")]
    pub of: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Identity {
    /// The fields of text with their names, for substitution and comparison.
    pub fn texts(&self) -> [(&'static str, &String); 17] {
        [
            ("role", &self.role),
            ("name", &self.name),
            ("label", &self.label),
            ("placeholder", &self.placeholder),
            ("text", &self.text),
            ("around", &self.around),
            ("test_id", &self.test_id),
            ("field", &self.field),
            ("type", &self.kind),
            ("href", &self.href),
            ("near", &self.near),
            ("row", &self.row),
            ("within", &self.within),
            ("css", &self.css),
            ("frame", &self.frame),
            ("shadow", &self.shadow),
            ("lang", &self.lang),
        ]
    }

    /// The same fields, to be changed.
    pub fn texts_mut(&mut self) -> [(&'static str, &mut String); 17] {
        [
            ("role", &mut self.role),
            ("name", &mut self.name),
            ("label", &mut self.label),
            ("placeholder", &mut self.placeholder),
            ("text", &mut self.text),
            ("around", &mut self.around),
            ("test_id", &mut self.test_id),
            ("field", &mut self.field),
            ("type", &mut self.kind),
            ("href", &mut self.href),
            ("near", &mut self.near),
            ("row", &mut self.row),
            ("within", &mut self.within),
            ("css", &mut self.css),
            ("frame", &mut self.frame),
            ("shadow", &mut self.shadow),
            ("lang", &mut self.lang),
        ]
    }

    /// Whether it says nothing that an element could be found by.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts().iter().all(|(_, text)| text.is_empty())
    }

    /// Role and name, for messages.
    #[must_use]
    pub fn words(&self) -> String {
        let role = if self.role.is_empty() {
            "element"
        } else {
            &self.role
        };
        let texts = [
            &self.name,
            &self.label,
            &self.text,
            &self.test_id,
            &self.css,
        ];
        match texts.into_iter().find(|text| !text.is_empty()) {
            Some(text) => format!("{role} {text:?}"),
            None => role.to_owned(),
        }
    }
}
