//! The log of acts: what every client did on the pages, and what came of it.
//!
//! An element is identified before the act, because it may be gone afterwards. What cannot be
//! identified is logged without its element. What was waited for is looked at afterwards (`wait`), and so is
//! what became of the element (`became`).

mod became;
mod meant;
mod wait;

use std::time::Duration;

use szk_page::act::{Act, Did, DropAt, Journey, Scene, Target};
use szk_page::input::Button;
use szk_page::snapshot::Watched;
use szk_recipes::{Acted, Distance, Effect, Identity, OtherButton, Thing};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use tokio::time::Instant;

use crate::context::Keeper;
use crate::dialogs;

pub(crate) use became::{became, others};

/// How long identifying an element may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Lines of a change that are kept.
const MOST: usize = 30;

/// An act that is about to be carried out.
pub(crate) struct Begun {
    acted: Acted,
    began: Instant,
    wait: Option<wait::Begun>,
    /// The element before an act that may turn it into something else.
    watched: Option<Watched>,
}

/// Identifies the element of an act, if it is not `known`; `None` for an act that is not logged.
pub(crate) async fn begin(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    scene: &Scene<'_>,
    act: &Act,
    target: Option<&Target>,
    known: Option<Identity>,
) -> Option<Begun> {
    let began = Instant::now();
    let (word, value) = words(act)?;
    let ask = meant::Asking {
        keeper,
        running,
        tab,
        scene,
    };
    let found = match target {
        Some(_) if known.is_some() => None,
        None if types(act) => ask.focused().await,
        // It may not be there yet; what is waited for is seen in the end.
        Some(_) if wait::comes(act) => None,
        Some(target) => ask.of(act, target).await,
        None => None,
    };
    let to = match act {
        Act::Drag(DropAt::Target(target)) => ask.end(target).await,
        _ => None,
    };
    let (to, to_point) = match to {
        Some(found) => (Some(found.identity), found.point),
        None => (None, None),
    };
    let (on, point, watched) = match (found, target, known) {
        (Some(found), ..) => (Some(found.identity), found.point, Some(found.watched)),
        (None, Some(target), Some(known)) => (Some(known), ask.point(target).await, None),
        (None, ..) => (None, None, None),
    };
    // What goes to wherever the focus is may go into a password field.
    let secret = types(act) && on.as_ref().is_none_or(|on| on.kind == "password");
    if let (true, Some(value), false) = (secret, &value, matches!(act, Act::Press(..))) {
        keeper.event_log.hide_typed(value);
    }
    let client = keeper.visit.client().map(|client| client.name.clone());
    let acted = Acted {
        act: word.to_owned(),
        times: times(act),
        on,
        point,
        to,
        to_point,
        by: by(act),
        button: button(act),
        modifiers: modifiers(act),
        value,
        secret,
        page: tab.page.url.clone(),
        client,
        ..Acted::default()
    };
    let wait = wait::begun(act, target);
    // The others say themselves what their element holds, or change nothing of it.
    let turns = matches!(
        act,
        Act::Click(_) | Act::Press(..) | Act::Hover | Act::Drag(_)
    );
    Some(Begun {
        wait,
        watched: watched.filter(|_| turns && !secret),
        acted,
        began,
    })
}

/// Logs an act that succeeded; returns its number, and the element whose state may have changed.
pub(crate) async fn done(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    scene: &Scene<'_>,
    begun: Option<Begun>,
    did: &Did,
) -> Option<(u64, Option<Watched>)> {
    let Begun {
        mut acted,
        began,
        wait,
        watched,
    } = begun?;
    let outcome = &did.outcome;
    let arrived = outcome
        .navigation
        .as_ref()
        .filter(|navigation| !navigation.in_frame && navigation.journey != Journey::Ended);
    acted.ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    acted.effect = Effect {
        changed: outcome.stirred(),
        visible: outcome.shows(),
        accepted: outcome
            .dialogs
            .iter()
            .any(|dialog| dialog.accepted == Some(true)),
        navigated: arrived.map(|navigation| navigation.url.clone()),
        holds: did.value.is_some() && !did.differs,
        tabs: outcome.tabs.len(),
        dialogs: outcome.dialogs.len(),
        downloads: outcome.downloads.len(),
        ..Effect::default()
    };
    if let Some(wait) = wait {
        let looked = wait::ended(keeper, running, tab, scene, wait, &mut acted);
        let looked = tokio::time::timeout(PATIENCE, looked);
        let target = &tab.page.target_id;
        let _ = dialogs::unless_held(&keeper.event_log, target, looked).await;
    }
    Some((keeper.event_log.acted(tab.id.clone(), acted), watched))
}

/// Logs a navigation that a client asked for.
pub(crate) fn navigated(keeper: &Keeper, tab: &str, asked: &str, arrived: &str, began: Instant) {
    let asked = match asked.contains("://") {
        true => asked,
        // A short form of what it became.
        false => arrived,
    };
    let acted = Acted {
        act: "navigate".to_owned(),
        value: Some(szk_page::event_log::redact::url(asked)),
        page: asked.to_owned(),
        client: keeper.visit.client().map(|client| client.name.clone()),
        effect: Effect {
            changed: true,
            visible: true,
            navigated: Some(arrived.to_owned()),
            ..Effect::default()
        },
        ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        ..Acted::default()
    };
    keeper.event_log.acted(tab.to_owned(), acted);
}

