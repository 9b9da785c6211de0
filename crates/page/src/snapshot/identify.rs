//! What tells elements from all others, for recipes.

use std::collections::BTreeMap;

use serde_json::json;
use szk_recipes::{Identity, Thing};

use super::error::ReadError;
use super::item::{Item, Key, Kind};
use super::options::{Mode, Options};
use super::view::View;
use crate::act::NodeRef;
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
pub struct Known {
    /// Its ref.
    pub reference: String,
    /// What tells it from others.
    pub identity: Identity,
    /// What it holds.
    pub value: String,
    /// Which of the page's elements it is in, if it is in one.
    pub inside: Option<usize>,
}

/// A page as recipes see it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elements {
    /// Elements that can be acted on, in reading order.
    pub all: Vec<Known>,
    /// Everything that is shown.
    pub things: Vec<Thing>,
}

impl View {
    /// What tells the element of a node from all others; `None` if the node is gone. As a `place`, it
    /// need not be a control.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn identify(
        &mut self,
        page: &Page,
        node: &NodeRef,
        place: bool,
    ) -> Result<Option<Identity>, ReadError> {
        let identity = match self.identity(page, node, place).await? {
            Some(one) if !place && one.of > 1 && !is_control(&one.role) => one,
            other => return Ok(other),
        };
        // Its equals are those that can be worked, too: only a reading tells them.
        let uncounted = |one: &Identity| Identity {
            nth: 0,
            of: 0,
            ..one.clone()
        };
        let wanted = uncounted(&identity);
        let elements = self.elements(page).await?;
        let known = elements.all.into_iter().map(|known| known.identity);
        let mut same = known.filter(|known| uncounted(known) == wanted);
        Ok(match (same.next(), same.next()) {
            (Some(counted), None) => Some(counted),
            _ => Some(identity),
        })
    }

    async fn identity(
        &mut self,
        page: &Page,
        node: &NodeRef,
        place: bool,
    ) -> Result<Option<Identity>, ReadError> {
        let mut tried = false;
        loop {
            let world = self.worlds.at(page, &node.frame, &node.session).await?;
            match world.identify(node.backend_node_id, place).await {
                Err(ReadError::Call(_)) if !tried => {
                    tried = true;
                    self.worlds.forget(&node.frame);
                }
                other => {
                    world.release();
                    return other;
                }
            }
        }
    }

    /// Reads the whole page: what it shows, and what tells its elements apart.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn elements(&mut self, page: &Page) -> Result<Elements, ReadError> {
        self.elements_that(page, works, false).await
    }

    /// The same, quicker, for one who looks for nothing but controls, such as buttons and fields: what can be
    /// worked only because it listens may be missing.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn controls(&mut self, page: &Page) -> Result<Elements, ReadError> {
        self.elements_that(page, works, true).await
    }

    /// The same with places where something can be dropped: all that has a role, and what has the
    /// handles of the one that is wanted.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn places(&mut self, page: &Page, wanted: &Identity) -> Result<Elements, ReadError> {
        let placed = |item: &Item| works(item) || (item.key.number > 0 && !item.role.is_empty());
        let mut elements = self.elements_that(page, placed, false).await?;
        if wanted.css.is_empty() && wanted.test_id.is_empty() {
            return Ok(elements);
        }
        let world = self.worlds.at(page, &page.frame, &page.session).await?;
        let held = "function (css, id) { return this.identities(this.held(css, id)); }";
        let args = [json!(wanted.css), json!(wanted.test_id)];
        let held: Vec<Option<Identity>> = world.call(held, &args).await?;
        for identity in held.into_iter().flatten() {
            // What a selector names is acted on by it, unless it is among the others.
            let known = elements
                .all
                .iter()
                .any(|one| one.identity.css == identity.css);
            if !known && !identity.css.is_empty() {
                elements.all.push(Known {
                    reference: identity.css.clone(),
                    identity,
                    value: String::new(),
                    inside: None,
                });
            }
        }
        count(&mut elements.all);
        Ok(elements)
    }

    async fn elements_that(
        &mut self,
        page: &Page,
        fits: impl Fn(&Item) -> bool,
        unheard: bool,
    ) -> Result<Elements, ReadError> {
        let options = Options {
            unheard,
            ..Options::of(Mode::Full)
        };
        let items = self.items(page, &options).await?;
        let mut by_world: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for item in items.iter().filter(|item| fits(item)) {
            by_world
                .entry(item.key.world)
                .or_default()
                .push(item.key.number);
        }
        let mut known: BTreeMap<(u64, u32), Identity> = BTreeMap::new();
        for (serial, numbers) in by_world {
            let Some((_, world)) = self.worlds.of_serial(serial) else {
                continue;
            };
            let function = "function (numbers) { return this.identities(numbers); }";
            let told: Vec<Option<Identity>> = world.call(function, &[json!(numbers)]).await?;
            let told = numbers.into_iter().zip(told);
            known.extend(told.filter_map(|(number, one)| Some(((serial, number), one?))));
        }
        let mut elements = Vec::new();
        // Depths of those that the next one may be in, with their places.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for item in items.iter().filter(|item| fits(item)) {
            let Key { world, number } = item.key;
            if let Some(identity) = known.remove(&(world, number)) {
                while open.pop_if(|(depth, _)| *depth >= item.depth).is_some() {}
                let inside = open.last().map(|(_, at)| *at);
                open.push((item.depth, elements.len()));
                elements.push(Known {
                    reference: format!("e{}", self.refs.number(item)),
                    identity,
                    value: item.value.clone(),
                    inside,
                });
            }
        }
        count(&mut elements);
        Ok(Elements {
            all: elements,
            things: things(&items),
        })
    }
}

fn works(item: &Item) -> bool {
    matches!(item.kind, Kind::Control | Kind::Clickable)
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
        });
    }
    things
}

/// Tells elements of the same role and words their place among them.
fn count(elements: &mut [Known]) {
    let key = |known: &Known| {
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
