//! From inputs to acts.

use serde_json::{Value, json};
use szk_tools::Code;

use super::*;

const BUDGET: Duration = Duration::from_secs(30);

fn reads(input: Value) -> Result<UnresolvedAct, Failure> {
    let input: ActInput = serde_json::from_value(input).unwrap();
    read(&input, BUDGET)
}

#[track_caller]
fn check(input: Value, expected: &Act) {
    match reads(input.clone()) {
        Ok(UnresolvedAct::Act(act)) => assert_eq!(act, *expected, "{input}"),
        Ok(UnresolvedAct::DragTo(_)) => panic!("{input} is a drag"),
        Err(failure) => panic!("{input}: {failure}"),
    }
}

#[test]
fn inputs_are_read_as_acts() {
    check(json!({"kind": "hover"}), &Act::Hover);
    check(json!({"kind": "uncheck"}), &Act::Check(false));
    check(
        json!({"kind": "fill", "text": "a"}),
        &Act::Fill("a".to_owned()),
    );
    check(
        json!({"kind": "select", "text": "a"}),
        &Act::Select(vec!["a".to_owned()]),
    );
    check(
        json!({"kind": "resize", "width": 800, "height": 600}),
        &Act::Resize(800, 600),
    );
    check(
        json!({"kind": "scroll", "to": "bottom"}),
        &Act::Scroll(Scroll::Bottom),
    );
    check(
        json!({"kind": "scroll", "dy": 300}),
        &Act::Scroll(Scroll::By(0, 300)),
    );
    check(
        json!({"kind": "scroll", "selector": "p"}),
        &Act::Scroll(Scroll::IntoView),
    );
}

#[test]
fn what_does_not_go_together_is_refused_before_anything_is_done() {
    for wrong in [
        json!({"kind": "type"}),
        json!({"kind": "fill"}),
        json!({"kind": "press"}),
        json!({"kind": "press", "key": "NoSuchKey"}),
        json!({"kind": "click", "count": 51}),
        json!({"kind": "click", "modifiers": ["Hyper"]}),
        json!({"kind": "drag"}),
        json!({"kind": "select"}),
        json!({"kind": "upload"}),
        json!({"kind": "upload", "paths": ["relative"]}),
        json!({"kind": "scroll"}),
        json!({"kind": "scroll", "to": "middle"}),
        json!({"kind": "scroll", "to": "top", "dy": 1}),
        json!({"kind": "resize", "width": 800}),
        json!({"kind": "resize", "width": 99, "height": 600}),
        json!({"kind": "wait"}),
        json!({"kind": "wait", "text": ""}),
        json!({"kind": "wait", "url": " "}),
        json!({"kind": "wait", "selector": ""}),
        json!({"kind": "click", "ref": ""}),
        json!({"kind": "click", "selector": "a", "after": ""}),
        json!({"kind": "drag", "selector": "a", "to": ""}),
        json!({"kind": "wait", "time_ms": 30_000}),
        json!({"kind": "wait", "state": "networkidle", "selector": "p"}),
    ] {
        let Err(failure) = reads(wrong.clone()) else {
            panic!("{wrong} is an act");
        };
        assert_eq!(failure.code, Code::InvalidInput, "{wrong}");
    }
}

#[test]
fn a_wait_ends_before_its_call_does() {
    let Ok(UnresolvedAct::Act(Act::Wait(wait))) =
        reads(json!({"kind": "wait", "selector": "p", "time_ms": 1000}))
    else {
        panic!("it is a wait");
    };
    assert_eq!(wait.time, Some(Duration::from_secs(1)));
    assert_eq!(wait.limit, Duration::from_millis(28_750));
}

#[test]
fn a_text_for_a_dialog_accepts_it() {
    let of = |input: Value| answering(&serde_json::from_value(input).unwrap());
    let text = of(json!({"kind": "click", "dialog_text": "yes"}));
    assert_eq!(
        (text.accept, text.text.as_deref()),
        (Some(true), Some("yes"))
    );
    assert_eq!(of(json!({"kind": "click"})).accept, None);
    let dismissed = of(json!({"kind": "click", "dialog": "dismiss"}));
    assert_eq!(dismissed.accept, Some(false));
}

#[test]
fn a_point_of_a_target_is_a_part_of_its_word() {
    let of = |input: Value| {
        let input = serde_json::from_value(input).unwrap();
        let ActInput {
            r#ref,
            selector,
            x,
            y,
            ..
        } = pointed(&input).into_owned();
        (r#ref.or(selector).unwrap_or_default(), x, y)
    };
    let check = |input: Value, word: &str, at: Option<(i32, i32)>| {
        let (x, y) = at.unzip();
        assert_eq!(of(input), (word.to_owned(), x, y));
    };
    check(json!({"ref": "e12@10,20"}), "e12", Some((10, 20)));
    check(json!({"selector": "#c@-3, 4"}), "#c", Some((-3, 4)));
    check(json!({"ref": "@e12"}), "@e12", None);
    check(json!({"selector": "//a[@id]"}), "//a[@id]", None);
}

#[test]
fn a_target_is_one_word() {
    let point = Given::read("3, -4");
    assert_eq!((point.x, point.y), (Some(3), Some(-4)));
    assert_eq!(Given::read("e5").r#ref.as_deref(), Some("e5"));
    assert_eq!(Given::read("#a,b").selector.as_deref(), Some("#a,b"));
}
