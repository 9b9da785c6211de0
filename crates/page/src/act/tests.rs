//! Clicks on something that does not stand still, in a scripted page.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use szk_cdp::testing::{Answer, Call, Peer, Script};
use tokio::time::Instant;

use super::{Act, ActError, Actor, Clicking, Did, Failed, Scene, Target, Worlds};
use crate::input::{InputDevice, InputDevices, Layout, Pace, Person};
use crate::snapshot::Element;
use crate::testing::pages;

/// A page with one element of 40 by 20 pixels.
#[derive(Default)]
struct Moving {
    /// Pixels that it moves from one look to the next.
    speed: f64,
    /// It stands still whenever it is waited for.
    jerky: bool,
    /// Whether each press hits it, and whether one that does not hits something that works.
    presses: Vec<(bool, bool)>,
    /// It was found by all that is known of it, and whether it is still that.
    known: Option<bool>,
    /// It is another once the pointer is over it.
    changes: bool,
    x: f64,
    frames: f64,
    pressed: usize,
    /// How often the pointer was put where the element would be.
    aimed: usize,
}

impl Moving {
    fn look(&mut self, moving: bool) -> Value {
        self.x += self.speed;
        self.frames += 1.0;
        json!({
            "connected": true, "visible": true, "enabled": true, "attended": true, "name": "<b>",
            "box": {"x": 100.0 + self.x, "y": 50, "width": 40, "height": 20},
            "view": {"x": 0, "y": 0, "width": 1000, "height": 700},
            "point": {"x": 120.0 + self.x, "y": 60}, "moving": moving, "drawn": self.frames * 16.0,
        })
    }

    fn answer(&mut self, call: &Call) -> Option<Answer> {
        if call.method != "Runtime.callFunctionOn" {
            return None;
        }
        let moves = self.speed > 0.0 && !self.jerky;
        let value = match call.params["arguments"][0]["value"].as_str()? {
            "find" => json!({"count": 1, "id": 0, "look": self.look(false)}),
            "recognize" if self.known == Some(true) => json!([0, self.look(false)]),
            "recognize" => Value::Null,
            "watch" if self.known.is_some() => {
                let mut look = self.look(false);
                look["other"] = json!(self.changes);
                look
            }
            "look" | "watch" => self.look(false),
            "ready" => self.look(moves),
            "frames" => {
                self.aimed += 1;
                json!(true)
            }
            "struck" => {
                let (hit, live) = self.presses[self.pressed.min(self.presses.len() - 1)];
                self.pressed += 1;
                json!({"hit": hit, "name": "<i>", "live": live})
            }
            "rest" => json!({
                "changes": 0, "own": 0, "sent": false, "downloads": 0, "focus": null,
                "selection": null, "press": null, "url": "http://a/",
            }),
            _ => json!(true),
        };
        Some(json!({"result": {"type": "object", "value": value}}).into())
    }
}

/// A button of this name, as a snapshot has it.
pub(super) fn element(name: &str) -> Element {
    Element {
        session: "S".into(),
        frame: "T".to_owned(),
        script: "script".to_owned(),
        number: 7,
        kind: "i",
        role: "button".to_owned(),
        name: name.to_owned(),
        text: String::new(),
    }
}

/// Clicks it.
async fn click(page: Moving) -> (Result<Did, Failed>, Peer, Arc<Mutex<Moving>>) {
    let target = match page.known {
        Some(_) => Target::Element(element("Go")),
        None => Target::Selector("b".to_owned()),
    };
    let page = Arc::new(Mutex::new(page));
    let seen = Arc::clone(&page);
    let script = Script::new().answer_with(move |call| seen.lock().unwrap().answer(call));
    let (connection, mut events, peer) = script.then(pages()).start();
    // A full queue would end the connection.
    tokio::spawn(async move { while events.recv().await.is_some() {} });
    peer.attach(None, "S", "page");
    let (session, worlds) = ("S".into(), Worlds::default());
    let scene = Scene {
        connection: &connection,
        session: &session,
        target_id: "T",
        worlds: &worlds,
        sessions: &|_| None,
        frames: &Vec::new,
    };
    let mut device = InputDevice::new(
        connection.clone(),
        session.clone(),
        InputDevices::default().take("T").await,
        Person::of(7),
        Pace::Fast,
        Layout::Us,
    );
    let done = Actor::perform(
        scene,
        &mut device,
        Act::Click(Clicking::default()),
        Some(target),
        Instant::now() + Duration::from_secs(60),
        Box::pin(std::future::pending()),
    )
    .await;
    (done, peer, page)
}

