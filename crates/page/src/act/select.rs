//! Chooses from lists: the browser's own and custom ones.

use serde::Deserialize;
use serde_json::{Value, json};

use super::ActError;
use super::actor::Actor;
use super::aim::Wants;
use super::click::Clicking;
use super::target::Located;
use crate::input::{Modifier, Pace};

/// Milliseconds a custom list has to show its entries.
const OPENS: u32 = 1500;
/// The same for a list of the browser after a click, before the keyboard opens it.
const CLICKED: u32 = 500;

/// And to show that it took a choice: some ask their server first.
const SHOWS: u32 = 1000;

/// An entry of a list.
#[derive(Debug, Clone, Deserialize)]
struct Entry {
    label: String,
    value: String,
    selected: bool,
    disabled: bool,
    /// It is not shown.
    #[serde(default)]
    hidden: bool,
    /// Its number in the world, if it can be clicked.
    id: u32,
}

impl Entry {
    /// Whether it can be chosen.
    fn is_open(&self) -> bool {
        !self.disabled && !self.hidden
    }
}

/// An entry of a custom list, or why there is none.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Choice {
    id: Option<u32>,
    /// It is chosen already, in a list that takes several.
    chosen: bool,
    /// The entries that the text may mean.
    several: Vec<String>,
    options: Vec<String>,
    /// The element is the list itself, and shows its entries.
    open: bool,
    /// The entry was there before the click, and is not any more.
    closed: bool,
}

impl Choice {
    /// Why there is nothing to choose.
    fn lacking(self, target: &str, wanted: &str) -> ActError {
        let (target, wanted) = (target.to_owned(), wanted.to_owned());
        match self.several.is_empty() {
            true => ActError::NoOption {
                target,
                wanted,
                options: self.options,
            },
            false => ActError::SeveralOptions {
                target,
                wanted,
                options: self.several,
            },
        }
    }
}

