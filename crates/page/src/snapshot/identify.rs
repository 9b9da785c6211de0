//! What tells elements from all others, for recipes.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;
use szk_cdp::SessionId;
use szk_recipes::{Identity, State, Thing};

use super::condition::{Condition, Identified, Watched};
use super::error::ReadError;
use super::frames::Handle;
use super::gather::{Gathered, Which};
use super::item::{Item, Key, Kind};
use super::options::{Mode, Options};
use super::view::View;
use crate::act::{FoundElement, NodeRef};
use crate::page::Page;

/// Roles of what is a control whether or not it listens: those of `CONTROLS` in `js/walk.js` but for cells.
const CONTROLS: [&str; 19] = [
    "button",
    "checkbox",
    "combobox",
    "link",
    "listbox",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "radio",
    "scrollbar",
    "searchbox",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "textbox",
    "treeitem",
    "summary",
];

/// Whether an element of this role is a control whether or not it listens.
#[must_use]
pub fn is_control(role: &str) -> bool {
    CONTROLS.contains(&role)
}

/// An element that can be acted on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownElement {
    /// Its ref.
    pub reference: String,
    /// What tells it from others.
    pub identity: Identity,
    /// What it holds.
    pub value: String,
    /// Which of the page's elements it is in, if it is in one.
    pub inside: Option<usize>,
}

/// An element of a reading, for who acts on nothing else: whether it is still what it was is asked again just before
/// each press.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    pub(crate) session: SessionId,
    pub(crate) frame: String,
    /// The handle on the script that knows it by a number.
    pub(crate) script: String,
    pub(crate) number: u32,
    /// The word of the script for why it is listed; its name depends on it.
    pub(crate) kind: &'static str,
    pub(crate) role: String,
    pub(crate) name: String,
    /// What it says, which counts if it has no name.
    pub(crate) text: String,
}

/// How an element is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Designation {
    /// The control that it is, or is a part of.
    Control,
    /// As a place where something is dropped: it need not be a control.
    Place,
    /// A point of it, in CSS pixels from the upper left corner of its box.
    PointOf(i32, i32),
    /// What is at a point of its document's viewport: a control, or a point of a drawing. Nothing, where that can
    /// only be guessed.
    At(i32, i32),
}

impl Designation {
    /// It as the script is asked.
    pub(super) fn asked(self, moves: bool) -> serde_json::Value {
        match self {
            Self::Control => json!({"moves": moves}),
            Self::Place => json!({"moves": moves, "place": true}),
            Self::PointOf(x, y) => json!({"moves": moves, "of": [x, y]}),
            Self::At(x, y) => json!({"moves": moves, "at": [x, y]}),
        }
    }
}

/// Which elements to tell from all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Candidates<'a> {
    /// Those that can be worked.
    Working,
    /// The same, quicker, for who looks for nothing but controls, such as buttons and fields: what can be worked only
    /// because it listens may be missing.
    Controls,
    /// Those that can be worked, and places where something can be dropped: all that has a role, and what has the
    /// handles of the one that is wanted.
    Place(&'a Identity),
}

/// An element with the handles of the one that is wanted, as the script tells it.
#[derive(Deserialize)]
struct HandleMatch {
    number: u32,
    identity: Identity,
    role: String,
    name: String,
}

/// A page as recipes see it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elements {
    /// Elements that can be acted on, in reading order.
    pub all: Vec<KnownElement>,
    /// Everything that is shown.
    pub things: Vec<Thing>,
}

/// An element to identify.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ElementSource {
    /// A node of CDP's.
    Node(NodeRef),
    /// What an act has found.
    Found(FoundElement),
}

impl ElementSource {
    /// Its frame, and the session that reaches it.
    fn frame(&self) -> (&str, &SessionId) {
        match self {
            Self::Node(node) => (&node.frame, &node.session),
            Self::Found(found) => (&found.frame, &found.session),
        }
    }
}

