//! Decides which element of a page a step means.
//!
//! Each thing that is known of an element is evidence for or against a candidate. Words say what a
//! control does, so a candidate whose words contradict the recorded ones is refused whatever else
//! agrees, unless the whole page has changed its language. Handles (ids, test ids, paths) only help to
//! tell candidates apart.

use std::collections::BTreeSet;

use crate::Identity;

/// A candidate below this is not the element.
const GOOD: f64 = 0.6;
/// A candidate from here on may be the element, but not for certain.
const POSSIBLE: f64 = 0.3;
/// How far the best must be ahead of the next.
const LEAD: f64 = 0.08;
/// Words that are less alike than this contradict each other.
const ALIKE: f64 = 0.3;
/// Words that are at least this alike are the same.
const SAME: f64 = 0.9;
/// How alike texts are if one has all the words of the other.
const GROWN: f64 = 0.6;
/// Most candidates to report.
const MOST: usize = 5;

/// Which of the candidates is meant.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// This one, for certain.
    Found(usize),
    /// Perhaps one of these, best first, with their scores.
    Doubtful(Vec<(usize, f64)>),
    /// None of them.
    Nothing,
}

/// Chooses the candidate that `wanted` means. For each candidate, `inside` has the one that it is in, if it
/// is in one.
#[must_use]
pub fn choose(wanted: &Identity, candidates: &[Identity], inside: &[Option<usize>]) -> Choice {
    let mut scored: Vec<(usize, f64, bool)> = candidates
        .iter()
        .enumerate()
        .map(|(index, found)| {
            let (value, sound) = weigh(wanted, found);
            (index, value, sound)
        })
        .filter(|(_, value, _)| *value >= POSSIBLE)
        .collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let sound = || scored.iter().filter(|(.., sound)| *sound);
    if let Some((index, best, _)) = sound().next()
        && *best >= GOOD
    {
        let rivals = sound().take_while(|(_, next, _)| best - next < LEAD);
        let mut rivals: Vec<usize> = rivals.map(|(index, ..)| *index).collect();
        if rivals.len() == 1 {
            return Choice::Found(*index);
        }
        rivals.sort_unstable();
        if let Some(index) = nested(wanted, candidates, inside, &rivals) {
            return Choice::Found(index);
        }
    }
    if scored.is_empty() {
        return Choice::Nothing;
    }
    scored.truncate(MOST);
    Choice::Doubtful(
        scored
            .into_iter()
            .map(|(at, value, _)| (at, value))
            .collect(),
    )
}

/// Which of several equals is meant that are each in the one before, if there are no others: what is in what
/// stays the same however a page is laid out.
fn nested(
    wanted: &Identity,
    candidates: &[Identity],
    inside: &[Option<usize>],
    rivals: &[usize],
) -> Option<usize> {
    let is_in = |inner: usize, outer: usize| {
        let mut at = inside.get(inner).copied().flatten();
        // What a candidate is in comes before it.
        while let Some(index) = at.filter(|index| *index > outer && *index < inner) {
            at = inside.get(index).copied().flatten();
        }
        at == Some(outer)
    };
    let chain = rivals.windows(2).all(|pair| is_in(pair[1], pair[0]));
    let all = u32::try_from(rivals.len()).is_ok_and(|count| count == wanted.of);
    let same = |index: &usize| candidates[*index].of == wanted.of;
    if !chain || !all || !rivals.iter().all(same) {
        return None;
    }
    let meant = |index: &usize| candidates[*index].nth == wanted.nth;
    rivals.iter().copied().find(meant)
}

/// How well a candidate fits, from 0 to 1; 0 if it cannot be the element.
#[must_use]
pub fn score(wanted: &Identity, found: &Identity) -> f64 {
    let (value, sound) = weigh(wanted, found);
    if sound { value } else { 0.0 }
}

/// Evidence that has been gathered: what agreed, out of what could have.
#[derive(Default)]
struct Evidence {
    got: f64,
    most: f64,
}

impl Evidence {
    fn add(&mut self, weight: f64, agreement: f64) {
        self.most += weight;
        self.got += weight * agreement;
    }