impl Actor<'_> {
    pub(super) async fn select(
        &mut self,
        located: &Located,
        wanted: &[String],
    ) -> Result<(), ActError> {
        let look = self.attend(located).await?;
        self.did.target = Some(look.name.clone());
        self.read_back = true;
        if !matches!(look.sort.as_str(), "select" | "text") {
            return self.choose(located, &look.name, wanted).await;
        }
        let entries = self.entries(located).await?;
        if look.sort == "text" {
            return match entries.is_empty() {
                true => self.choose(located, &look.name, wanted).await,
                false => self.suggested(located, &look.name, &entries, wanted).await,
            };
        }
        let chosen = match wanted {
            // As `fill` says that nothing is to be chosen.
            [none] if none.is_empty() && look.multiple && find(&entries, none, "").is_err() => {
                Vec::new()
            }
            wanted => wanted
                .iter()
                .map(|wanted| find(&entries, wanted, &look.name))
                .collect::<Result<Vec<usize>, ActError>>()?,
        };
        if chosen.is_empty() && !look.multiple {
            return Err(super::fill::unsuited(&look.name, "takes one option"));
        }
        let now: Vec<usize> = (0..entries.len())
            .filter(|index| entries[*index].selected)
            .collect();
        let mut sorted = chosen.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if now == sorted {
            self.did.already = true;
            return Ok(());
        }
        // The entries of an always-open list have positions of their own.
        if entries.iter().any(|entry| entry.id > 0) {
            match sorted.is_empty() {
                // Each of them is let go.
                true => self.mark(located, &entries, &now, true).await?,
                false => self.mark(located, &entries, &sorted, false).await?,
            }
            return self.must_hold(located, &sorted).await;
        }
        let [index] = *chosen.as_slice() else {
            return Err(super::fill::unsuited(&look.name, "takes one option"));
        };
        self.take_from_menu(located, &entries, index).await?;
        self.answered().await;
        self.must_hold(located, &sorted).await
    }

    /// Records if a list does not hold what was chosen: pages can revert a choice.
    async fn must_hold(&mut self, located: &Located, chosen: &[usize]) -> Result<(), ActError> {
        let entries = match self.entries(located).await {
            // The choice led to another document, as in navigation menus.
            Err(ActError::Gone | ActError::Stale) => return Ok(()),
            entries => entries?,
        };
        let held = (0..entries.len()).filter(|index| entries[*index].selected);
        if !held.eq(chosen.iter().copied()) && entries.len() > chosen.last().map_or(0, |last| *last)
        {
            self.refused = true;
        }
        Ok(())
    }

    /// Opens the menu, goes to the entry with arrow keys, and takes it: a single change, as by hand.
    async fn take_from_menu(
        &mut self,
        located: &Located,
        entries: &[Entry],
        index: usize,
    ) -> Result<(), ActError> {
        let human = self.device.pace() == Pace::Human;
        let mut open = human && self.open_by_click(located).await?;
        if !open {
            self.aim(located, Wants::default()).await?;
            self.watch(located).await?;
            self.begin();
            self.focus_on(located).await?;
        }
        let from = entries.iter().position(|entry| entry.selected);
        let (low, high) = match from {
            Some(from) => (from.min(index), from.max(index)),
            None => (0, index),
        };
        let steps = entries[low..=high]
            .iter()
            .filter(|entry| entry.is_open())
            .count()
            - usize::from(from.is_some_and(|from| entries[from].is_open()));
        let key = if from.is_some_and(|from| from > index) {
            "ArrowUp"
        } else {
            "ArrowDown"
        };
        if !open {
            self.strike("Alt+ArrowDown").await?;
            self.answered().await;
            open = self.unfolds(located, OPENS).await?;
        }
        tracing::debug!(open, "the menu of a list");
        if human {
            self.device.choose().await;
        }
        for _ in 0..steps {
            self.strike(key).await?;
        }
        self.answered().await;
        self.strike("Enter").await?;
        self.answered().await;
        if self.holds(located, index).await? {
            return Ok(());
        }
        self.strike("Escape").await?;
        self.answered().await;
        let value = entries[index].value.clone();
        self.set(located, &value, "its menu did not take the option")
            .await?;
        self.expected = None;
        Ok(())
    }

    /// Clicks a list, as a person does; returns whether its menu opened. A page may have its own idea of
    /// a click.
    async fn open_by_click(&mut self, located: &Located) -> Result<bool, ActError> {
        let name = self.did.target.clone();
        self.click_surely(located, &Clicking::default()).await?;
        self.did.target = name;
        self.unfolds(located, CLICKED).await
    }

    /// Waits until the menu of a list is open.
    async fn unfolds(&self, located: &Located, ms: u32) -> Result<bool, ActError> {
        let asked = [json!(located.id), json!(ms)];
        located.world().ask("unfolded", &asked).await
    }

    /// Clicks entries of an open list; all but the first with Control, and the first, too, where the others
    /// are to be `kept` as they are.
    async fn mark(
        &mut self,
        located: &Located,
        entries: &[Entry],
        chosen: &[usize],
        kept: bool,
    ) -> Result<(), ActError> {
        for (nth, index) in chosen.iter().enumerate() {
            let modifiers = if nth == 0 && !kept {
                Vec::new()
            } else {
                vec![Modifier::Control]
            };
            let entry = located.sibling(entries[*index].id);
            let name = self.did.target.clone();
            self.click_surely(
                &entry,
                &Clicking {
                    modifiers,
                    ..Clicking::default()
                },
            )
            .await?;
            self.did.target = name;
        }
        Ok(())
    }

    /// Fills a field in with one of the options that it suggests (`<input list>`): that is what taking it from the
    /// browser's menu does, which no page sees.
    async fn suggested(
        &mut self,
        located: &Located,
        name: &str,
        entries: &[Entry],
        wanted: &[String],
    ) -> Result<(), ActError> {
        let [wanted] = wanted else {
            return Err(super::fill::unsuited(name, "takes one option"));
        };
        let index = find(entries, wanted, name).map_err(|error| match error {
            ActError::NoOption { options, .. } => {
                let options = options.iter().map(|option| szk_text::line(option, 60));
                let options: Vec<String> = options.collect();
                let why = format!(
                    "suggests no `{wanted}`, only {}; kind `fill` writes any text",
                    options.join(", ")
                );
                super::fill::unsuited(name, &why)
            }
            error => error,
        })?;
        let value = entries[index].value.clone();
        Box::pin(self.fill(located, &value)).await
    }

    /// Opens what looks like a list and clicks the entry with this text.
    async fn choose(
        &mut self,
        located: &Located,
        name: &str,
        wanted: &[String],
    ) -> Result<(), ActError> {
        if wanted.is_empty() {
            let why = "is not a native list: only those can be cleared with an empty `values`";
            return Err(super::fill::unsuited(name, why));
        }
        let mut opened = false;
        for (nth, wanted) in wanted.iter().enumerate() {
            let mut choice = self.choice(located, wanted, opened, 0).await?;
            if choice.id.is_none() && choice.several.is_empty() && !choice.open {
                let before = std::mem::take(&mut choice.options);
                choice = self.open_for(located, wanted, !opened).await?;
                opened = true;
                if choice.options.is_empty() {
                    choice.options = before;
                }
            }
            let Some(id) = choice.id else {
                if nth == 0 && self.acted {
                    // Leave it as we found it.
                    self.strike("Escape").await?;
                }
                return Err(choice.lacking(name, wanted));
            };
            if choice.chosen {
                continue;
            }
            let entry = located.sibling(id);
            self.click_surely(&entry, &Clicking::default()).await?;
            let took = located.world().ask::<bool>("took", &[json!(SHOWS)]);
            self.untaken |= match took.await {
                // The choice led to another document, as in navigation menus.
                Err(ActError::Gone | ActError::Stale) => false,
                took => !took?,
            };
        }
        self.did.target = Some(name.to_owned());
        self.did.already = !self.acted;
        Ok(())
    }

    /// Clicks what should open a list, and waits for the entry. Once more if it was open, and the click has
    /// closed it. `noting` what can be seen before: what can be seen later is its list.
    async fn open_for(
        &mut self,
        located: &Located,
        wanted: &str,
        noting: bool,
    ) -> Result<Choice, ActError> {
        let world = located.world();
        if noting {
            world.ask::<Value>("note_entries", &[]).await?;
        }
        self.click_surely(located, &Clicking::default()).await?;
        let choice = self.choice(located, wanted, true, OPENS).await?;
        if choice.id.is_some() || !choice.closed {
            return Ok(choice);
        }
        world.ask::<Value>("note_entries", &[]).await?;
        self.click_surely(located, &Clicking::default()).await?;
        self.choice(located, wanted, true, OPENS).await
    }

    async fn choice(
        &self,
        located: &Located,
        wanted: &str,
        opened: bool,
        ms: u32,
    ) -> Result<Choice, ActError> {
        let asked = [json!(located.id), json!(wanted), json!(opened), json!(ms)];
        located.world().ask("choice", &asked).await
    }

    async fn entries(&self, located: &Located) -> Result<Vec<Entry>, ActError> {
        located.world().ask("options", &[json!(located.id)]).await
    }

    async fn holds(&self, located: &Located, index: usize) -> Result<bool, ActError> {
        match self.entries(located).await {
            Ok(entries) => Ok(entries.get(index).is_some_and(|entry| entry.selected)),
            // The choice led to another document, as in navigation menus.
            Err(ActError::Gone | ActError::Stale) => Ok(true),
            Err(error) => Err(error),
        }
    }
}

