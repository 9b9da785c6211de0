//! `session_open` on an open session: compares options, opens the page, and reports the session.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use szk_runtime::launch::Mode as RunMode;
use szk_runtime::session::{Session, SessionError};
use szk_tools::browser::{Navigate, NavigateInput, NavigateOutput};
use szk_tools::session::{IdentityRow, Mode, Open, OpenInput, OpenOutput, Started};
use szk_tools::{Code, Done, Failure, Progress, Response};
use szk_wire::{Found, options};

use crate::context::{Keeper, listed};
use crate::sharing::tabs;
use crate::{browser, failure};

/// How much of the budget the page may use; the session itself is already open.
const PAGE_BUDGET: Duration = Duration::from_secs(30);

/// How long the saved tabs wait for the page to load.
const PAGE_FIRST: Duration = Duration::from_millis(500);

/// Opens the page too, unless that was `refused`.
pub(crate) async fn open(
    keeper: &Arc<Keeper>,
    input: &OpenInput,
    found: Found,
    refused: Option<Failure>,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Response, Failure> {
    let session = &keeper.session;
    let differ = session.differences(&options::of(input)?);
    if !differ.is_empty() {
        return Err(Failure::new(
            Code::OptionsDiffer,
            format!("session `{}` is open with other options: {}", session.name(), differ.join("; ")),
        )
        .hint(format!("join it without these options, or close it with `session_close` (`szk close {}`) and open it again", session.name())));
    }
    let running = session
        .running()
        .await
        .map_err(|error| failure::session(&error))?;
    if session.is_ending().await {
        return Err(failure::session(&SessionError::Closing));
    }
    let mut warnings = session.take_first_words();
    warnings.extend(session.warnings());
    let mut opened = None;
    if let Some(failure) = refused {
        warnings.push(format!("did not go to the page: {}", failure.message));
        session.page_has_first_tab(false);
    } else if let Some(url) = &input.url {
        progress(Progress {
            message: format!("opening {}", browser::shown(url)),
            done: 3,
            total: 4,
            ..Progress::default()
        });
        match open_page_first(keeper, url).await {
            Ok(page) => opened = Some(page),
            Err(failure) => warnings.push(format!("cannot open the page: {}", failure.message)),
        }
    }
    session.restore_tabs().await;
    let mut open = listed(session);
    // Chromium reports a title a little after the page has loaded.
    if let Some(page) = opened
        && let Some(tab) = open.iter_mut().find(|tab| tab.id == page.tab)
    {
        tab.url = page.url;
        tab.title = page.title;
    }
    let seen = tabs::seen(keeper).await;
    for tab in &mut open {
        let known = seen.iter().find(|seen| seen.id == tab.id);
        tab.client = known.and_then(|known| keeper.visit.another(known, &seen));
    }
    let own = keeper.peek(None).map(|(_, tab)| tab);
    let attached = match own {
        Some(tab) => {
            browser::seen(
                keeper,
                &running,
                &tab,
                input.snapshot,
                browser::Settling::LOADED,
            )
            .await
        }
        None => browser::AttachedSnapshot::default(),
    };
    let meta = session.meta();
    let output = OpenOutput {
        session: session.name().to_string(),
        started: match found {
            Found::Open => Started::Joined,
            Found::Closed | Found::Nowhere => Started::Started,
        },
        clone_of: meta.clone_of.as_ref().map(ToString::to_string),
        mode: match session.mode() {
            RunMode::Window => Mode::Window,
            RunMode::Headless => Mode::Headless,
        },
        browser: running.chromium.product().to_owned(),
        keeper_pid: std::process::id(),
        tabs: open,
        identity: identity(session),
        warnings,
        snapshot: attached.data,
    };
    let mut summary = format!(
        "{} `{}` ({}, {})",
        match output.started {
            Started::Joined => "joined",
            Started::Started => "opened",
        },
        output.session,
        output.browser,
        match output.mode {
            Mode::Window => "in a window",
            Mode::Headless => "without a window",
        }
    );
    if let Some(original) = &output.clone_of {
        summary.push_str(&format!(", an ephemeral copy of `{original}`"));
    }
    for tab in &output.tabs {
        let client = tab.client.as_ref();
        let used = client.map(|client| format!(" (used by {client})"));
        let called = format!("{}{}", tab.id, used.unwrap_or_default());
        let line = browser::page_text::tab_line(&called, &tab.url, &tab.title);
        summary.push_str(&format!("\n{line}"));
    }
    for warning in &output.warnings {
        summary.push_str(&format!("\nnote: {}", szk_text::line(warning, 2000)));
    }
    Response::of::<Open>(summary + &attached.lines, &output)
}

/// Before the saved tabs that wait for it, unless it is one of them.
async fn open_page_first(keeper: &Arc<Keeper>, url: &str) -> Result<NavigateOutput, Failure> {
    let session = &keeper.session;
    if session.held_tabs().iter().any(|held| held == url) {
        session.restore_tabs().await;
    }
    session.page_has_first_tab(true);
    let mut page = pin!(open_page(keeper, url));
    let page = match tokio::time::timeout(PAGE_FIRST, &mut page).await {
        Ok(page) => page,
        Err(_) => tokio::join!(page, session.restore_tabs()).0,
    };
    // The address was refused: nothing has the first tab.
    if matches!(&page, Err(failure) if failure.effect == Done::None) {
        session.page_has_first_tab(false);
    }
    page
}

/// In the current tab if it is blank, otherwise in a new one; open pages stay.
async fn open_page(keeper: &Arc<Keeper>, url: &str) -> Result<NavigateOutput, Failure> {
    let (running, tab) = keeper.tab(None).await?;
    let there = running
        .supervisor
        .tabs()
        .into_iter()
        .find(|tab| tab.page.url == url);
    let there = match there {
        Some(there) if tabs::of_another(keeper, &there).await => None,
        there => there,
    };
    if let Some(there) = there {
        // The page is already open, from before or by someone else: use it.
        tabs::turn_to(keeper, &running, &there).await?;
        return Ok(NavigateOutput {
            session: keeper.session.name().to_string(),
            tab: there.id,
            url: browser::page_text::address(&there.page.url),
            title: browser::page_text::title(&there.page.title),
            status: None,
            loaded: false,
            snapshot: None,
        });
    }
    let blank = tab.page.url == "about:blank" || tab.page.url.starts_with("chrome://newtab");
    let input = NavigateInput {
        url: Some(url.to_owned()),
        tab: (!blank).then(|| "new".to_owned()),
        ..NavigateInput::default()
    };
    match tokio::time::timeout(PAGE_BUDGET, browser::navigate(keeper, &input)).await {
        Ok(result) => result?.read::<Navigate>(),
        Err(_) => Err(Failure::new(
            Code::Timeout,
            format!("it did not load within {} s", PAGE_BUDGET.as_secs()),
        )),
    }
}

/// Identity values in force that differ from the host's.
fn identity(session: &Session) -> Vec<IdentityRow> {
    let mut rows: Vec<IdentityRow> = session
        .resolved()
        .explain()
        .into_iter()
        .filter_map(|row| {
            let key = row.key.strip_prefix("identity.")?;
            Some(IdentityRow {
                key: key.to_owned(),
                value: row.value?.trim_matches('"').to_owned(),
                source: row.source.to_string(),
            })
        })
        .collect();
    rows.insert(
        0,
        IdentityRow {
            key: "mode".into(),
            value: match session.mode() {
                RunMode::Window => "window".into(),
                RunMode::Headless => "headless".into(),
            },
            source: session.resolved().source("browser.headless").to_string(),
        },
    );
    rows
}