    /// Evidence of something that is recorded; a page that lost it speaks against the candidate.
    fn exact(&mut self, weight: f64, wanted: &str, found: &str) {
        if !wanted.is_empty() {
            self.add(weight, f64::from(u8::from(wanted == found)));
        }
    }

    fn like(&mut self, weight: f64, wanted: &str, found: &str) {
        if !wanted.is_empty() {
            self.add(weight, similar(wanted, found));
        }
    }
}

/// How well a candidate fits, and whether nothing speaks against it for certain.
fn weigh(wanted: &Identity, found: &Identity) -> (f64, bool) {
    if !same_role(&wanted.role, &found.role) {
        return (0.0, false);
    }
    let translated = !wanted.lang.is_empty() && wanted.lang != found.lang;
    let mut evidence = Evidence::default();
    let (said, alike) = words(wanted, found);
    if said {
        // In another language, words say nothing.
        evidence.add(if translated { 1.0 } else { 6.0 }, alike);
    }
    let silent = !said && !wanted.around.is_empty();
    if silent {
        // What says nothing itself is known by what is around it.
        evidence.like(1.0, &wanted.around, &found.around);
    }
    evidence.exact(2.0, &wanted.test_id, &found.test_id);
    evidence.exact(1.5, &wanted.field, &found.field);
    evidence.exact(1.0, &wanted.kind, &found.kind);
    evidence.exact(1.0, &wanted.href, &found.href);
    if !wanted.row.is_empty() {
        evidence.add(2.5, contained(&wanted.row, &found.row));
    }
    if translated {
        let role = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
        evidence.exact(0.5, &role(&wanted.within), &role(&found.within));
    } else {
        evidence.like(0.75, &wanted.near, &found.near);
        evidence.like(0.75, &wanted.within, &found.within);
    }
    // Among equals, a position says nothing: they may have changed places.
    let several = wanted.of.max(found.of) > 1 && !wanted.css.starts_with('#');
    evidence.exact(if several { 0.25 } else { 0.5 }, &wanted.css, &found.css);
    evidence.exact(0.25, &wanted.frame, &found.frame);
    evidence.exact(0.25, &wanted.shadow, &found.shadow);
    let value = match evidence.most > 0.0 {
        true => evidence.got / evidence.most,
        // Only a role is known.
        false => 1.0,
    };
    // Words that were changed want something of the author's that was not.
    let doubtful = alike < ALIKE || (alike < SAME && !has_handle(wanted, found));
    let elsewhere = silent && !has_handle(wanted, found) && {
        let around = similar(&wanted.around, &found.around);
        let placed = !wanted.css.is_empty() && wanted.css == found.css;
        around < if placed { ALIKE } else { SAME }
    };
    let unsure = said && !translated && doubtful;
    let sound = !(contradicts(wanted, found, translated) || unsure || elsewhere);
    (value, sound)
}

/// What cannot be so for the element that is meant.
fn contradicts(wanted: &Identity, found: &Identity, translated: bool) -> bool {
    let differ = |a: &str, b: &str| !a.is_empty() && !b.is_empty() && a != b;
    // A password goes into nothing else, and nothing else into a password field.
    if (wanted.kind == "password") != (found.kind == "password") && !wanted.kind.is_empty() {
        return true;
    }
    // One of several rows: another row is another thing.
    if !wanted.row.is_empty() && !translated && contained(&wanted.row, &found.row) < 0.5 {
        return true;
    }
    // One of several that are the same to everybody, and the page has more or fewer of them now.
    let several = wanted.row.is_empty() && wanted.of.max(found.of) > 1;
    let told = places_tell(wanted, found) || silent_but_named(wanted, found);
    if several && wanted.of != 0 && wanted.of != found.of && !told {
        return true;
    }
    if several && !translated && elsewhere(&wanted.within, &found.within) {
        return true;
    }
    // Without words to go by, something that is nobody else's has to agree.
    translated && {
        let differs = differ(&wanted.test_id, &found.test_id)
            || differ(&wanted.field, &found.field)
            || differ(&wanted.kind, &found.kind);
        let words = words(wanted, found);
        differs || (!has_handle(wanted, found) && words.0 && words.1 < SAME)
    }
}

