//! How long a run waits for the element of a step.

use szk_page::snapshot::Elements;
use tokio::time::{Duration, Instant};

/// How long an element may take to appear after the page has last changed.
const APPEARS: Duration = Duration::from_secs(2);
/// How long what may be it may take to become certain, since then.
const SETTLES: Duration = Duration::from_millis(500);
/// How long an element may take on a page that changes all the time.
const WHOLE: Duration = Duration::from_secs(10);

/// What was seen of the page while its element was looked for.
pub(super) struct Patience {
    began: Instant,
    changed: Instant,
    last: Option<Elements>,
}

impl Patience {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            began: now,
            changed: now,
            last: None,
        }
    }

    /// Notes what the page shows now.
    pub(super) fn saw(&mut self, page: Elements, now: Instant) {
        if self.last.as_ref() != Some(&page) {
            self.changed = now;
        }
        self.last = Some(page);
    }

    /// When there is nothing left to wait for; sooner if something may be the element, since waiting would
    /// hardly make it certain.
    pub(super) fn ends(&self, doubtful: bool) -> Instant {
        let limit = if doubtful { SETTLES } else { APPEARS };
        (self.changed + limit).min(self.began + WHOLE)
    }
}

#[cfg(test)]
mod tests {
    use szk_recipes::Thing;

    use super::*;

    fn page(name: &str) -> Elements {
        Elements {
            things: vec![Thing {
                name: name.to_owned(),
                ..Thing::default()
            }],
            ..Elements::default()
        }
    }

    #[test]
    fn it_waits_for_as_long_as_the_page_changes() {
        let began = Instant::now();
        let at = |ms: u64| began + Duration::from_millis(ms);
        let mut patience = Patience::new(began);
        patience.saw(page("a"), at(100));
        assert_eq!(patience.ends(false), at(2_100));
        // The same page is no change.
        patience.saw(page("a"), at(1_500));
        assert_eq!(patience.ends(false), at(2_100));
        patience.saw(page("b"), at(2_000));
        assert_eq!(patience.ends(false), at(4_000));
        // What may be the element becomes certain soon, or not at all.
        assert_eq!(patience.ends(true), at(2_500));
        patience.saw(page("c"), at(9_000));
        assert_eq!(patience.ends(true), at(9_500));
        assert_eq!(patience.ends(false), at(10_000));
    }
}
