//! Names that callers give to tabs.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use szk_runtime::supervisor::Tab;
use szk_tools::Failure;

/// Longest label, in characters.
const LONGEST: usize = 40;

/// Labels by the tab's id, whatever page it shows. A label is of one tab; given again, it moves.
#[derive(Default)]
pub(crate) struct Labels {
    // A std mutex: nothing awaits under it.
    by_tab: Mutex<HashMap<String, String>>,
}

impl Labels {
    /// The tab of this label among those that are open.
    pub(crate) fn find(&self, label: &str, tabs: Vec<Tab>) -> Option<Tab> {
        let labels = self.lock();
        tabs.into_iter()
            .find(|tab| labels.get(&tab.id).is_some_and(|own| own == label))
    }

    /// The label of a tab.
    pub(crate) fn of(&self, tab: &Tab) -> Option<String> {
        self.lock().get(&tab.id).cloned()
    }

    /// Gives a tab a label, or with an empty one takes it away. Labels of tabs that are gone are
    /// forgotten here.
    pub(crate) fn set(&self, tab: &Tab, label: &str, open: &[Tab]) -> Result<(), Failure> {
        check(label)?;
        let mut labels = self.lock();
        labels.retain(|id, own| *own != label && open.iter().any(|tab| tab.id == *id));
        if label.is_empty() {
            labels.remove(&tab.id);
        } else {
            labels.insert(tab.id.clone(), label.to_owned());
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.by_tab.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A label must not be taken for an id.
pub(crate) fn check(label: &str) -> Result<(), Failure> {
    let is_id = label
        .strip_prefix('t')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
    if is_id || label == "new" {
        return Err(Failure::invalid(format!(
            "`{label}` cannot be a label: it would be taken for a tab's id"
        )));
    }
    let printable = label.chars().all(|c| !c.is_control());
    if label.chars().count() > LONGEST || !printable || label.trim() != label {
        return Err(Failure::invalid(format!(
            "a label has at most {LONGEST} printable characters"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_no_ids() {
        for good in ["", "cart", "tab", "t", "t3x", "été 1"] {
            assert!(check(good).is_ok(), "{good}");
        }
        for wrong in ["t3", "new", " a", "a\nb", &"x".repeat(41)] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
