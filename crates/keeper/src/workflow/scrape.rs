//! `workflow_scrape`: reads the open page as it is, and all others in a tab that it closes again.

mod recipe;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use szk_page::extract::{self, Listed};
use szk_page::snapshot::{Kept, Scope};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::browser::NavigateInput;
use szk_tools::workflow::{Scrape, ScrapeForm, ScrapeInput, ScrapeOutput, ScrapedPage};
use szk_tools::{Code, Failure, Progress, Response};
use tokio::time::Instant;

use crate::browser::{Content, content, navigate, page, page_text, scope, shown, unread};
use crate::context::Keeper;
use crate::failure;
use crate::sharing::tabs;
use crate::workflow::own_tab::OwnTab;

/// Default size of an answer in bytes.
const BYTES: u32 = 45_000;
/// Maximum pages of a call.
const MOST: u32 = 200;
/// With less time than this left, no further page is opened.
const RESERVE: Duration = Duration::from_secs(3);
/// How long a page may continue to load content.
const FILLING: Duration = Duration::from_secs(2);
/// Pause between two readings of it.
const LOOK: Duration = Duration::from_millis(200);
/// Approximate bytes of text per token.
const PER_TOKEN: usize = 4;

pub(crate) async fn scrape(
    keeper: &Arc<Keeper>,
    input: &ScrapeInput,
    budget: Duration,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Response, Failure> {
    let deadline = Instant::now() + budget.saturating_sub(RESERVE);
    let wanted = wanted(input)?;
    let part = input.scope.as_deref().map(scope);
    let alone = input.urls.is_none() && input.pages.unwrap_or(1) <= 1;
    if matches!(part, Some(Scope::Ref(_))) && !alone {
        return Err(
            Failure::invalid("a ref belongs to one page: give `scope` as a CSS selector")
                .about(["scope"]),
        );
    }
    let (running, tab) = keeper.tab(input.tab.as_deref()).await?;
    let shared = keeper.views.of(&running, &tab);
    let mut pages = Vec::new();
    let from = match &input.cursor {
        Some(cursor) => shared.lock().await.kept_from(cursor).ok_or_else(|| {
            Failure::new(Code::NotFound, "the cursor belongs to another answer")
                .hint("only the last content of a tab can be continued: collect it again")
        })?,
        None if input.recipe.is_some() => {
            let name = input.recipe.as_deref().unwrap_or_default();
            let got = recipe::collect(keeper, &running, input, name, deadline, progress).await;
            // Its tabs are closed.
            let _ = tabs::turn_to(keeper, &running, &tab).await;
            let (collected, kept) = got?;
            pages = collected;
            shared.lock().await.keep_content(kept);
            0
        }
        None => {
            let mut collector = Collector {
                keeper,
                input,
                wanted: &wanted,
                part: part.as_ref(),
                deadline,
                progress,
                own: None,
                pages: Vec::new(),
                kept: Kept::default(),
            };
            collector.collect(&running, &tab).await?;
            let (collected, kept) = collector.finish(&running, &tab).await;
            pages = collected;
            shared.lock().await.keep_content(kept);
            0
        }
    };
    let view = shared.lock().await;
    let bytes = input.max_bytes.unwrap_or(BYTES) as usize;
    let (piece, cursor) = view.content(from, usize::MAX, bytes);
    let (whole, _) = view.content(0, usize::MAX, usize::MAX);
    let size = size(&whole);
    let output = ScrapeOutput {
        session: keeper.session.name().to_string(),
        pages,
        content: piece.text,
        entries: piece.entries,
        bytes: u32::try_from(size).unwrap_or(u32::MAX),
        tokens: u32::try_from(size / PER_TOKEN).unwrap_or(u32::MAX),
        notes: piece.notes,
        cursor,
    };
    Response::of::<Scrape>(summary(&output), &output)
}

fn wanted(input: &ScrapeInput) -> Result<Content, Failure> {
    let ways = [
        input.form.is_some(),
        input.selectors.is_some(),
        input.schema.is_some(),
    ];
    if ways.iter().filter(|given| **given).count() > 1 {
        return Err(
            Failure::invalid("give one of `form`, `selectors` and `schema`").about([
                "form",
                "selectors",
                "schema",
            ]),
        );
    }
    if input.items.is_some() && input.schema.is_none() && input.cursor.is_none() {
        return Err(Failure::invalid("`items` needs `schema`").about(["items", "schema"]));
    }
    let count = input.urls.as_ref().map_or(1, Vec::len);
    if count == 0 || count > MOST as usize {
        return Err(Failure::invalid(format!("give 1 to {MOST} `urls`")).about(["urls"]));
    }
    if input.rows.is_some() && input.recipe.is_none() {
        return Err(Failure::invalid("`rows` needs `recipe`").about(["rows", "recipe"]));
    }
    if let Some(schema) = &input.schema {
        return Content::records(schema, input.items.clone());
    }
    if let Some(selectors) = &input.selectors {
        let all = selectors.iter();
        return Ok(Content::Texts(
            all.map(|(name, one)| (name.clone(), one.clone())).collect(),
        ));
    }
    Ok(match input.form.unwrap_or_default() {
        ScrapeForm::Text => Content::Text,
        ScrapeForm::Markdown => Content::Markdown,
        ScrapeForm::Article => Content::Article,
        ScrapeForm::Links => Content::List(Listed::Links),
        ScrapeForm::Tables => Content::List(Listed::Tables),
    })
}

/// What has been collected so far.
struct Collector<'a> {
    keeper: &'a Arc<Keeper>,
    input: &'a ScrapeInput,
    wanted: &'a Content,
    part: Option<&'a Scope>,
    deadline: Instant,
    progress: &'a (dyn Fn(Progress) + Send + Sync),
    /// The tab for other pages, once there is one.
    own: Option<OwnTab>,
    pages: Vec<ScrapedPage>,
    kept: Kept,
}

