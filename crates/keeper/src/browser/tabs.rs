//! `browser_tabs`.

use std::sync::Arc;

use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::browser::{NavigateInput, TabRow, Tabs, TabsAction, TabsInput, TabsOutput};
use szk_tools::{Code, Done, Failure, Response};

use super::seen::{AttachedSnapshot, Settling, seen};
use super::{labels, navigate, page_text, view};
use crate::context::Keeper;
use crate::failure;
use crate::sharing::tabs as shared;

pub(crate) async fn tabs(keeper: &Arc<Keeper>, input: &TabsInput) -> Result<Response, Failure> {
    let action = input.action.unwrap_or_default();
    let fits = |field: &str, given: bool, actions: &[TabsAction]| {
        if given && !actions.contains(&action) {
            return Err(
                Failure::invalid(format!("this `action` does not take `{field}`"))
                    .about(["action", field]),
            );
        }
        Ok(())
    };
    use TabsAction::{Close, Focus, Label, List, Open};
    fits("url", input.url.is_some(), &[Open])?;
    fits("label", input.label.is_some(), &[Open, Label])?;
    fits("snapshot", input.snapshot.is_some(), &[Open, Focus])?;
    fits("tab", input.tab.is_some(), &[Focus, Close, Label])?;
    fits("take", input.take.is_some(), &[Focus, Close])?;
    match action {
        List => {
            let running = running(keeper).await?;
            answer_without_snapshot(keeper, &running, None, None).await
        }
        Open => open(keeper, input).await,
        Focus => focus(keeper, input).await,
        Close => close(keeper, input).await,
        Label => {
            let Some(label) = &input.label else {
                return Err(Failure::invalid("`label` is missing").about(["label"]));
            };
            let (running, tab) = keeper.tab_as_it_is(input.tab.as_deref()).await?;
            let had = keeper.labels.of(&tab);
            let moved = labelled(keeper, &running, &tab, label).await?;
            let done = match (label.as_str(), had) {
                ("", Some(had)) => format!("{} has no label now; it was `{had}`", tab.id),
                ("", None) => format!("{} had no label", tab.id),
                (label, _) => format!("{} is `{label}`{moved}", tab.id),
            };
            answer_without_snapshot(keeper, &running, Some(tab.id), Some(done)).await
        }
    }
}

async fn open(keeper: &Arc<Keeper>, input: &TabsInput) -> Result<Response, Failure> {
    // Before anything is opened: what is wrong must leave nothing behind.
    if let Some(label) = &input.label {
        labels::check(label)?;
        let open = running(keeper).await?.supervisor.tabs();
        free(keeper, label, &open, None).await?;
    }
    if let Some(url) = &input.url {
        navigate::address(keeper, url)?;
    }
    let (running, tab) = keeper.tab(Some("new")).await?;
    let mut done = format!("opened {}", tab.id);
    if let Some(label) = &input.label {
        let moved = labelled(keeper, &running, &tab, label)
            .await
            .map_err(|failure| failure.effect(Done::Done))?;
        done.push_str(&moved);
    }
    if let Some(url) = &input.url {
        let there = NavigateInput {
            tab: Some(tab.id.clone()),
            url: Some(url.clone()),
            ..NavigateInput::default()
        };
        let arrived = navigate(keeper, &there)
            .await
            .map_err(|failure| failure.effect(Done::Done))?;
        done = format!("{done}: {}", arrived.summary);
    }
    let attached = seen(keeper, &running, &tab, input.snapshot, Settling::LOADED).await;
    answer(keeper, &running, Some(tab.id), Some(done), attached).await
}

/// Gives a tab a label; says which tab had it before.
async fn labelled(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    label: &str,
) -> Result<String, Failure> {
    let open = running.supervisor.tabs();
    let before = free(keeper, label, &open, Some(tab)).await?;
    keeper.labels.set(tab, label, &open)?;
    let moved = before.map(|before| format!("; {} no longer is", before.id));
    Ok(moved.unwrap_or_default())
}

/// The other tab that has this label. It may lose it to `to`, or to a tab that is about to open.
///
/// # Errors
/// `TAB_TAKEN` if another client has that tab: it names the tab by this label.
async fn free(
    keeper: &Keeper,
    label: &str,
    open: &[Tab],
    to: Option<&Tab>,
) -> Result<Option<Tab>, Failure> {
    let other = keeper.labels.find(label, open.to_vec());
    let Some(other) = other.filter(|tab| to.is_none_or(|to| to.id != tab.id)) else {
        return Ok(None);
    };
    let seen = shared::seen(keeper).await;
    let by = seen
        .iter()
        .find(|seen| seen.id == other.id)
        .and_then(|tab| keeper.visit.another(tab, &seen));
    match by {
        Some(by) => Err(Failure::new(
            Code::TabTaken,
            format!("`{label}` is the label of {}, which {by} uses", other.id),
        )
        .hint("choose another label")
        .about(["label"])),
        None => Ok(Some(other)),
    }
}

