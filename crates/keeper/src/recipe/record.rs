//! `recipe_record`: from its start on, what is done in the session becomes one recipe.
//!
//! What clients do is in the log of acts anyway. While something is recorded, [`person`] adds what a
//! person does in the window or the live view, and what programs do through the endpoint.

mod own;
mod person;

use std::sync::{Arc, Mutex, PoisonError};

use szk_page::event_log::{Kind, Query, What};
use szk_recipes::{Acted, draft, origin};
use szk_tools::recipe::{Record, RecordAction, RecordInput, RecordOutput};
use szk_tools::{Failure, Response};

use super::files::{Files, Saved, checked};
use crate::context::Keeper;
use own::{Own, Span};
use person::Person;

/// What a session knows of its recording.
#[derive(Default)]
pub(crate) struct Recorder {
    // A std mutex: nothing awaits under it.
    open: Mutex<Option<Recording>>,
    own: Own,
}

/// A recording that goes on.
struct Recording {
    name: Option<String>,
    about: Option<String>,
    /// Number of the newest entry of the log when it began.
    after: u64,
    person: Person,
}

impl Recorder {
    /// While this lives, what happens in the tab, or in any, is szk's own doing.
    pub(crate) fn working(self: &Arc<Self>, tab: Option<&str>) -> Option<Span> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.is_some().then(|| self.own.begin(self, tab))
    }
}

pub(crate) async fn record(keeper: &Arc<Keeper>, input: &RecordInput) -> Result<Response, Failure> {
    if let Some(name) = &input.name {
        checked(name)?;
    }
    match input.action {
        RecordAction::Start => start(keeper, input).await,
        RecordAction::Stop => stop(keeper, input).await,
        RecordAction::Cancel => {
            let recording = take(keeper)?;
            recording.person.stop().await;
            let told = output(keeper, acts(keeper, recording.after).0.len());
            let words = "ended the recording without a recipe; the acts stay in the log";
            Response::of::<Record>(words.to_owned(), &told)
        }
    }
}

async fn start(keeper: &Arc<Keeper>, input: &RecordInput) -> Result<Response, Failure> {
    // Read before there is one, so that the project's folder is known.
    drop(Files::of(keeper, input.dir.as_deref()));
    let running = keeper.session.running().await;
    running.map_err(|error| crate::failure::session(&error))?;
    let recorder = &keeper.recipes.recorder;
    {
        let mut open = recorder.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.is_some() {
            return Err(Failure::invalid("the session is being recorded already")
                .hint("end that with `recipe_record`, `stop` or `cancel`"));
        }
        *open = Some(Recording {
            name: input.name.clone(),
            about: input.about.clone(),
            after: keeper.event_log.last(),
            person: Person::begin(keeper),
        });
    }
    let ready = {
        let open = recorder.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.as_ref().map(|recording| recording.person.ready())
    };
    if let Some(ready) = ready {
        ready.await;
    }
    let told = RecordOutput {
        recording: true,
        name: input.name.clone(),
        ..output(keeper, 0)
    };
    let words = "recording what all clients and the person do in this session, in every tab; passwords are not recorded. End it with `recipe_record`, `stop`";
    Response::of::<Record>(words.to_owned(), &told)
}

async fn stop(keeper: &Arc<Keeper>, input: &RecordInput) -> Result<Response, Failure> {
    let named = {
        let recorder = &keeper.recipes.recorder;
        let open = recorder.open.lock().unwrap_or_else(PoisonError::into_inner);
        let recording = open.as_ref().ok_or_else(none)?;
        input.name.clone().or_else(|| recording.name.clone())
    };
    // It goes on meanwhile: nothing is lost for want of a name.
    let name = named.ok_or_else(|| {
        Failure::invalid("the recipe has no name yet").hint("give `name`; the recording goes on")
    })?;
    let recording = take(keeper)?;
    recording.person.stop().await;
    let (all, whole) = acts(keeper, recording.after);
    let count = all.len();
    let (all, mut notes) = of_one_site(all);
    if !whole {
        notes.push("the recording is longer than the log of acts; its beginning is missing".into());
    }
    let about = input.about.clone().or(recording.about).unwrap_or_default();
    let (recipe, more) = draft(&name, &about, &all)
        .map_err(|error| Failure::invalid(format!("the recording ended, but {error}")))?;
    notes.extend(more);
    if !szk_recipes::ends_checked(&recipe) {
        notes.push(super::save::UNCHECKED.to_owned());
    }
    let files = Files::of(keeper, input.dir.as_deref());
    let recipe = super::save::about_as_before(&files, recipe);
    let saved = files.save(&recipe).map_err(|failure| {
        let from = recording.after + 1;
        failure.hint(format!(
            "the acts are in the log: `recipe_save` with `from` {from} saves those of one tab"
        ))
    })?;
    notes.extend(saved.note());
    let Saved { path, text, .. } = saved;
    let mut lines = vec![format!(
        "saved {} as `{name}`: {}",
        szk_text::counted(recipe.steps.len() as u64, "step"),
        path.display()
    )];
    lines.extend(notes.iter().cloned());
    lines.push(text.clone());
    let told = RecordOutput {
        name: Some(name),
        path: Some(path),
        text: Some(text),
        notes,
        ..output(keeper, count)
    };
    Response::of::<Record>(lines.join("\n"), &told)
}

