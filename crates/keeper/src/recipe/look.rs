//! A page as recipes see it.

use std::time::Duration;

use szk_page::document;
use szk_page::snapshot::{Candidates, Element, Elements, Handle, KnownElement};
use szk_recipes::{Choice, Expect, Identity, State, TemplateError, Thing, Values, fill};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;
use tokio::time::Instant;

use crate::browser::{page, shows, unread};
use crate::context::Keeper;

/// Milliseconds to wait for a change between two looks, and how much longer a busy page may take.
const CHANGES: u32 = 200;
const SLOW: Duration = Duration::from_millis(600);
/// Milliseconds by which the page may go on changing before the next look, more with each look.
const PATIENT: u32 = 10;
/// No more than this.
const MOST_PATIENT: u32 = 50;
/// How long a page may be on its way before it can be looked at.
const ARRIVES: Duration = Duration::from_secs(5);

/// What a page shows, with what tells the elements apart that are asked for.
pub(super) async fn read(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    asked: Candidates<'_>,
) -> Result<Elements, Failure> {
    read_for(keeper, running, tab, asked, None).await
}

/// The same for a caller that will probably act on this element next: looks at it in the same round trip.
pub(super) async fn read_for(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    asked: Candidates<'_>,
    likely: Option<&Element>,
) -> Result<Elements, Failure> {
    let shared = keeper.views.of(running, tab);
    let mut view = shared.lock().await;
    let page = page(running, tab);
    let looks = async {
        if let Some(element) = likely {
            keeper.acting.look_ahead(running, tab, element);
        }
    };
    // In this order.
    let (read, ()) = tokio::join!(biased; view.elements(&page, asked), looks);
    read.map_err(|error| unread(&error))
}

/// An element that was read, for an act on nothing else; `None` if its document is gone.
pub(super) async fn element(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    known: &KnownElement,
) -> Option<Element> {
    let shared = keeper.views.of(running, tab);
    let view = shared.lock().await;
    view.element(known)
}

/// The element of a page that is meant, among those that it shows now.
pub(super) async fn again(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    wanted: &Identity,
) -> Option<Handle> {
    let page = read(keeper, running, tab, Candidates::Working).await.ok()?;
    let Choice::Found(at) = choose(wanted, &page) else {
        return None;
    };
    let shared = keeper.views.of(running, tab);
    shared.lock().await.handle(&page.all[at].reference)
}

/// Waits until the page changes, or a little. After the first look the first change is enough; the more have
/// come to nothing, the longer the page may take to finish one.
pub(super) async fn change(keeper: &Keeper, running: &Running, tab: &Tab, looks: u32) {
    let page = page(running, tab);
    let quiet = looks.saturating_mul(PATIENT).min(MOST_PATIENT);
    let changed = document::changed(&keeper.worlds, &page, quiet, CHANGES);
    // A page that does not answer is looked at again all the same.
    drop(tokio::time::timeout(SLOW, changed).await);
}

/// The element of a page that is meant.
pub(super) fn choose(wanted: &Identity, page: &Elements) -> Choice {
    let all = &page.all;
    let identities: Vec<Identity> = all.iter().map(|known| known.identity.clone()).collect();
    let inside: Vec<Option<usize>> = all.iter().map(|known| known.inside).collect();
    szk_recipes::choose(wanted, &identities, &inside)
}

/// Elements that a step may mean, with their refs.
pub(super) fn candidates(page: &Elements, doubtful: &[(usize, f64)]) -> Vec<String> {
    let said = |(at, score): &(usize, f64)| {
        let known = page.all.get(*at)?;
        let words = szk_text::line(&known.identity.words(), 120);
        Some(format!("{words} [{}] {:.2}", known.reference, score))
    };
    doubtful.iter().filter_map(said).collect()
}

