//! The time that input events carry.
//!
//! On Linux a mouse or a key press comes with the display server's clock, in whole milliseconds of the
//! machine's monotonic clock. An event that DevTools injects carries the moment it was injected, to the
//! microsecond, which every page can tell apart from `event.timeStamp`. So every input event of every
//! sender gets a time here, where all of them pass in the order of the wire.
//!
//! Chromium takes the time since 1970 and moves it onto the monotonic clock by an offset that it reads
//! once; the same offset is read here when the connection starts. Neither follows a clock that is set
//! later, so both stay in step.

use std::collections::BTreeMap;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use serde_json::value::{RawValue, to_raw_value};

use crate::protocol::input::{
    DispatchKeyEventParams, DispatchMouseEventParams, DispatchTouchEventParams,
    EmulateTouchFromMouseEventParams,
};

const MS: i64 = 1_000_000;
/// How long ago the device reported an event that is sent now: it also takes a moment to get from a real
/// device to the page, and a press and its release may be sent at once.
const AGO: i64 = 4;
/// Nanoseconds after the whole millisecond. Chromium rounds what pages see down to tenths; it reads its
/// two clocks a moment apart, and a time just before the millisecond would fall into the tenth before.
const AFTER: i64 = 2_000;
/// Most milliseconds that an event may claim to be old; an older one is taken for a wrong clock.
const OLDEST: i64 = 10_000;
/// Readings of the clocks to find two that are close together.
const READINGS: usize = 8;

/// Gives input events their times: whole milliseconds that never go back and are never ahead, one after
/// the other as long as the present leaves room.
#[derive(Debug)]
pub(crate) struct InputClock {
    /// Nanoseconds from the monotonic clock to the time since 1970. `None` where devices are not known to
    /// count in milliseconds.
    offset: Option<i64>,
    /// The last time given, in milliseconds of the monotonic clock.
    last: i64,
}

impl InputClock {
    /// A clock in step with the browser that is about to start, or has just started.
    pub(crate) fn start() -> Self {
        let offset = cfg!(target_os = "linux").then(offset);
        Self { offset, last: 0 }
    }

    /// The time since 1970, in seconds, of something that was due this long ago.
    pub(crate) fn ago(&self, late: Duration) -> Option<f64> {
        let late = i64::try_from(late.as_nanos()).unwrap_or(i64::MAX);
        let at = now(ClockId::Monotonic).saturating_sub(late);
        self.offset.map(|offset| seconds(at + offset))
    }

    /// The parameters of an input event with its time; `None` for other methods. A time that they already
    /// have is a wish, and is moved to the nearest possible one.
    pub(crate) fn stamped(
        &mut self,
        method: &str,
        params: Option<&RawValue>,
    ) -> Option<Box<RawValue>> {
        if !takes_time(method) {
            return None;
        }
        let offset = self.offset?;
        let mut fields: BTreeMap<String, Box<RawValue>> =
            serde_json::from_str(params?.get()).ok()?;
        let wish = fields
            .get("timestamp")
            .map(|time| time.get().parse::<f64>());
        let wish = match wish {
            None => None,
            Some(Ok(time)) => Some(nanoseconds(time).saturating_sub(offset)),
            // Chromium rejects it.
            Some(Err(_)) => return None,
        };
        let at = self.next(now(ClockId::Monotonic), wish);
        let time = seconds(at * MS + offset + AFTER);
        fields.insert("timestamp".to_owned(), to_raw_value(&time).ok()?);
        to_raw_value(&fields).ok()
    }

    /// The time of the next event, in milliseconds of the monotonic clock.
    fn next(&mut self, now: i64, wish: Option<i64>) -> i64 {
        let now = now.div_euclid(MS);
        let wish = wish.map(|wish| (wish + MS / 2).div_euclid(MS));
        let wish = wish
            .filter(|wish| (now - OLDEST..=now + AGO).contains(wish))
            .unwrap_or(now - AGO);
        self.last = wish.max(self.last + 1).min(now).max(self.last);
        self.last
    }
}