/// Whether two landmarks cannot be the same: another role, or another name where both have one.
fn elsewhere(wanted: &str, found: &str) -> bool {
    let parts = |text: &str| -> (String, String) {
        let (role, name) = text.split_once(' ').unwrap_or((text, ""));
        (role.to_owned(), plain(name))
    };
    let ((role, name), (other, named)) = (parts(wanted), parts(found));
    !wanted.is_empty()
        && (role != other || (!name.is_empty() && !named.is_empty() && name != named))
}

/// Whether something agrees that the author gave to this element alone.
fn has_handle(wanted: &Identity, found: &Identity) -> bool {
    let agrees = |a: &str, b: &str| !a.is_empty() && a == b;
    agrees(&wanted.test_id, &found.test_id)
        || agrees(&wanted.field, &found.field)
        || agrees(&wanted.href, &found.href)
        || (wanted.css.starts_with('#') && wanted.css == found.css)
}

/// Whether the place of a candidate tells it from its equals.
fn places_tell(wanted: &Identity, found: &Identity) -> bool {
    let same = |a: &str, b: &str| !a.is_empty() && a == b;
    same(&wanted.test_id, &found.test_id)
        || (same(&wanted.within, &found.within) && wanted.near == found.near)
}

/// Whether an element that says nothing has an id of its own: how many others say nothing does not matter.
fn silent_but_named(wanted: &Identity, found: &Identity) -> bool {
    let own = wanted.css.starts_with('#') && !wanted.css.contains(' ');
    own && wanted.css == found.css && !words(wanted, found).0
}

/// Whether both say something, and how alike the most alike of it is.
fn words(wanted: &Identity, found: &Identity) -> (bool, f64) {
    let said = |one: &Identity| {
        let all = [&one.name, &one.label, &one.text, &one.placeholder];
        let all = all.map(|text| plain(text));
        let all: BTreeSet<String> = all.into_iter().filter(|text| !text.is_empty()).collect();
        all
    };
    let (ours, theirs) = (said(wanted), said(found));
    if ours.is_empty() {
        return (false, 0.0);
    }
    // What it is called goes before what it shows: the same icon may stand for something else.
    if !wanted.name.is_empty() && !found.name.is_empty() {
        let named = similar(&wanted.name, &found.name);
        if named < ALIKE {
            return (true, named);
        }
    }
    let pairs = ours.iter().flat_map(|a| theirs.iter().map(move |b| (a, b)));
    (true, pairs.map(|(a, b)| similar(a, b)).fold(0.0, f64::max))
}

/// Roles that a page may exchange without changing what the element is for.
fn same_role(wanted: &str, found: &str) -> bool {
    let typed = |role: &str| matches!(role, "textbox" | "searchbox");
    wanted.is_empty() || wanted == found || (typed(wanted) && typed(found))
}

/// How alike two texts are, from 0 to 1: the share of their words that both have.
pub(crate) fn similar(a: &str, b: &str) -> f64 {
    let (a, b) = (plain(a), plain(b));
    if a == b {
        return 1.0;
    }
    let words = |text: &str| -> BTreeSet<String> { text.split(' ').map(str::to_owned).collect() };
    let (ours, theirs) = (words(&a), words(&b));
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let both = ours.intersection(&theirs).count();
    let all = ours.union(&theirs).count();
    let share = both as f64 / all as f64;
    // Never as good as the same text.
    match both == ours.len().min(theirs.len()) {
        true => share.max(GROWN),
        false => 0.85 * share,
    }
}

/// The share of a text's words that another has too.
fn contained(part: &str, whole: &str) -> f64 {
    let (part, whole) = (plain(part), plain(whole));
    let whole: BTreeSet<&str> = whole.split(' ').collect();
    let words: BTreeSet<&str> = part.split(' ').collect();
    let there = words.iter().filter(|word| whole.contains(*word)).count();
    there as f64 / words.len() as f64
}

/// As people say it: no matter the case, the spaces and the punctuation.
fn plain(text: &str) -> String {
    let kept = |c: char| if c.is_alphanumeric() { c } else { ' ' };
    let text: String = text.chars().map(kept).collect();
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests;
