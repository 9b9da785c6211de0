//! Readings in which everything is gone at once.
//!
//! A browser whose network service has just died reports the same as one that the user has cleared. So
//! one such reading is not enough; the next one must agree.

use std::time::Duration;

/// How long everything must stay gone while the process that keeps it is known to be alive.
const WATCHED: Duration = Duration::from_millis(1500);
/// How long if no one can tell whether that process is alive.
const UNWATCHED: Duration = Duration::from_secs(30);

/// What to do with a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is what the browser has.
    Take,
    /// Do not trust it yet; read again.
    Wait,
}

/// Doubt about one table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Doubt {
    /// When a reading first found everything gone.
    since: Option<Duration>,
}

impl Doubt {
    /// Judges a reading with `after` entries that follows one with `before`, at `now` on a clock that
    /// never jumps. `watched`: the process that keeps the table is known, and is the same as at the
    /// last reading.
    pub fn judge(&mut self, before: usize, after: usize, now: Duration, watched: bool) -> Verdict {
        let enough = if watched { WATCHED } else { UNWATCHED };
        self.judge_after(before, after, now, enough)
    }

    /// The same, but everything must stay gone for `enough`.
    pub fn judge_after(
        &mut self,
        before: usize,
        after: usize,
        now: Duration,
        enough: Duration,
    ) -> Verdict {
        if before == 0 || after > 0 {
            return self.settle();
        }
        let since = *self.since.get_or_insert(now);
        match now.saturating_sub(since) < enough {
            true => Verdict::Wait,
            false => self.settle(),
        }
    }

    /// Someone has confirmed that everything is gone: no doubt remains.
    pub fn settle(&mut self) -> Verdict {
        self.since = None;
        Verdict::Take
    }
}

impl Doubt {
    /// Whether to repeat the reading.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.since.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(watched: bool, readings: &[(u64, usize, usize)], expected: &[Verdict]) {
        let mut doubt = Doubt::default();
        let verdicts: Vec<_> = readings
            .iter()
            .map(|&(ms, before, after)| {
                doubt.judge(before, after, Duration::from_millis(ms), watched)
            })
            .collect();
        assert_eq!(verdicts, expected, "{readings:?}");
        assert_eq!(doubt.waits(), expected.last() == Some(&Verdict::Wait));
    }

    #[test]
    fn who_is_told_does_not_doubt() {
        let mut doubt = Doubt::default();
        let (now, enough) = (Duration::from_secs(1), Duration::from_secs(5));
        assert_eq!(doubt.judge_after(3, 0, now, enough), Verdict::Wait);
        assert_eq!(doubt.settle(), Verdict::Take);
        assert!(!doubt.waits());
        assert_eq!(doubt.judge_after(3, 0, now * 7, enough), Verdict::Wait);
        assert_eq!(doubt.judge_after(3, 0, now * 12, enough), Verdict::Take);
    }

    #[test]
    fn losing_everything_takes_two_readings() {
        use Verdict::{Take, Wait};
        check(true, &[(0, 0, 0), (1, 0, 5), (2, 5, 1)], &[Take; 3]);
        check(true, &[(0, 5, 0), (2000, 5, 0)], &[Wait, Take]);
        check(
            true,
            &[(0, 5, 0), (9, 5, 0), (2000, 5, 0)],
            &[Wait, Wait, Take],
        );
        check(
            true,
            &[(0, 5, 0), (2000, 5, 5), (4000, 5, 0)],
            &[Wait, Take, Wait],
        );
        check(
            false,
            &[(0, 5, 0), (2000, 5, 0), (30_000, 5, 0)],
            &[Wait, Wait, Take],
        );
    }
}
