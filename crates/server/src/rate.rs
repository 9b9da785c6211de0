//! How often each token may ask. It knows no clock.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The time in which requests are counted.
const MINUTE: Duration = Duration::from_secs(60);

/// Counts the requests of each token, in minutes that begin with the first of them.
#[derive(Debug, Default)]
pub(crate) struct Rate {
    /// Only tokens whose minute is not over.
    counts: HashMap<String, (Instant, u64)>,
}

impl Rate {
    /// Counts one more request of this token, unless it has made `limit` in this minute: then returns how
    /// long the minute still lasts.
    pub(crate) fn count(&mut self, token: &str, limit: u64, now: Instant) -> Result<(), Duration> {
        let passed = |began: &Instant| now.saturating_duration_since(*began);
        self.counts.retain(|_, (began, _)| passed(began) < MINUTE);
        let (began, count) = self.counts.entry(token.to_owned()).or_insert((now, 0));
        if *count >= limit {
            return Err(MINUTE.saturating_sub(passed(began)));
        }
        *count += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_has_its_own_minute() {
        let begin = Instant::now();
        let mut rate = Rate::default();
        let mut check = |token: &str, second: u64, expected: Result<(), u64>| {
            let now = begin + Duration::from_secs(second);
            let expected = expected.map_err(Duration::from_secs);
            assert_eq!(rate.count(token, 2, now), expected, "{token} at {second}");
        };
        check("a", 0, Ok(()));
        check("a", 10, Ok(()));
        check("a", 20, Err(40));
        check("b", 20, Ok(()));
        check("a", 59, Err(1));
        check("a", 60, Ok(()));
        check("a", 61, Ok(()));
        check("a", 62, Err(58));
    }
}
