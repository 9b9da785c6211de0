//! When szk itself was at work in which tab: input at that time is not a person's.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::Recorder;

/// Times of szk's own work that are kept.
const KEPT: usize = 200;

/// When szk was at work, newest last.
#[derive(Default)]
pub(super) struct Own {
    // A std mutex: nothing awaits under it.
    spans: Mutex<Vec<Time>>,
}

struct Time {
    number: u64,
    /// None for all tabs.
    tab: Option<String>,
    /// Milliseconds since 1970.
    from: f64,
    to: f64,
}

/// A time that lasts until this is dropped.
pub(crate) struct Span {
    recorder: Arc<Recorder>,
    number: u64,
}

impl Own {
    pub(super) fn begin(&self, recorder: &Arc<Recorder>, tab: Option<&str>) -> Span {
        let mut spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        let number = spans.last().map_or(1, |last| last.number + 1);
        if spans.len() >= KEPT {
            spans.remove(0);
        }
        spans.push(Time {
            number,
            tab: tab.map(str::to_owned),
            from: now(),
            to: f64::INFINITY,
        });
        Span {
            recorder: Arc::clone(recorder),
            number,
        }
    }

    /// Whether szk was at work in a tab at a time.
    pub(super) fn at(&self, tab: &str, time: f64) -> bool {
        self.any(tab, |span| span.from <= time && time <= span.to)
    }

    /// Whether szk has been at work in a tab since a time.
    pub(super) fn since(&self, tab: &str, time: f64) -> bool {
        self.any(tab, |span| span.to >= time)
    }

    fn any(&self, tab: &str, fits: impl Fn(&Time) -> bool) -> bool {
        let spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        let mut of_tab = spans
            .iter()
            .filter(|span| span.tab.as_deref().is_none_or(|own| own == tab));
        of_tab.any(fits)
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        let own = &self.recorder.own.spans;
        let mut spans = own.lock().unwrap_or_else(PoisonError::into_inner);
        let span = spans.iter_mut().find(|span| span.number == self.number);
        if let Some(span) = span {
            span.to = now();
        }
    }
}

/// Milliseconds since 1970, as pages count them.
pub(super) fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_during_an_act_is_not_a_persons() {
        let recorder = Arc::new(Recorder::default());
        let span = recorder.own.begin(&recorder, Some("t1"));
        let during = now();
        assert!(recorder.own.at("t1", during) && !recorder.own.at("t2", during));
        drop(span);
        let after = now() + 1.0;
        assert!(recorder.own.at("t1", during) && !recorder.own.at("t1", after));
        assert!(recorder.own.since("t1", during) && !recorder.own.since("t1", after));
        let everywhere = recorder.own.begin(&recorder, None);
        assert!(recorder.own.at("t2", now()));
        drop(everywhere);
    }
}
