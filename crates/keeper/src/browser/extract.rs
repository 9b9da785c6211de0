//! `browser_extract`.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value;
use szk_page::Page;
use szk_page::extract::{self, Listed, Schema, Text};
use szk_page::snapshot::{Kept, Scope, View};
use szk_runtime::supervisor::Tab;
use szk_tools::browser::{Extract, ExtractInput, ExtractOutput, Form};
use szk_tools::{Code, Failure, Response};

use super::{page_text, shown, view};
use crate::context::Keeper;

/// Bytes of an answer, unless the caller says otherwise.
const BYTES: u32 = 45_000;

pub(crate) async fn extract(
    keeper: &Arc<Keeper>,
    input: &ExtractInput,
) -> Result<Response, Failure> {
    let wanted = Wanted::of(input)?;
    let (running, tab) = keeper.tab(input.tab.as_deref()).await?;
    let page = view::page(&running, &tab);
    let shared = keeper.views.of(&running, &tab);
    let mut view = shared.lock().await;
    let from = match &input.cursor {
        Some(cursor) => view.kept_from(cursor).ok_or_else(|| {
            Failure::new(
                Code::NotFound,
                format!("the cursor `{}` belongs to another answer", shown(cursor)),
            )
            .hint("only the last content of a tab can be continued: extract it again without `cursor`")
        })?,
        None => {
            let scope = input.scope.as_deref().map(view::scope);
            let kept = get(&mut view, &page, &tab, scope.as_ref(), &wanted).await?;
            view.keep_content(kept);
            0
        }
    };
    let bytes = input.max_bytes.unwrap_or(BYTES) as usize;
    let limit = input.limit.map_or(usize::MAX, |limit| limit as usize);
    let (piece, cursor) = view.content(from, limit, bytes);
    let mut output = ExtractOutput {
        session: keeper.session.name().to_string(),
        tab: tab.id.clone(),
        url: page_text::address(&tab.page.url),
        title: page_text::title(&piece.title),
        content: piece.text,
        entries: piece.entries,
        total: u32::try_from(piece.total).unwrap_or(u32::MAX),
        notes: piece.notes,
        cursor,
    };
    if output.title.is_empty() {
        output.title = page_text::title(&tab.page.title);
    }
    Response::of::<Extract>(summary(&output), &output)
}

/// What is asked for, checked.
pub(crate) enum Wanted {
    Text,
    Article,
    Markdown,
    Html,
    List(Listed),
    Records(Box<Schema>, Option<String>),
    /// Names and selectors.
    Texts(Vec<(String, String)>),
}

impl Wanted {
    /// Records by a schema, as a caller gives it.
    pub(crate) fn records(schema: &Value, items: Option<String>) -> Result<Self, Failure> {
        let schema = Schema::read(schema).map_err(|error| Failure::invalid(error.to_string()))?;
        Ok(Self::Records(Box::new(schema), items))
    }

    fn of(input: &ExtractInput) -> Result<Self, Failure> {
        let form = input.form.unwrap_or(if input.schema.is_some() {
            Form::Records
        } else {
            Form::default()
        });
        if form != Form::Records && (input.schema.is_some() || input.items.is_some()) {
            return Err(
                Failure::invalid("`schema` and `items` require the form `records`")
                    .about(["schema", "items"]),
            );
        }
        Ok(match form {
            Form::Text => Self::Text,
            Form::Article => Self::Article,
            Form::Markdown => Self::Markdown,
            Form::Html => Self::Html,
            Form::Links => Self::List(Listed::Links),
            Form::Images => Self::List(Listed::Images),
            Form::Forms => Self::List(Listed::Forms),
            Form::Records => {
                // Going on needs no schema: what was found is kept.
                let Some(schema) = &input.schema else {
                    if input.cursor.is_some() {
                        return Ok(Self::Text);
                    }
                    return Err(Failure::invalid("`schema` is missing").about(["schema"]).hint(
                        r#"for example {"type": "array", "items": {"properties": {"title": {"type": "string"}, "price": {"type": "number"}}}}"#,
                    ));
                };
                Self::records(schema, input.items.clone())?
            }
        })
    }
}

pub(crate) async fn get(
    view: &mut View,
    page: &Page,
    tab: &Tab,
    scope: Option<&Scope>,
    wanted: &Wanted,
) -> Result<Kept, Failure> {
    let unread = |error| view::unread(&error);
    match wanted {
        Wanted::Text => Ok(kept(
            extract::text(view, page, scope).await.map_err(unread)?,
        )),
        Wanted::Html => Ok(kept(
            extract::html(view, page, scope).await.map_err(unread)?,
        )),
        Wanted::Markdown => {
            let html = extract::html(view, page, scope).await.map_err(unread)?;
            let text = apart(move || Text {
                text: extract::markdown(&html.text),
                ..html
            })
            .await?;
            Ok(kept(text))
        }
        Wanted::Article => {
            let html = extract::html(view, page, scope).await.map_err(unread)?;
            let (title, url) = (tab.page.title.clone(), tab.page.url.clone());
            let found = apart(move || extract::article(&html.text, &title, &url)).await?;
            let article = found.ok_or_else(|| {
                Failure::new(Code::NotFound, "there is no article on this page")
                    .hint("use `markdown` for the whole page")
            })?;
            let by = article.byline.map(|by| format!("by {by}"));
            Ok(Kept {
                title: article.title,
                text: Some(article.text),
                notes: by.into_iter().collect(),
                ..Kept::default()
            })
        }
        Wanted::List(what) => {
            let entries = extract::list(view, page, scope, *what)
                .await
                .map_err(unread)?;
            Ok(Kept {
                entries: Some(entries),
                ..Kept::default()
            })
        }
        Wanted::Texts(selectors) => {
            let found = extract::texts(view, page, scope, selectors)
                .await
                .map_err(unread)?;
            Ok(Kept {
                entries: Some(vec![found]),
                ..Kept::default()
            })
        }
        Wanted::Records(schema, items) => {
            let found = extract::records(view, page, scope, schema, items.as_deref())
                .await
                .map_err(unread)?;
            Ok(Kept {
                entries: Some(found.records),
                notes: found.notes,
                ..Kept::default()
            })
        }
    }
}

fn kept(text: Text) -> Kept {
    let mut notes = Vec::new();
    if text.frames > 0 {
        let frames = text.frames;
        notes.push(format!(
            "frames left out: {frames}; extract each with its ref as `scope`"
        ));
    }
    if text.cut {
        notes.push("the page has more than fits in one call".to_owned());
    }
    Kept {
        text: Some(text.text),
        notes,
        ..Kept::default()
    }
}

/// Long work on text, beside the tasks that answer others.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Failure::internal(format!("cannot format the content: {error}")))
}

fn summary(output: &ExtractOutput) -> String {
    let mut text = page_text::heading(&output.tab, &output.title, &output.url);
    for note in &output.notes {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "\n({})", szk_text::line(note, 500));
    }
    if let Some(content) = &output.content {
        let _ = write!(text, "\n\n{}", szk_text::fenced(content));
    }
    for entry in output.entries.iter().flatten() {
        let _ = write!(text, "\n{}", line(entry));
    }
    if output.entries.as_ref().is_some_and(Vec::is_empty) {
        text.push_str("\n(none)");
    }
    if let Some(cursor) = &output.cursor {
        let _ = write!(text, "\n(there is more: continue with cursor `{cursor}`)");
    }
    text
}

/// An entry on one line: JSON escapes what could end it.
fn line(entry: &Value) -> String {
    szk_text::json(&entry.to_string()).into_owned()
}