/// The entry with this label or value: an exact match, or else one that ignores case and spaces.
fn find(entries: &[Entry], wanted: &str, name: &str) -> Result<usize, ActError> {
    let plain = |text: &str| szk_text::comparable(text).to_lowercase();
    let by = |test: &dyn Fn(&Entry) -> bool| {
        entries
            .iter()
            .position(|entry| entry.is_open() && test(entry))
    };
    let label = |entry: &Entry| entry.label == wanted;
    let value = |entry: &Entry| entry.value == wanted;
    let loosely = |entry: &Entry| plain(&entry.label) == plain(wanted);
    let found = by(&label).or_else(|| by(&value)).or_else(|| by(&loosely));
    found.ok_or_else(|| {
        let is_meant = |entry: &&Entry| label(entry) || value(entry) || loosely(entry);
        if let Some(meant) = entries.iter().filter(is_meant).find(|entry| !entry.hidden) {
            let option = szk_text::line(&meant.label, 60);
            return ActError::NotReady {
                target: name.to_owned(),
                why: format!("has the option `{option}`, but it is disabled"),
            };
        }
        ActError::NoOption {
            target: name.to_owned(),
            wanted: wanted.to_owned(),
            options: entries
                .iter()
                .filter(|entry| entry.is_open())
                .map(|entry| entry.label.clone())
                .take(20)
                .collect(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(label: &str, value: &str, disabled: bool) -> Entry {
        Entry {
            label: label.into(),
            value: value.into(),
            selected: false,
            disabled,
            hidden: false,
            id: 0,
        }
    }

    #[test]
    fn entries_are_found_by_label_value_and_loosely() {
        let entries = [
            entry("Red", "1", false),
            entry("Dark  blue", "2", false),
            entry("Red", "3", true),
        ];
        assert_eq!(find(&entries, "Red", "x").unwrap(), 0);
        assert_eq!(find(&entries, "2", "x").unwrap(), 1);
        assert_eq!(find(&entries, "dark Blue", "x").unwrap(), 1);
        let Err(ActError::NoOption { options, .. }) = find(&entries, "4", "x") else {
            panic!("there is none");
        };
        assert_eq!(options, ["Red", "Dark  blue"]);
        let disabled = find(&entries, "3", "x").unwrap_err();
        let said = "x has the option `Red`, but it is disabled";
        assert_eq!(disabled.to_string(), said);
    }
}
