//! The controls of a page.

use serde::Deserialize;
use serde_json::json;

use crate::page::Page;
use crate::snapshot::{Handle, Holds, ReadError, View};

/// Selectors that a caller names instead of what would be found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// The user name's field.
    pub user: Option<String>,
    /// The password's.
    pub password: Option<String>,
    /// The button.
    pub submit: Option<String>,
}

/// What is looked for beside the controls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Controls that are named.
    pub marks: Marks,
    /// Text that may be shown.
    pub text: Option<String>,
    /// A selector of what may be shown.
    pub selector: Option<String>,
    /// What may be selectors of fields; such a field is marked with the selector itself.
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
    /// When it began: another number is another document.
    pub born: f64,
    /// It has not come in full.
    pub loading: bool,
    /// It is about to go elsewhere by itself.
    pub moving: bool,
    /// In the order in which they are drawn.
    pub fields: Vec<Field>,
    /// Buttons.
    pub buttons: Vec<Button>,
    /// Links with short names.
    pub links: Vec<Button>,
    /// Texts of headings.
    pub headings: Vec<String>,
    /// Alerts, and what looks like one.
    pub messages: Vec<Message>,
    /// A captcha that is not solved.
    pub captcha: String,
    /// Its text, or the beginning of it.
    pub text: String,
    /// The text and the selector that were looked for are there.
    pub fits: bool,
    pub(super) frames: Vec<u32>,
}

/// A field.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Field {
    pub(super) n: u32,
    /// Which node it is.
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
    /// What stands in front of it, where it has no name.
    pub near: String,
    /// `name` attribute.
    pub attr: String,
    /// `id` attribute.
    pub id: String,
    /// `placeholder` attribute.
    pub placeholder: String,
    /// `autocomplete` attribute.
    pub autocomplete: String,
    /// Name of the group that a box is in.
    pub group: String,
    /// What a box stands for.
    pub value: String,
    /// Nothing can be put in.
    pub disabled: bool,
    /// It keeps what it holds.
    pub readonly: bool,
    /// It must not stay empty.
    pub required: bool,
    /// Nothing is in it.
    pub empty: bool,
    /// A box that is on.
    pub checked: bool,
    /// It takes several.
    pub multiple: bool,
    /// Most characters; 0 for any number.
    pub length: u32,
    /// Its form, 0 for none.
    pub form: u32,
    /// Drawn by something else.
    pub hidden: bool,
    /// What is wrong with what is in it, as the page says.
    pub wrong: String,
    /// Choices of a list.
    pub options: Vec<Choice>,
    /// What the caller named it: `user`, `password`.
    pub mark: String,
}

/// A choice of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Choice {
    /// As shown.
    pub label: String,
    /// As sent.
    pub value: String,
}

/// A button or a link.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Button {
    pub(super) n: u32,
    /// Which node it is.
    #[serde(skip)]
    pub handle: Handle,
    /// ARIA role.
    pub role: String,
    /// Accessible name.
    pub name: String,
    /// It sends its form.
    pub submits: bool,
    /// It cannot be pressed.
    pub disabled: bool,
    /// Its form, 0 for none.
    pub form: u32,
    /// The caller named it.
    pub mark: String,
}

/// Something that the page says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Message {
    /// It.
    pub text: String,
    /// Said to be one; others only look so.
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
/// [`ReadError`] of the outermost document; the others are left out when they do not answer.
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
    /// A message within a message is told once, by the inner one.
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

    /// The origin of the document that a field is in.
    #[must_use]
    pub fn origin_of(&self, field: &Field) -> &str {
        let holds = |document: &&Document| {
            document
                .fields
                .iter()
                .any(|other| other.handle == field.handle)
        };
        match self.documents.iter().find(holds) {
            // Files have none that could be named.
            Some(document) if document.url.starts_with("file:") => &document.url,
            Some(document) => &document.origin,
            None => "null",
        }
    }

    /// All buttons.
    pub fn buttons(&self) -> impl Iterator<Item = &Button> {
        self.documents.iter().flat_map(|document| &document.buttons)
    }

    /// What the page says, and what it says of single fields.
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

    /// Whether what was looked for is in any document.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.documents.iter().any(|document| document.fits)
    }
}
