//! The controls of a page.

use serde::Deserialize;
use serde_json::json;

use crate::page::Page;
use crate::snapshot::{Handle, Holds, ReadError, View};

/// Selectors that a caller gives instead of relying on detection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// The user name field.
    pub user: Option<String>,
    /// The password field.
    pub password: Option<String>,
    /// The button.
    pub submit: Option<String>,
}

/// What to look for in addition to the controls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Controls named by the caller.
    pub marks: Marks,
    /// Text that may be visible.
    pub text: Option<String>,
    /// A selector for something that may be visible.
    pub selector: Option<String>,
    /// Possible selectors of fields; a field that matches is marked with the selector itself.
    pub fields: Vec<String>,
}

/// All documents of a page, the outermost first.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// The documents.
    pub documents: Vec<Document>,
}

/// A document.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Document {
    /// Its address.
    pub url: String,
    /// Its origin: `null` in a sandbox, whatever its address.
    pub origin: String,
    /// Its title.
    pub title: String,
    /// When it was created: another number means another document.
    pub born: f64,
    /// It has not loaded completely.
    pub loading: bool,
    /// It is about to navigate on its own.
    pub moving: bool,
    /// In visual order.
    pub fields: Vec<Field>,
    /// Buttons.
    pub buttons: Vec<Button>,
    /// Links with short names.
    pub links: Vec<Button>,
    /// Heading texts.
    pub headings: Vec<String>,
    /// Alerts and things that look like alerts.
    pub messages: Vec<Message>,
    /// Names of open dialogs.
    pub dialogs: Vec<String>,
    /// An unsolved captcha.
    pub captcha: String,
    /// Its text, or the beginning of it.
    pub text: String,
    /// The requested text and selector were found.
    pub fits: bool,
    pub(super) frames: Vec<u32>,
}

/// A field.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Field {
    pub(super) n: u32,
    /// The node.
    #[serde(skip)]
    pub handle: Handle,
    /// ARIA role.
    pub role: String,
    /// HTML tag.
    pub tag: String,
    /// Type of an `input`.
    pub r#type: String,
    /// Accessible name.
    pub name: String,
    /// The text in front of it, if it has no name.
    pub near: String,
    /// `name` attribute.
    pub attr: String,
    /// `id` attribute.
    pub id: String,
    /// `placeholder` attribute.
    pub placeholder: String,
    /// `autocomplete` attribute.
    pub autocomplete: String,
    /// Name of the group that a check box or radio button is in.
    pub group: String,
    /// The value that a check box or radio button stands for.
    pub value: String,
    /// It accepts no input.
    pub disabled: bool,
    /// It is read-only.
    pub readonly: bool,
    /// It must not stay empty.
    pub required: bool,
    /// It is empty.
    pub empty: bool,
    /// A check box that is on.
    pub checked: bool,
    /// It takes several values.
    pub multiple: bool,
    /// Most characters; 0 means any number.
    pub length: u32,
    /// Its form; 0 means none.
    pub form: u32,
    /// Without a form: its place among all that is drawn, and what it is in, by number, the innermost first.
    pub(super) at: u32,
    pub(super) around: Vec<u32>,
    /// Something else is drawn in its place.
    pub hidden: bool,
    /// What the page says is wrong with its content.
    pub wrong: String,
    /// Choices of a list.
    pub options: Vec<Choice>,
    /// The caller's mark for it: `user`, `password`.
    pub mark: String,
}

/// A choice of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Choice {
    /// As shown.
    pub label: String,
    /// As sent.
    pub value: String,
    /// It cannot be chosen.
    #[serde(default)]
    pub disabled: bool,
}

/// A button or a link.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Button {
    pub(super) n: u32,
    /// The node.
    #[serde(skip)]
    pub handle: Handle,
    /// ARIA role.
    pub role: String,
    /// Accessible name.
    pub name: String,
    /// It submits its form.
    pub submits: bool,
    /// It cannot be pressed.
    pub disabled: bool,
    /// Its form; 0 means none.
    pub form: u32,
    /// Without a form: as for fields.
    pub(super) at: u32,
    pub(super) around: Vec<u32>,
    /// The caller's mark for it.
    pub mark: String,
}

