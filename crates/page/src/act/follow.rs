//! Elements that do not stand still: the pointer goes where they are now.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::ActError;
use super::actor::Actor;
use super::aim::{Aim, Wants, lacks, not_ready};
use super::frames;
use super::look::{Look, Point};
use super::target::Located;

/// How often to try to get the pointer onto it.
const TRIES: u32 = 40;
/// Milliseconds that a movement takes until the page has seen it, before one was measured.
const USUAL: f64 = 20.0;

impl Actor<'_> {
    /// Puts the pointer on an element that keeps moving: ahead of it, by as far as it gets meanwhile.
    pub(super) async fn follow(
        &mut self,
        located: &Located,
        wants: Wants,
        mut before: Look,
    ) -> Result<Aim, ActError> {
        let mut takes = USUAL;
        for tries in 1..=TRIES {
            located.world().ask::<Value>("frames", &[json!(1)]).await?;
            let look = self.look(located).await?;
            if !look.connected {
                return Err(ActError::Stale);
            }
            if let Some(why) = lacks(&look, wants) {
                return Err(not_ready(&look, why));
            }
            let ahead = ahead(&before, &look, takes);
            before = look;
            let outside = ahead.x < 0.0
                || ahead.y < 0.0
                || ahead.x >= before.view.width
                || ahead.y >= before.view.height;
            if outside {
                continue;
            }
            let began = Instant::now();
            let page = frames::outwards(&located.levels, ahead, &before).await?;
            let at = (page.x.max(0.0) as i32, page.y.max(0.0) as i32);
            self.approach();
            let seen = self.device.moving_to(at.0, at.1).await;
            let _ = tokio::time::timeout(Duration::from_secs(2), seen).await;
            takes = began.elapsed().as_secs_f64() * 1_000.0;
            let local = json!({"x": ahead.x, "y": ahead.y});
            let asked = [json!(located.id), local, Value::Null];
            let now: Look = located.world().ask("watch", &asked).await?;
            if now.other {
                return Err(ActError::Stale);
            }
            if now.connected && now.open() {
                self.did.at = Some(at);
                self.did.target = Some(now.name.clone());
                self.aims += tries;
                self.say(&followed(self.aims));
                let aim = Aim {
                    at,
                    local: ahead,
                    look: now,
                };
                self.aimed = Some((located.clone(), aim.clone()));
                return Ok(aim);
            }
        }
        let why = format!("keeps moving, faster than the pointer, which was aimed {TRIES} times");
        Err(not_ready(&before, &why))
    }

    /// Adds a note once.
    pub(super) fn say(&mut self, note: &str) {
        if !self.did.notes.iter().any(|said| said == note) {
            self.did.notes.push(note.to_owned());
        }
    }
}

/// What is said of something that moved, by how often the pointer was aimed at it.
fn followed(aims: u32) -> String {
    let times = match aims {
        1 => "once".to_owned(),
        aims => format!("{aims} times"),
    };
    format!("it keeps moving: the pointer followed it, aimed {times}")
}

/// The centre of an element after so many milliseconds, by its last two places.
fn ahead(before: &Look, now: &Look, ms: f64) -> Point {
    let centre = |look: &Look| {
        let area = look.r#box;
        (area.x + area.width / 2.0, area.y + area.height / 2.0)
    };
    let (from, at) = (centre(before), centre(now));
    let time = now.drawn - before.drawn;
    // What comes from long ago says nothing about now.
    let share = if (1.0..200.0).contains(&time) {
        ms / time
    } else {
        0.0
    };
    Point {
        x: (at.0 + (at.0 - from.0) * share).floor() + 0.5,
        y: (at.1 + (at.1 - from.1) * share).floor() + 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::act::look::Area;

    fn look(x: f64, drawn: f64) -> Look {
        let area = Area {
            x,
            y: 0.0,
            width: 20.0,
            height: 10.0,
        };
        Look {
            r#box: area,
            drawn,
            ..Look::default()
        }
    }

    #[test]
    fn how_often_it_was_aimed_is_said() {
        assert!(followed(1).ends_with("aimed once"));
        assert!(followed(7).ends_with("aimed 7 times"));
    }

    #[test]
    fn it_is_ahead_by_as_far_as_it_gets() {
        let check = |from: f64, time: f64, expected: f64| {
            let ahead = ahead(&look(from, 0.0), &look(100.0, time), 32.0);
            assert_eq!((ahead.x, ahead.y), (expected, 5.5), "{from} {time}");
        };
        check(100.0, 16.0, 110.5);
        check(90.0, 16.0, 130.5);
        check(110.0, 16.0, 90.5);
        // The same frame, or long ago.
        check(90.0, 0.0, 110.5);
        check(90.0, 1_000.0, 110.5);
    }
}