impl View {
    /// What tells the element that is meant by a node from all others, and what it is like; `None` if the node is
    /// gone. The answer has its place if it `moves`.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn identify(
        &mut self,
        page: &Page,
        given: &ElementSource,
        meant: Designation,
        moves: bool,
    ) -> Result<Option<Identified>, ReadError> {
        let Some(mut found) = self.identity(page, given, meant, moves).await? else {
            return Ok(None);
        };
        let one = &found.identity;
        if meant != Designation::Control || one.of <= 1 || is_control(&one.role) {
            return Ok(Some(found));
        }
        // Its equals are those that can be worked, too: only a reading tells them.
        let uncounted = |one: &Identity| Identity {
            nth: 0,
            of: 0,
            ..one.clone()
        };
        let wanted = uncounted(one);
        let elements = self.elements(page, Candidates::Working).await?;
        let known = elements.all.into_iter().map(|known| known.identity);
        let mut same = known.filter(|known| uncounted(known) == wanted);
        if let (Some(counted), None) = (same.next(), same.next()) {
            found.identity = counted;
        }
        Ok(Some(found))
    }

    async fn identity(
        &mut self,
        page: &Page,
        given: &ElementSource,
        meant: Designation,
        moves: bool,
    ) -> Result<Option<Identified>, ReadError> {
        let (frame, session) = given.frame();
        let mut tried = false;
        loop {
            let world = self.worlds.at(page, frame, session).await?;
            let told = match given {
                ElementSource::Node(node) => {
                    world.identify(node.backend_node_id, meant, moves).await
                }
                ElementSource::Found(found) => world.identify_found(found, meant, moves).await,
            };
            match told {
                Err(ReadError::Call(_)) if !tried => {
                    tried = true;
                    self.worlds.forget(frame);
                }
                other => {
                    world.release();
                    let told = other?;
                    return Ok(told.map(|told| Identified {
                        identity: told.identity,
                        point: told.point,
                        watched: Watched {
                            handle: Handle::of(world.serial, told.number),
                            moves,
                            before: Condition::from(told.condition),
                        },
                    }));
                }
            }
        }
    }

    /// Reads the whole page: what it shows, and what tells its elements apart.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn elements(
        &mut self,
        page: &Page,
        wanted: Candidates<'_>,
    ) -> Result<Elements, ReadError> {
        let which = match wanted {
            Candidates::Place(_) => Which::Places,
            Candidates::Working | Candidates::Controls => Which::Working,
        };
        let options = Options {
            unheard: wanted == Candidates::Controls,
            ..Options::of(Mode::Full)
        };
        let Gathered {
            items,
            mut identities,
            ..
        } = self.gathered(page, &options, Some(which)).await?;
        let mut all = Vec::new();
        // Depths of those that the next one may be in, with their places.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for item in &items {
            let Some(identity) = identities.remove(&item.key) else {
                continue;
            };
            while open.pop_if(|(depth, _)| *depth >= item.depth).is_some() {}
            let inside = open.last().map(|(_, at)| *at);
            open.push((item.depth, all.len()));
            all.push(KnownElement {
                reference: format!("e{}", self.refs.number(item)),
                identity,
                value: item.value.clone(),
                inside,
            });
        }
        if let Candidates::Place(wanted) = wanted {
            self.add_held(page, wanted, &mut all).await?;
        }
        count(&mut all);
        Ok(Elements {
            all,
            things: things(&items),
        })
    }

    /// Adds the elements of the page itself that have the handles of the one that is wanted.
    async fn add_held(
        &mut self,
        page: &Page,
        wanted: &Identity,
        all: &mut Vec<KnownElement>,
    ) -> Result<(), ReadError> {
        if wanted.css.is_empty() && wanted.test_id.is_empty() {
            return Ok(());
        }
        let world = self.worlds.at(page, &page.frame, &page.session).await?;
        let function = "function (css, id) { return this.held(css, id); }";
        let args = [json!(wanted.css), json!(wanted.test_id)];
        let held: Vec<HandleMatch> = world.call(function, &args).await?;
        for HandleMatch {
            number,
            identity,
            role,
            name,
        } in held
        {
            let key = Key {
                world: world.serial,
                number,
            };
            let item = Item {
                key,
                kind: Kind::Plain,
                role,
                name,
                ..Item::note(0, "")
            };
            let reference = format!("e{}", self.refs.number(&item));
            if all.iter().all(|one| one.reference != reference) {
                all.push(KnownElement {
                    reference,
                    identity,
                    value: String::new(),
                    inside: None,
                });
            }
        }
        Ok(())
    }

    /// An element that was read, for who acts on nothing else; nothing if its document is gone.
    #[must_use]
    pub fn element(&self, read: &KnownElement) -> Option<Element> {
        let known = self.refs.get(&read.reference)?;
        let (frame, world) = self.worlds.of_serial(known.key.world)?;
        Some(Element {
            session: world.session.clone(),
            frame: frame.to_owned(),
            script: world.handle.clone(),
            number: known.key.number,
            kind: known.kind.letter(),
            role: known.role.clone(),
            name: known.name.clone(),
            text: read.identity.text.clone(),
        })
    }
}

/// What is shown; a node without a name of its own goes by the text in it.
fn things(items: &[Item]) -> Vec<Thing> {
    let mut things = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if item.kind == Kind::Note {
            continue;
        }
        let inner = items[at + 1..]
            .iter()
            .take_while(|inner| inner.depth > item.depth);
        let name = match item.name.is_empty() {
            true => inner
                .take(40)
                .map(|inner| inner.name.as_str())
                .collect::<Vec<_>>()
                .join(" "),
            false => item.name.clone(),
        };
        things.push(Thing {
            role: item.role.clone(),
            name: name.trim().to_owned(),
            state: State::of_words(&item.states, &item.value),
        });
    }
    things
}

/// Tells elements of the same role and words their place among them.
fn count(elements: &mut [KnownElement]) {
    let key = |known: &KnownElement| {
        let Identity {
            role,
            name,
            text,
            around,
            ..
        } = &known.identity;
        // What has no name goes by its text.
        let words = if name.is_empty() { text } else { name };
        (role.clone(), words.clone(), around.clone())
    };
    let mut counts: BTreeMap<(String, String, String), u32> = BTreeMap::new();
    for known in elements.iter_mut() {
        let nth = counts.entry(key(known)).or_default();
        *nth += 1;
        known.identity.nth = *nth;
    }
    for known in elements {
        known.identity.of = counts.get(&key(known)).copied().unwrap_or(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_knows_the_same_controls() {
        let script = include_str!("js/walk.js");
        let list = script.split_once("const CONTROLS = new Set(`").unwrap().1;
        let list = list.split_once('`').unwrap().0;
        let roles = list.split_whitespace().filter(|role| *role != "gridcell");
        assert_eq!(roles.collect::<Vec<_>>(), CONTROLS);
    }
}