fn none() -> Failure {
    Failure::invalid("nothing is being recorded").hint("begin with `recipe_record`, `start`")
}

fn take(keeper: &Keeper) -> Result<Recording, Failure> {
    let recorder = &keeper.recipes.recorder;
    let mut open = recorder.open.lock().unwrap_or_else(PoisonError::into_inner);
    open.take().ok_or_else(none)
}

fn output(keeper: &Keeper, acts: usize) -> RecordOutput {
    RecordOutput {
        session: keeper.session.name().to_string(),
        recording: false,
        acts,
        name: None,
        path: None,
        text: None,
        notes: Vec::new(),
    }
}

/// The acts in all tabs after an entry, with their tabs, and whether all of them are still there.
fn acts(keeper: &Keeper, after: u64) -> (Vec<(String, Acted)>, bool) {
    let found = keeper.event_log.read(&Query {
        kind: Some(Kind::Acts),
        ..Query::default()
    });
    let mut entries = found.entries;
    entries.sort_by_key(|entry| entry.id);
    let whole = entries.len() < MOST || entries.first().is_some_and(|entry| entry.id <= after);
    let acts = entries.into_iter().filter(|entry| entry.id > after);
    let acts = acts.filter_map(|entry| match entry.what {
        What::Act(acted) => Some((entry.tab.unwrap_or_default(), *acted)),
        _ => None,
    });
    (acts.collect(), whole)
}

/// As many acts as the log keeps.
pub(super) const MOST: usize = 1000;

/// Those of the site where the first of them was done; a recipe is of one site.
fn of_one_site(acts: Vec<(String, Acted)>) -> (Vec<Acted>, Vec<String>) {
    let place = |acted: &Acted| match acted.act.as_str() {
        "navigate" => origin(acted.value.as_deref().unwrap_or_default()),
        _ => origin(&acted.page),
    };
    let site = acts.iter().find_map(|(_, acted)| place(acted));
    let (own, other): (Vec<_>, Vec<_>) = acts
        .into_iter()
        .partition(|(_, acted)| place(acted).is_none_or(|at| Some(at) == site));
    let mut notes = Vec::new();
    if let Some((_, first)) = other.first() {
        let at = place(first).unwrap_or_default();
        let acts = match other.len() {
            1 => format!("1 act at another site, {at}, was"),
            count => format!("{count} acts at other sites, such as {at}, were"),
        };
        notes.push(format!("{acts} left out: a recipe is of one site"));
    }
    let tabs: std::collections::BTreeSet<&String> = own.iter().map(|(tab, _)| tab).collect();
    if tabs.len() > 1 {
        let tabs: Vec<&str> = tabs.into_iter().map(String::as_str).collect();
        notes.push(format!(
            "the acts were done in the tabs {}; a recipe does them in one",
            tabs.join(", ")
        ));
    }
    (own.into_iter().map(|(_, acted)| acted).collect(), notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_keeps_the_acts_of_its_first_site() {
        let act = |tab: &str, page: &str| {
            let acted = Acted {
                act: "click".into(),
                page: page.into(),
                ..Acted::default()
            };
            (tab.to_owned(), acted)
        };
        let all = vec![
            act("t1", "https://a.example/1"),
            act("t1", "https://b.example/"),
            act("t2", "https://a.example/2"),
        ];
        let (own, notes) = of_one_site(all);
        let pages: Vec<&str> = own.iter().map(|one| one.page.as_str()).collect();
        assert_eq!(pages, ["https://a.example/1", "https://a.example/2"]);
        assert!(notes[0].contains("https://b.example"), "{notes:?}");
        assert!(notes[1].contains("t1, t2"), "{notes:?}");
    }
}
