//! What a page says, in the requested form.
//!
//! [`extract`] gets it from our script; [`markdown`] converts clean HTML to Markdown and extracts the
//! article, with [`tables`] and [`terms`] for what Markdown has no form for; [`schema`] says which fields
//! records have, and [`coerce`] makes their values fit.

mod coerce;
mod grid;
mod markdown;
mod schema;
mod tables;
mod terms;

pub use markdown::{Article, article, markdown};
pub use schema::{Schema, SchemaError};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::page::Page;
use crate::snapshot::{ReadError, Scope, View};

/// Most characters of HTML or text to take from one document.
const MOST: u32 = 16 << 20;
/// Most records to take from one document.
const RECORDS: u32 = 10_000;

/// Text or HTML of a page.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Text {
    /// The text or HTML itself.
    pub text: String,
    /// Number of frames that are missing from it.
    pub frames: u32,
    /// Whether there is more.
    pub cut: bool,
}

/// Extracted records.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// Each is an object with all fields of the schema.
    pub records: Vec<Value>,
    /// What is missing or did not fit.
    pub notes: Vec<String>,
}

/// What to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// Links with their text.
    Links,
    /// Images with their text and size.
    Images,
    /// Forms with their fields.
    Forms,
    /// Tables, row by row.
    Tables,
}

#[derive(Deserialize)]
struct Found {
    records: Vec<Map<String, Value>>,
    items: u32,
    r#where: String,
}

/// The visible text.
///
/// # Errors
/// [`ReadError`].
pub async fn text(view: &mut View, page: &Page, scope: Option<&Scope>) -> Result<Text, ReadError> {
    view.ask(page, scope, "text", &json!({})).await
}

/// The HTML of what is shown: no scripts, no styles, absolute addresses, shadow trees in place.
///
/// # Errors
/// [`ReadError`].
pub async fn html(view: &mut View, page: &Page, scope: Option<&Scope>) -> Result<Text, ReadError> {
    view.ask(page, scope, "html", &json!({"most": MOST})).await
}

/// Links, images or forms, each an object.
///
/// # Errors
/// [`ReadError`].
pub async fn list(
    view: &mut View,
    page: &Page,
    scope: Option<&Scope>,
    what: Listed,
) -> Result<Vec<Value>, ReadError> {
    let kind = match what {
        Listed::Links => "links",
        Listed::Images => "images",
        Listed::Forms => "forms",
        Listed::Tables => "tables",
    };
    view.ask(page, scope, kind, &json!({})).await
}

/// For each name, the texts of all elements that its selector matches, in visual order.
///
/// # Errors
/// [`ReadError`].
pub async fn texts(
    view: &mut View,
    page: &Page,
    scope: Option<&Scope>,
    selectors: &[(String, String)],
) -> Result<Value, ReadError> {
    let options = json!({ "selectors": selectors });
    match view.ask(page, scope, "texts", &options).await {
        Err(ReadError::Script(error)) if error.0.contains("SyntaxError") => {
            let all: Vec<&str> = selectors.iter().map(|(_, one)| one.as_str()).collect();
            Err(ReadError::Selector(all.join(", ")))
        }
        found => found,
    }
}

/// Where the next page of a list is, if the page links to it; `selector` names the link.
///
/// # Errors
/// [`ReadError`].
pub async fn next(
    view: &mut View,
    page: &Page,
    selector: Option<&str>,
) -> Result<Option<String>, ReadError> {
    let options = json!({ "selector": selector });
    match view.ask(page, None, "next", &options).await {
        Err(ReadError::Script(error)) if error.0.contains("SyntaxError") => {
            Err(ReadError::Selector(selector.unwrap_or_default().to_owned()))
        }
        found => found,
    }
}

/// Records of a schema. `items` is a selector for the repeated part; without it, we look for that.
///
/// # Errors
/// [`ReadError`].
pub async fn records(
    view: &mut View,
    page: &Page,
    scope: Option<&Scope>,
    schema: &Schema,
    items: Option<&str>,
) -> Result<Records, ReadError> {
    let options = json!({
        "fields": schema.wanted(),
        "selector": items,
        // A caller that names the repeated part wants all of it.
        "one": schema.is_one() && items.is_none(),
        "most": RECORDS,
    });
    let asked = view.ask(page, scope, "records", &options).await;
    let found: Found = match (asked, items) {
        // Only the selector can be wrong here.
        (Err(ReadError::Script(error)), Some(items)) if error.0.starts_with("SyntaxError") => {
            return Err(ReadError::Selector(items.to_owned()));
        }
        (asked, _) => asked?,
    };
    let (records, mut notes) = coerce::all(schema, found.records);
    if found.items as usize > records.len() {
        notes.push(format!(
            "{} of {} items are included",
            records.len(),
            found.items
        ));
    }
    if records.is_empty() {
        notes.push(
            "no repeating element has any of these fields; name the items with `items`".to_owned(),
        );
    } else if !found.r#where.is_empty() {
        notes.push(format!("items: {}", szk_text::quoted(&found.r#where, 120)));
    }
    Ok(Records { records, notes })
}