/// An element with the values of parameters.
pub(super) fn filled(on: &Identity, values: &Values) -> Result<Identity, Failure> {
    let mut on = on.clone();
    for (_, text) in on.texts_mut() {
        *text = fill(text, values).map_err(|error| unknown(&error))?;
    }
    Ok(on)
}

/// A condition with the values of parameters.
pub(super) fn condition(expect: &Expect, values: &Values) -> Result<Expect, Failure> {
    let text = |text: &String| fill(text, values).map_err(|error| unknown(&error));
    let state = |state: &State| {
        Ok::<_, Failure>(State {
            value: state.value.as_ref().map(text).transpose()?,
            ..state.clone()
        })
    };
    let thing = |thing: &Thing| {
        Ok::<_, Failure>(Thing {
            role: thing.role.clone(),
            name: text(&thing.name)?,
            state: state(&thing.state)?,
        })
    };
    let mut place = expect.place.clone();
    for one in place.texts_mut() {
        *one = one.as_ref().map(text).transpose()?;
    }
    Ok(Expect {
        navigates: expect.navigates.as_ref().map(text).transpose()?,
        appears: expect.appears.as_ref().map(thing).transpose()?,
        gone: expect.gone.as_ref().map(thing).transpose()?,
        text: expect.text.as_ref().map(text).transpose()?,
        no_text: expect.no_text.as_ref().map(text).transpose()?,
        value: expect.value,
        state: state(&expect.state)?,
        place,
        changes: expect.changes,
        seconds: expect.seconds,
    })
}

/// What of a condition is not so; nothing if all of it is. Waits a little for a page that is on its way.
pub(super) async fn unmet(
    keeper: &Keeper,
    tab: &str,
    expect: &Expect,
) -> Result<Option<String>, Failure> {
    let until = Instant::now() + ARRIVES;
    for looks in 0.. {
        match unmet_in(keeper, tab, expect, &mut None).await {
            Err(failure) if failure.retryable && Instant::now() < until => {}
            told => return told,
        }
        let (running, tab) = keeper.tab(Some(tab)).await?;
        change(keeper, &running, &tab, looks).await;
    }
    Ok(None)
}

/// The same, with the controls of the page that were read for it, if they were.
pub(super) async fn unmet_in(
    keeper: &Keeper,
    tab: &str,
    expect: &Expect,
    seen: &mut Option<Elements>,
) -> Result<Option<String>, Failure> {
    let (running, tab) = keeper.tab(Some(tab)).await?;
    if let Some(pattern) = &expect.navigates
        && !szk_recipes::matches(pattern, &tab.page.url)
    {
        let at = crate::browser::shown(&tab.page.url);
        return Ok(Some(format!("the page is at {at}, not at `{pattern}`")));
    }
    for (text, away) in [(&expect.text, false), (&expect.no_text, true)] {
        let Some(text) = text else { continue };
        if !shows(keeper, &running, &tab, text, away).await? {
            let still = if away { "still shows" } else { "does not show" };
            return Ok(Some(format!("the page {still} the text {text:?}")));
        }
    }
    if expect.appears.is_none() && expect.gone.is_none() {
        return Ok(None);
    }
    // Everything that says something is seen without asking what listens.
    let mut things = expect.appears.iter().chain(&expect.gone);
    let quick = things.all(|thing| thing.role != "generic");
    let asked = if quick {
        Candidates::Controls
    } else {
        Candidates::Working
    };
    let page = read(keeper, &running, &tab, asked).await?;
    let shows = |thing: &Thing| page.things.iter().any(|one| thing.is(one));
    if let Some(thing) = expect.appears.as_ref().filter(|thing| !shows(thing)) {
        return Ok(Some(format!("the page does not show {}", thing.words())));
    }
    let gone = expect.gone.as_ref().filter(|thing| shows(thing));
    let why = gone.map(|thing| format!("the page still shows {}", thing.words()));
    *seen = Some(page);
    Ok(why)
}

pub(super) fn unknown(error: &TemplateError) -> Failure {
    Failure::invalid(error.to_string())
}