/// A message of the page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Message {
    /// The text.
    pub text: String,
    /// Declared as an alert; others only look like one.
    pub alert: bool,
}

impl Holds for Document {
    fn frames(&self) -> &[u32] {
        &self.frames
    }
}

/// Reads the controls of all documents of a page.
///
/// # Errors
/// [`ReadError`] of the outermost document; others that do not answer are left out.
pub async fn survey(view: &mut View, page: &Page, wanted: &Wanted) -> Result<Survey, ReadError> {
    let mut marks = serde_json::Map::new();
    let named = &wanted.marks;
    for (name, selector) in [
        ("user", &named.user),
        ("password", &named.password),
        ("submit", &named.submit),
    ] {
        if let Some(selector) = selector {
            marks.insert(name.to_owned(), json!(selector));
        }
    }
    let fields: Vec<[&String; 2]> = wanted.fields.iter().map(|one| [one, one]).collect();
    let options =
        json!({"marks": marks, "fields": fields, "text": wanted.text, "selector": wanted.selector});
    let told = view.ask_all::<Document>(page, "controls", &options).await?;
    let documents = told.into_iter().map(|told| {
        let mut document = told.value;
        for field in &mut document.fields {
            field.handle = Handle::of(told.world, field.n);
        }
        for button in document.buttons.iter_mut().chain(&mut document.links) {
            button.handle = Handle::of(told.world, button.n);
        }
        document.keep_inner_messages();
        document
    });
    Ok(Survey {
        documents: documents.collect(),
    })
}

impl Document {
    /// For nested messages, keeps only the inner one.
    fn keep_inner_messages(&mut self) {
        let all = self.messages.clone();
        let mut known = Vec::new();
        self.messages.retain(|message| {
            let outer = all.iter().any(|other| {
                other.text.len() < message.text.len() && message.text.contains(&other.text)
            });
            let again = known.contains(&message.text);
            known.push(message.text.clone());
            !outer && !again
        });
    }
}

impl Survey {
    /// All fields.
    pub fn fields(&self) -> impl Iterator<Item = &Field> {
        self.documents.iter().flat_map(|document| &document.fields)
    }

    /// The origin of the document that contains a field.
    #[must_use]
    pub fn origin_of(&self, field: &Field) -> &str {
        let holds = |document: &&Document| {
            document
                .fields
                .iter()
                .any(|other| other.handle == field.handle)
        };
        match self.documents.iter().find(holds) {
            // Files have no origin that could be named.
            Some(document) if document.url.starts_with("file:") => &document.url,
            Some(document) => &document.origin,
            None => "null",
        }
    }

    /// All buttons.
    pub fn buttons(&self) -> impl Iterator<Item = &Button> {
        self.documents.iter().flat_map(|document| &document.buttons)
    }

    /// What the page says, in general and about single fields.
    #[must_use]
    pub fn messages(&self) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for document in &self.documents {
            let said = document.messages.iter().map(|message| &message.text);
            let wrong = document.fields.iter().map(|field| &field.wrong);
            for text in said.chain(wrong.filter(|text| !text.is_empty())) {
                if !texts.contains(text) {
                    texts.push(text.clone());
                }
            }
        }
        texts
    }

    /// What the page says is wrong with single fields, by their names.
    #[must_use]
    pub fn complaints(&self) -> Vec<(String, String)> {
        let wrong = self.fields().filter(|field| !field.wrong.is_empty());
        wrong
            .map(|field| {
                let names = [&field.name, &field.near, &field.placeholder, &field.attr];
                let name = names.into_iter().find(|name| !name.is_empty());
                (name.cloned().unwrap_or_default(), field.wrong.clone())
            })
            .collect()
    }

    /// Names of the dialogs that are open.
    #[must_use]
    pub fn dialogs(&self) -> Vec<String> {
        let all = self.documents.iter().flat_map(|document| &document.dialogs);
        all.cloned().collect()
    }

    /// Whether any document has what was looked for.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.documents.iter().any(|document| document.fits)
    }
}