impl Collector<'_> {
    async fn collect(&mut self, running: &Running, tab: &Tab) -> Result<(), Failure> {
        let most = self.input.pages.unwrap_or(1).clamp(1, MOST);
        let starts: Vec<Option<String>> = match &self.input.urls {
            None => vec![None],
            Some(urls) => urls.iter().cloned().map(Some).collect(),
        };
        let mut seen: Vec<String> = Vec::new();
        for start in starts {
            let mut at = start;
            for nth in 0..most {
                let full = self.pages.len() >= MOST as usize;
                if full || Instant::now() >= self.deadline {
                    self.kept.notes.push(match full {
                        true => format!("a call reads {MOST} pages; there are more"),
                        false => "the time ran out before all pages were read".to_owned(),
                    });
                    return Ok(());
                }
                let read = match &at {
                    None => self.read(running.clone(), tab.clone()).await,
                    Some(url) => self.visit(url).await,
                };
                let (url, next) = match read {
                    Ok(read) => read,
                    // A caller who asked for one page learns why it failed.
                    Err(failure) if self.pages.is_empty() && self.input.urls.is_none() => {
                        return Err(failure);
                    }
                    Err(failure) => {
                        self.pages.push(ScrapedPage {
                            url: at.as_deref().map(shown).unwrap_or_default(),
                            title: String::new(),
                            count: 0,
                            error: Some(failure.message),
                        });
                        break;
                    }
                };
                seen.push(url);
                match next {
                    Some(next) if nth + 1 < most && !seen.contains(&next) => at = Some(next),
                    _ => break,
                }
            }
        }
        Ok(())
    }

    async fn visit(&mut self, url: &str) -> Result<(String, Option<String>), Failure> {
        let id = match &self.own {
            Some(own) => own.tab.id.clone(),
            None => {
                let running = self.keeper.session.running().await;
                let running = running.map_err(|error| failure::session(&error))?;
                let tab = tabs::open(self.keeper, &running).await?;
                let id = tab.id.clone();
                self.own = Some(OwnTab::new(self.keeper, running, tab));
                id
            }
        };
        (self.progress)(Progress {
            message: shown(url),
            done: u32::try_from(self.pages.len()).unwrap_or(u32::MAX),
            total: 0,
            ..Progress::default()
        });
        let there = NavigateInput {
            tab: Some(id.clone()),
            url: Some(url.to_owned()),
            ..NavigateInput::default()
        };
        let arrival = tokio::time::timeout_at(self.deadline, navigate(self.keeper, &there));
        arrival
            .await
            .map_err(|_| Failure::new(Code::Timeout, "it did not load in the remaining time"))??;
        let (running, tab) = self.keeper.tab(Some(&id)).await?;
        self.filled(&running, &tab).await;
        self.read(running, tab).await
    }

    /// Waits until a page has stopped loading content.
    async fn filled(&self, running: &Running, tab: &Tab) {
        let shared = self.keeper.views.of(running, tab);
        let page = page(running, tab);
        let end = Instant::now() + FILLING;
        let mut before = usize::MAX;
        while Instant::now() < end {
            let mut view = shared.lock().await;
            let Ok(text) = extract::text(&mut view, &page, None).await else {
                return;
            };
            drop(view);
            if text.text.len() == before {
                return;
            }
            before = text.text.len();
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Reads a page; returns its address, and that of the next one.
    async fn read(
        &mut self,
        running: Running,
        tab: Tab,
    ) -> Result<(String, Option<String>), Failure> {
        let shared = self.keeper.views.of(&running, &tab);
        let page = page(&running, &tab);
        let mut view = shared.lock().await;
        // The current tab: the known one is from before the navigation.
        let tab = running.supervisor.tab(&tab.id).unwrap_or(tab);
        let got = content(&mut view, &page, &tab, self.part, self.wanted).await?;
        let next = if self.input.pages.unwrap_or(1) > 1 {
            let found = extract::next(&mut view, &page, self.input.next.as_deref()).await;
            found.map_err(|error| unread(&error))?
        } else {
            None
        };
        let url = tab.page.url.clone();
        let count = match (&got.entries, &got.text) {
            (Some(entries), _) => entries.len(),
            (None, Some(text)) => text.len(),
            (None, None) => 0,
        };
        self.pages.push(ScrapedPage {
            url: shown(&url),
            title: if got.title.is_empty() {
                page_text::title(&tab.page.title)
            } else {
                page_text::title(&got.title)
            },
            count: u32::try_from(count).unwrap_or(u32::MAX),
            error: None,
        });
        self.add(got);
        Ok((url, next))
    }

    fn add(&mut self, got: Kept) {
        if let Some(entries) = got.entries {
            self.kept.entries.get_or_insert_default().extend(entries);
        }
        if let Some(text) = got.text {
            let several = self.input.urls.as_ref().is_some_and(|urls| urls.len() > 1)
                || self.input.pages.unwrap_or(1) > 1;
            let all = self.kept.text.get_or_insert_default();
            if several && let Some(page) = self.pages.last() {
                let gap = if all.is_empty() { "" } else { "\n\n" };
                // Writing to a `String` cannot fail.
                let _ = write!(all, "{gap}<!-- {} -->\n\n", page.url);
            }
            all.push_str(&text);
        }
        for note in got.notes {
            if !self.kept.notes.contains(&note) {
                self.kept.notes.push(note);
            }
        }
    }

    /// Closes the tab it opened, and makes the caller's tab the current one again.
    async fn finish(self, running: &Running, tab: &Tab) -> (Vec<ScrapedPage>, Kept) {
        let Self {
            keeper,
            mut own,
            pages,
            kept,
            ..
        } = self;
        if let Some(own) = &mut own {
            own.close().await;
        }
        // Its page was read a moment ago, so this cannot fail.
        let _ = tabs::turn_to(keeper, running, tab).await;
        (pages, kept)
    }
}

fn size(kept: &Kept) -> usize {
    let entries = kept.entries.iter().flatten();
    let listed: usize = entries.map(|entry| entry.to_string().len()).sum();
    listed + kept.text.as_ref().map_or(0, String::len)
}

/// How many pages were read, of how many that were asked for.
fn counted(pages: &[ScrapedPage]) -> String {
    let read = pages.iter().filter(|page| page.error.is_none()).count();
    match (pages, read) {
        ([], _) => String::new(),
        ([one], 1) => format!("1 page: {}", shown(&one.url)),
        ([_], _) => String::from("the page could not be read"),
        (all, 0) => format!("none of {} pages could be read", all.len()),
        (all, read) if read == all.len() => format!("{read} pages"),
        (all, 1) => format!("1 of {} pages was read", all.len()),
        (all, read) => format!("{read} of {} pages were read", all.len()),
    }
}

fn summary(output: &ScrapeOutput) -> String {
    let mut text = counted(&output.pages);
    let _ = write!(
        text,
        "\n{}, about {}",
        szk_text::counted(output.bytes.into(), "byte"),
        szk_text::counted(output.tokens.into(), "token")
    );
    for page in &output.pages {
        if let Some(error) = &page.error {
            let error = szk_text::line(error, 500);
            let _ = write!(text, "\n{} was not read: {error}", page.url);
        }
    }
    for note in &output.notes {
        let _ = write!(text, "\n({})", szk_text::line(note, 500));
    }
    if let Some(content) = &output.content {
        let _ = write!(text, "\n\n{}", szk_text::fenced(content));
    }
    for entry in output.entries.iter().flatten() {
        let _ = write!(text, "\n{}", szk_text::json(&entry.to_string()));
    }
    if output.entries.as_ref().is_some_and(Vec::is_empty) {
        text.push_str("\n(none)");
    }
    if let Some(cursor) = &output.cursor {
        let _ = write!(text, "\n(there is more: continue with cursor `{cursor}`)");
    }
    text.trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_that_were_read_count() {
        let check = |errors: &[bool], expected: &str| {
            let page = |failed: &bool| ScrapedPage {
                url: "http://a.example/".to_owned(),
                title: String::new(),
                count: 0,
                error: failed.then(|| "it did not load".to_owned()),
            };
            let pages: Vec<ScrapedPage> = errors.iter().map(page).collect();
            assert_eq!(counted(&pages), expected);
        };
        check(&[], "");
        check(&[false], "1 page: http://a.example/");
        check(&[true], "the page could not be read");
        check(&[false, false], "2 pages");
        check(&[true, false, true], "1 of 3 pages was read");
        check(&[false, false, true], "2 of 3 pages were read");
        check(&[true, true], "none of 2 pages could be read");
    }
}