/// Adds the lines that an act changed to its entry.
pub(crate) fn changed(keeper: &Keeper, id: u64, diff: &str) {
    let lines = || diff.lines().take(MOST);
    let of = |sign: char| lines().filter_map(move |line| thing(line.strip_prefix(sign)?));
    // Of what stays, only a new text says something.
    let said = lines().filter_map(|line| line.strip_prefix('~').filter(|line| says(line)));
    let appeared = of('+').chain(said.filter_map(thing));
    keeper
        .event_log
        .changed(id, appeared.collect(), of('-').collect());
}

/// Whether a line shows a text, and no name.
fn says(line: &str) -> bool {
    !line.contains('"') && line.contains(": ")
}

/// What a line of a snapshot shows: `- row "1001" [e5]`.
fn thing(line: &str) -> Option<Thing> {
    let line = line.trim_start().trim_start_matches("- ");
    let end = line.find([' ', ':']).unwrap_or(line.len());
    let (role, rest) = line.split_at(end);
    let name = rest
        .trim_start()
        .strip_prefix('"')
        .and_then(|rest| rest.split_once('"'));
    let text = || {
        // What a control holds is not what it is called.
        let (_, text) = rest
            .split_once(": ")
            .filter(|_| !szk_page::snapshot::is_control(role))?;
        Some(text.trim())
    };
    let name = name.map(|(name, _)| name).or_else(text).unwrap_or_default();
    let known = !role.is_empty() && role.chars().all(|c| c.is_ascii_lowercase());
    let thing = |role: &str| Thing {
        role: role.to_owned(),
        name: name.to_owned(),
        ..Thing::default()
    };
    match role {
        "text" => (!name.is_empty()).then(|| thing("")),
        role => known.then(|| thing(role)),
    }
}

/// Whether an act puts text into a field.
fn types(act: &Act) -> bool {
    match act {
        Act::Type(_) | Act::Fill(_) => true,
        Act::Press(chord, _) => chord.types(),
        _ => false,
    }
}

/// How often it is done, if more than once.
fn times(act: &Act) -> Option<u32> {
    let times = match act {
        Act::Click(clicking) => clicking.count,
        Act::Press(_, times) => *times,
        _ => 1,
    };
    (times > 1).then_some(times)
}

/// How far something is dragged, if not to a place.
fn by(act: &Act) -> Option<Distance> {
    match act {
        Act::Drag(DropAt::By(x, y)) => Some(Distance { x: *x, y: *y }),
        _ => None,
    }
}

/// The button of a click, if it is not the left one.
fn button(act: &Act) -> Option<OtherButton> {
    match act {
        Act::Click(clicking) => match clicking.button {
            Button::Left => None,
            Button::Middle => Some(OtherButton::Middle),
            Button::Right => Some(OtherButton::Right),
        },
        _ => None,
    }
}

/// The keys that are held down during a click.
fn modifiers(act: &Act) -> Vec<String> {
    let Act::Click(clicking) = act else {
        return Vec::new();
    };
    let names = clicking.modifiers.iter().map(|key| key.name().to_owned());
    names.collect()
}

/// The word for an act, and what goes into it.
fn words(act: &Act) -> Option<(&'static str, Option<String>)> {
    Some(match act {
        Act::Click(_) => ("click", None),
        Act::Type(text) => ("type", Some(text.clone())),
        Act::Fill(text) => ("fill", Some(text.clone())),
        Act::Press(chord, _) => ("press", Some(chord.to_string())),
        Act::Hover => ("hover", None),
        Act::Down(_) => ("down", None),
        Act::Move(_) => ("move", None),
        Act::Up(_) => ("up", None),
        Act::Drag(_) => ("drag", None),
        Act::Select(values) => ("select", Some(values.join("\n"))),
        Act::Check(true) => ("check", None),
        Act::Check(false) => ("uncheck", None),
        Act::Scroll(_) => ("scroll", None),
        Act::Upload(paths) => {
            let path = paths.first().map(|path| path.display().to_string());
            ("upload", path)
        }
        Act::Wait(_) => ("wait", None),
        Act::Resize(..) => ("resize", None),
        Act::Focus => ("focus", None),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_change_are_read() {
        let check = |line: &str, expected: Option<(&str, &str)>| {
            let found = thing(line);
            let found = found
                .as_ref()
                .map(|one| (one.role.as_str(), one.name.as_str()));
            assert_eq!(found, expected, "{line}");
        };
        check(" - row \"1001 Ada\" [e5]", Some(("row", "1001 Ada")));
        check(
            "   heading \"Orders\" [level=1]",
            Some(("heading", "Orders")),
        );
        check(" - list:", Some(("list", "")));
        check(" - text: Hello", Some(("", "Hello")));
        check(" - paragraph: X wins", Some(("paragraph", "X wins")));
        check(" - textbox [e5]: Jane", Some(("textbox", "")));
        check("", None);
        assert!(says("   - paragraph: X wins"));
        assert!(!says("   - generic \"X\" [e52] clickable"));
        assert!(!says("   - list:"));
    }
}