fn takes_time(method: &str) -> bool {
    matches!(
        method,
        DispatchMouseEventParams::IDENTIFIER
            | DispatchKeyEventParams::IDENTIFIER
            | DispatchTouchEventParams::IDENTIFIER
            | EmulateTouchFromMouseEventParams::IDENTIFIER
    )
}

/// Nanoseconds from the monotonic clock to the time since 1970.
fn offset() -> i64 {
    let readings = (0..READINGS).map(|_| {
        let before = now(ClockId::Monotonic);
        let real = now(ClockId::Realtime);
        let after = now(ClockId::Monotonic);
        (after - before, real - before - (after - before) / 2)
    });
    readings.min().map_or(0, |(_, offset)| offset)
}

fn now(clock: ClockId) -> i64 {
    let time = clock_gettime(clock);
    time.tv_sec * 1_000 * MS + time.tv_nsec
}

fn seconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 / 1e9
}

fn nanoseconds(seconds: f64) -> i64 {
    // Saturates.
    (seconds * 1e9) as i64
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::raw;

    const NOW: i64 = 5_000;

    /// The times for events that are sent at `NOW`, with their wishes.
    #[track_caller]
    fn check(wishes: &[Option<f64>], expected: &[i64]) {
        let mut clock = InputClock::start();
        let wishes = wishes.iter();
        let times: Vec<i64> = wishes
            .map(|wish| clock.next(NOW * MS + 700_000, wish.map(|ms| (ms * MS as f64) as i64)))
            .collect();
        assert_eq!(times, expected);
    }

    #[test]
    fn times_are_whole_milliseconds_in_order_and_never_ahead() {
        check(&[None; 7], &[4996, 4997, 4998, 4999, 5000, 5000, 5000]);
        // Late by a busy machine: a key was still held for its time.
        check(
            &[Some(4900.2), Some(4979.4), Some(4979.6), None],
            &[4900, 4979, 4980, 4996],
        );
        check(&[Some(4990.0), Some(4950.0)], &[4990, 4991]);
        // Not a time of this machine's clock.
        check(&[Some(9e12), Some(-1e9)], &[4996, 4997]);
        check(&[Some(5002.0)], &[5000]);
    }

    #[test]
    fn events_of_devices_get_a_time_and_nothing_else_does() {
        let mut clock = InputClock::start();
        let mut stamped = |method: &str, params: Value| -> Option<Value> {
            let params = clock.stamped(method, Some(&raw(&params)))?;
            Some(serde_json::from_str(params.get()).unwrap())
        };
        let sent = json!({"type": "mouseMoved", "x": 5.5, "y": 7, "timestamp": 3});
        let sent = stamped("Input.dispatchMouseEvent", sent).unwrap();
        assert_eq!(
            (&sent["x"], &sent["type"]),
            (&json!(5.5), &json!("mouseMoved"))
        );
        let at = nanoseconds(sent["timestamp"].as_f64().unwrap()) - offset();
        let age = (now(ClockId::Monotonic) - at) / MS;
        assert!((0..1_000).contains(&age), "{age} ms old");
        // What a float of seconds resolves, and how far apart two readings of the clocks are.
        let rest = at.rem_euclid(MS);
        assert!(
            !(50_000..=MS - 50_000).contains(&rest),
            "{rest} ns after the millisecond"
        );
        for method in ["Input.dispatchKeyEvent", "Input.dispatchTouchEvent"] {
            assert!(stamped(method, json!({})).unwrap()["timestamp"].is_f64());
        }
        assert!(stamped("Input.insertText", json!({"text": "x"})).is_none());
        assert!(stamped("Input.dispatchKeyEvent", json!({"timestamp": "x"})).is_none());
        assert!(stamped("Input.dispatchKeyEvent", json!([])).is_none());
    }

    #[test]
    fn a_scheduled_time_is_kept() {
        let mut clock = InputClock::start();
        let due = clock.ago(Duration::from_millis(300)).unwrap();
        let params = raw(&json!({"type": "keyUp", "timestamp": due}));
        let sent = clock
            .stamped("Input.dispatchKeyEvent", Some(&params))
            .unwrap();
        let sent: Value = serde_json::from_str(sent.get()).unwrap();
        assert!((sent["timestamp"].as_f64().unwrap() - due).abs() < 0.001);
    }
}