fn presses(peer: &Peer) -> usize {
    let calls = peer.calls();
    let pressed = calls.iter().filter(|call| {
        call.method == "Input.dispatchMouseEvent" && call.params["type"] == "mousePressed"
    });
    pressed.count()
}

#[tokio::test(start_paused = true)]
async fn what_moves_on_is_pressed_again_where_it_is_then() {
    let moving = Moving {
        speed: 8.0,
        presses: vec![(false, false), (false, false), (true, true)],
        ..Moving::default()
    };
    let (done, peer, page) = click(moving).await;
    let notes = done.unwrap().notes;
    assert_eq!(presses(&peer), 3);
    let aimed = page.lock().unwrap().aimed;
    assert!(aimed >= 3, "once for each press at least: {aimed}");
    let expected = [
        format!("it keeps moving: the pointer followed it, aimed {aimed} times"),
        "it moved away before the press: pressed again 2 times".to_owned(),
    ];
    assert_eq!(notes, expected);
}

#[tokio::test(start_paused = true)]
async fn what_moves_by_fits_and_starts_is_followed_too() {
    let jerky = Moving {
        speed: 8.0,
        jerky: true,
        presses: vec![(true, true)],
        ..Moving::default()
    };
    let (done, peer, _) = click(jerky).await;
    let notes = done.unwrap().notes;
    assert_eq!(presses(&peer), 1);
    let expected = ["it keeps moving: the pointer followed it, aimed once"];
    assert_eq!(notes, expected);
}

#[tokio::test(start_paused = true)]
async fn what_moved_once_is_pressed_again_once() {
    let moved = Moving {
        presses: vec![(false, false), (true, true)],
        ..Moving::default()
    };
    let (done, peer, _) = click(moved).await;
    assert_eq!(presses(&peer), 2);
    let expected = ["it moved away before the press: pressed again once"];
    assert_eq!(done.unwrap().notes, expected);
}

#[tokio::test(start_paused = true)]
async fn a_press_that_something_else_felt_is_not_repeated() {
    let moving = Moving {
        speed: 8.0,
        presses: vec![(false, true)],
        ..Moving::default()
    };
    let (done, peer, _) = click(moving).await;
    let failed = done.unwrap_err();
    let harmful = ActError::Missed {
        target: "<b>".to_owned(),
        hit: "<i>".to_owned(),
        harmless: false,
    };
    assert_eq!(format!("{}", failed.error), format!("{harmful}"));
    assert!(failed.begun);
    assert_eq!(presses(&peer), 1);
}

#[tokio::test(start_paused = true)]
async fn what_always_gets_away_is_not_pressed_for_ever() {
    let moved = Moving {
        presses: vec![(false, false)],
        ..Moving::default()
    };
    let (done, peer, _) = click(moved).await;
    assert!(matches!(
        done.unwrap_err().error,
        ActError::Missed { harmless: true, .. }
    ));
    assert_eq!(presses(&peer), 4);
}

#[tokio::test(start_paused = true)]
async fn who_means_one_element_presses_nothing_else() {
    let page = |known, changes| Moving {
        known: Some(known),
        changes,
        presses: vec![(true, true)],
        ..Moving::default()
    };
    // Another element, or the same as something else by the time the pointer is there.
    for (known, changes) in [(false, false), (true, true)] {
        let (done, peer, _) = click(page(known, changes)).await;
        let failed = done.unwrap_err();
        assert!(matches!(failed.error, ActError::Stale), "{known} {changes}");
        assert!(!failed.begun);
        assert_eq!(presses(&peer), 0);
    }
    let (done, peer, _) = click(page(true, false)).await;
    assert!(done.is_ok());
    assert_eq!(presses(&peer), 1);
}