async fn focus(keeper: &Arc<Keeper>, input: &TabsInput) -> Result<Response, Failure> {
    let (running, tab) = keeper.tab_as_it_is(input.tab.as_deref()).await?;
    let shown = view::page(&running, &tab).bring_to_front().await;
    shown.map_err(|error| {
        failure::cdp("the tab was not brought to the front", &error, Done::None)
    })?;
    let done = format!("{} is in front", tab.id);
    let attached = seen(keeper, &running, &tab, input.snapshot, Settling::LOADED).await;
    answer(keeper, &running, Some(tab.id), Some(done), attached).await
}

/// A window without a tab is closed by Chromium, and with the last window the session ends; closing a
/// tab does not mean that, so the last one is followed by a blank one.
async fn close(keeper: &Arc<Keeper>, input: &TabsInput) -> Result<Response, Failure> {
    let (running, tab) = keeper.tab_as_it_is(input.tab.as_deref()).await?;
    let supervisor = &running.supervisor;
    if supervisor.tabs().len() == 1 {
        supervisor
            .open_tab()
            .await
            .map_err(|error| failure::tab(&error))?;
    }
    supervisor
        .close_tab(&tab)
        .await
        .map_err(|error| failure::cdp("cannot close the tab", &error, Done::None))?;
    let done = format!("closed {}", tab.id);
    answer_without_snapshot(keeper, &running, Some(tab.id), Some(done)).await
}

async fn running(keeper: &Keeper) -> Result<Running, Failure> {
    let running = keeper.session.running().await;
    running.map_err(|error| failure::session(&error))
}

async fn answer_without_snapshot(
    keeper: &Keeper,
    running: &Running,
    tab: Option<String>,
    done: Option<String>,
) -> Result<Response, Failure> {
    answer(keeper, running, tab, done, AttachedSnapshot::default()).await
}

async fn answer(
    keeper: &Keeper,
    running: &Running,
    tab: Option<String>,
    done: Option<String>,
    attached: AttachedSnapshot,
) -> Result<Response, Failure> {
    running.supervisor.ask_titles().await;
    let output = TabsOutput {
        session: keeper.session.name().to_string(),
        tab,
        tabs: rows(keeper, running).await,
        snapshot: attached.data,
    };
    let mut lines: Vec<String> = done.into_iter().collect();
    if output.tabs.is_empty() {
        lines.push("no tab is open".to_owned());
    }
    for row in &output.tabs {
        let whose = match (&row.client, row.current, row.yours) {
            (Some(client), ..) => format!(" (used by {client})"),
            (None, true, _) => " (current)".to_owned(),
            (None, false, true) => " (yours)".to_owned(),
            (None, false, false) => String::new(),
        };
        let label = row.label.as_ref().map(|label| format!(" `{label}`"));
        let called = format!("{}{}{whose}", row.id, label.unwrap_or_default());
        lines.push(page_text::tab_line(&called, &row.url, &row.title));
    }
    Response::of::<Tabs>(lines.join("\n") + &attached.lines, &output)
}

async fn rows(keeper: &Keeper, running: &Running) -> Vec<TabRow> {
    let open = running.supervisor.tabs();
    let current = keeper.peek(None).map(|(_, tab)| tab.id);
    let seen = shared::seen(keeper).await;
    let opener = |tab: &Tab| {
        let opener = tab.page.opener.as_ref()?;
        let by = open.iter().find(|other| other.page.target_id == *opener)?;
        Some(by.id.clone())
    };
    let row = |tab: &Tab| TabRow {
        yours: keeper.visit.has(&tab.id),
        client: seen
            .iter()
            .find(|seen| seen.id == tab.id)
            .and_then(|tab| keeper.visit.another(tab, &seen)),
        id: tab.id.clone(),
        label: keeper.labels.of(tab),
        url: keeper
            .redactor()
            .text(&page_text::address(&tab.page.url))
            .into_owned(),
        title: keeper
            .redactor()
            .text(&page_text::title(&tab.page.title))
            .into_owned(),
        current: current.as_ref() == Some(&tab.id),
        opener: opener(tab),
    };
    open.iter().map(row).collect()
}

#[cfg(test)]
mod tests;
