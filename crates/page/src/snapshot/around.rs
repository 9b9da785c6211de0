//! What is around the target of an act, on pages that are too large to be compared as a whole.

use serde_json::json;

use super::error::ReadError;
use super::gather::{self, Start, Wanted};
use super::item::Key;
use super::options::Mode;
use super::page_state::PageState;
use super::view::View;
use crate::page::Page;

/// Elements in what is around a target.
const MOST: usize = 400;
/// Targets of one batch to look around.
const TARGETS: usize = 8;

/// A part of the page as it was before an act.
pub(super) struct Around {
    root: Key,
    before: PageState,
}

/// How much of the page a comparison covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Covers {
    /// All of it.
    All,
    /// All controls, and everything around the target.
    Controls,
    /// What is around the target.
    Around,
}

impl View {
    /// Whether the caller was told of a page of which not everything is compared after an act.
    fn is_partly_compared(&self) -> bool {
        self.covers().is_some_and(|covers| covers != Covers::All)
    }

    /// What [`View::since`] compares; `None` while there was no snapshot.
    pub(super) fn covers(&self) -> Option<Covers> {
        match &self.told {
            Some(told) if told.mode == Mode::Full => Some(Covers::All),
            Some(_) => Some(Covers::Controls),
            None => self.large.then_some(Covers::Around),
        }
    }

    /// Notes what is around a ref, if changes there would not be told otherwise.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn look_around(&mut self, page: &Page, reference: &str) -> Result<(), ReadError> {
        let known = self.refs.get(reference).map(|known| known.key);
        let Some(key) = known.filter(|_| self.is_partly_compared()) else {
            return Ok(());
        };
        if self.around.len() >= TARGETS {
            return Ok(());
        }
        let Some((_, world)) = self.worlds.of_serial(key.world) else {
            return Ok(());
        };
        let function = "function (known, most) { return this.around(known, most); }";
        let number: u32 = world
            .call(function, &[json!(key.number), json!(MOST)])
            .await?;
        let root = Key { number, ..key };
        if number == 0 || self.around.iter().any(|known| known.root == root) {
            return Ok(());
        }
        let before = self.part(page, root).await?;
        self.around
            .extend(before.map(|before| Around { root, before }));
        Ok(())
    }

    /// The lines that say what is different around the targets that were noted, and forgets them.
    pub(super) async fn changed_around(&mut self, page: &Page, near: Option<Key>) -> Vec<String> {
        let mut lines = Vec::new();
        for Around { root, before } in std::mem::take(&mut self.around) {
            // What is gone is told by what compares the page.
            if let Ok(Some(now)) = self.part(page, root).await {
                lines.extend(before.changes(&now, &mut self.refs, near));
            }
        }
        lines
    }

    async fn part(&mut self, page: &Page, root: Key) -> Result<Option<PageState>, ReadError> {
        let Some((frame, world)) = self.worlds.of_serial(root.world) else {
            return Ok(None);
        };
        let start = Start {
            frame: frame.to_owned(),
            session: world.session.clone(),
            root: Some(root.number),
        };
        let wanted = Wanted {
            mode: Mode::Full,
            depth: None,
            boxes: false,
            unheard: true,
            searched: false,
            identify: None,
        };
        let read = gather::gather(page, &mut self.worlds, start, wanted).await?;
        Ok(Some(PageState::of(Mode::Full, read.items)))
    }
}

/// The ref of a line.
pub(super) fn reference(line: &str) -> Option<String> {
    let (_, from) = line.rsplit_once(" [e")?;
    let digits: String = from.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then(|| format!("e{digits}"))
}

/// Leaves out lines about nodes that other lines have told of.
pub(super) fn but_those(mut lines: Vec<String>, told: &[String]) -> Vec<String> {
    let is_change = |line: &&String| !line.starts_with("  ");
    let told: Vec<String> = told
        .iter()
        .filter(is_change)
        .filter_map(|line| reference(line))
        .collect();
    lines.retain(|line| {
        let known = reference(line).is_some_and(|one| told.contains(&one));
        !known || line.starts_with("  ")
    });
    without_lonely(lines)
}

/// Leaves out what is around changes that are not there any more.
pub(super) fn without_lonely(mut lines: Vec<String>) -> Vec<String> {
    let lonely = |lines: &[String], at: usize| {
        let next = lines.get(at + 1);
        lines[at].starts_with("  ") && next.is_none_or(|next| next.starts_with("  "))
    };
    let keep: Vec<bool> = (0..lines.len()).map(|at| !lonely(&lines, at)).collect();
    let mut keep = keep.into_iter();
    lines.retain(|_| keep.next().unwrap_or(true));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_told_once() {
        let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
        let near = lines("  - row \"A\" [e3]\n~   - button \"On\" [e4]\n~   - text: 5");
        let all = lines(
            "  - row \"A\" [e3]\n~   - button \"On\" [e4]\n  - main\n+   - link \"[e4] x\" [e9]\n- - button \"Old\" [e4]",
        );
        assert_eq!(
            but_those(all, &near),
            lines("  - main\n+   - link \"[e4] x\" [e9]")
        );
        assert_eq!(but_those(near.clone(), &[]), near);
    }
}
