//! Acts as they are logged.

use super::*;
use crate::{Awaited, Distance, Effect, OtherButton, Point, Position, State, parse, write};

fn acted(act: &str, on: Option<Identity>, value: Option<&str>, effect: Effect) -> Acted {
    Acted {
        act: act.into(),
        on,
        value: value.map(str::to_owned),
        page: "https://shop.example/orders?x=1".into(),
        effect,
        ..Acted::default()
    }
}

fn field(name: &str, kind: &str) -> Identity {
    Identity {
        role: "textbox".into(),
        name: name.into(),
        kind: kind.into(),
        ..Identity::default()
    }
}

fn changed() -> Effect {
    Effect {
        changed: true,
        ..Effect::default()
    }
}

#[test]
fn a_drag_has_both_ends() {
    let ends = |to: Option<Identity>| Acted {
        to,
        ..acted("drag", Some(field("Card 1", "text")), None, changed())
    };
    let acts = [ends(Some(field("Bin", "text"))), ends(None)];
    let (recipe, notes) = draft("a", "", &acts).unwrap();
    assert_eq!(
        recipe.steps[1].words(),
        "drag textbox \"Card 1\" to textbox \"Bin\""
    );
    assert_eq!((recipe.steps.len(), notes.len()), (2, 1), "{notes:?}");
    assert_eq!(parse(&write(&recipe), "a").unwrap(), recipe);
}

#[test]
fn points_of_one_drawing_and_other_buttons_are_acts_of_their_own() {
    let drawing = || Some(field("Board", ""));
    let at = |x, by, button| Acted {
        point: Some(Point {
            x,
            y: 5,
            width: 300,
            height: 150,
        }),
        by,
        button,
        ..acted(
            if by.is_some() { "drag" } else { "click" },
            drawing(),
            None,
            Effect::default(),
        )
    };
    let acts = [
        at(10, None, None),
        at(20, None, Some(OtherButton::Right)),
        at(20, None, Some(OtherButton::Right)),
        at(30, Some(Distance { x: 40, y: 0 }), None),
    ];
    let (recipe, notes) = draft("a", "", &acts).unwrap();
    let steps: Vec<String> = recipe.steps.iter().map(Step::words).collect();
    let on = "textbox \"Board\" at";
    let expected = [
        "navigate /orders?x=1".to_owned(),
        format!("click {on} 10,5"),
        // The same click once more: the first one did nothing.
        format!("click {on} 20,5"),
        format!("drag {on} 30,5 by 40,0"),
    ];
    assert_eq!(steps, expected, "{notes:?}");
    assert_eq!(recipe.steps[2].button, Some(OtherButton::Right));
    assert_eq!(parse(&write(&recipe), "a").unwrap(), recipe);
}

#[test]
fn a_click_into_a_field_that_is_filled_then_is_left_out() {
    let on = || Some(field("Order", "text"));
    let acts = [
        acted("click", on(), None, changed()),
        acted("fill", on(), Some("1001"), changed()),
        acted("click", Some(field("Code", "text")), None, changed()),
    ];
    let (recipe, _) = draft("a", "", &acts).unwrap();
    let steps: Vec<&str> = recipe.steps.iter().map(|step| step.act.word()).collect();
    assert_eq!(steps, ["navigate", "fill", "click"]);
}

#[test]
fn acts_become_steps_and_typed_values_parameters() {
    let row = Identity {
        role: "button".into(),
        name: "Open 1001".into(),
        row: "1001 Ada 7 EUR".into(),
        ..Identity::default()
    };
    let went = Effect {
        navigated: Some("https://shop.example/orders/1001?tab=2".into()),
        ..changed()
    };
    let acts = [
        acted(
            "fill",
            Some(field("Order number", "text")),
            Some("1001"),
            Effect {
                holds: true,
                ..changed()
            },
        ),
        acted("click", Some(row.clone()), None, Effect::default()),
        acted("scroll", None, None, changed()),
        acted("click", Some(row), None, went),
    ];
    let (recipe, notes) = draft("a", "", &acts).unwrap();
    assert_eq!(notes, Vec::<String>::new());
    let steps: Vec<String> = recipe.steps.iter().map(Step::words).collect();
    assert_eq!(
        steps,
        [
            "navigate /orders?x=1",
            "fill textbox \"Order number\"",
            "click button \"Open {{order_number}}\""
        ]
    );
    assert_eq!(recipe.steps[2].on.as_ref().unwrap().row, "{{order_number}}");
    let expect = recipe.steps[2].expect.as_ref().unwrap();
    assert_eq!(
        expect.navigates.as_deref(),
        Some("/orders/{{order_number}}?tab=*")
    );
    assert_eq!(parse(&write(&recipe), "a").unwrap(), recipe);
}

#[test]
fn nothing_secret_is_kept() {
    let mut password = acted("fill", Some(field("Password", "password")), None, changed());
    password.secret = true;
    let (kept, _) = draft_with_values("a", "", std::slice::from_ref(&password)).unwrap();
    assert!(kept.params.values().all(|param| param.default.is_none()));
    let (recipe, _) = draft("a", "", &[password]).unwrap();
    assert_eq!(recipe.params["password"].kind, Kind::Secret);
    assert_eq!(recipe.steps[1].value.as_deref(), Some("{{password}}"));
}

#[test]
fn what_cannot_be_replayed_is_said() {
    assert_eq!(draft("a", "", &[]), Err(DraftError::Nothing));
    let (recipe, notes) = draft(
        "a",
        "",
        &[
            acted("click", None, None, changed()),
            acted("press", None, Some("Enter"), changed()),
        ],
    )
    .unwrap();
    assert_eq!((recipe.steps.len(), notes.len()), (2, 1));
    let mut other = acted("press", None, Some("Enter"), changed());
    other.page = "https://b.example/".into();
    let two = draft(
        "a",
        "",
        &[acted("press", None, Some("a"), changed()), other],
    );
    assert!(matches!(two, Err(DraftError::Sites(..))));
}

fn wait(text: &str, away: bool, ms: u64) -> Acted {
    Acted {
        awaited: Some(Awaited {
            text: Some(text.into()),
            away,
        }),
        ms,
        ..acted("wait", None, None, Effect::default())
    }
}

#[test]
fn waits_become_expectations_of_the_step_before() {
    let on = |name: &str| Some(field(name, "text"));
    let went = Effect {
        navigated: Some("https://shop.example/done?x=1".into()),
        ..Effect::default()
    };
    let appeared = Effect {
        appeared: vec![Thing {
            role: "row".into(),
            name: "1001 Ada".into(),
            ..Thing::default()
        }],
        ..Effect::default()
    };
    let acts = [
        wait("Ready", false, 4_100),
        acted("fill", on("Order"), Some("1001"), changed()),
        // What it led to came late.
        acted("click", on("Search"), None, Effect::default()),
        wait("Order 1001", false, 900),
        wait("Loading", true, 100),
        acted("wait", None, None, appeared),
        // One more text has a step of its own.
        wait("Thank you", false, 100),
        acted("wait", None, None, went),
        // Nothing was seen to come of these; the second is the first, tried again.
        acted("click", on("Nothing"), None, Effect::default()),
        acted("click", on("Nothing"), None, Effect::default()),
        acted("press", None, Some("Enter"), changed()),
        acted("wait", None, None, Effect::default()),
    ];
    let (recipe, notes) = draft("a", "", &acts).unwrap();
    let steps: Vec<String> = recipe.steps.iter().map(Step::words).collect();
    assert_eq!(
        steps,
        [
            "navigate /orders?x=1",
            "fill textbox \"Order\"",
            "click textbox \"Search\"",
            "wait",
            "click textbox \"Nothing\"",
            "press Enter"
        ]
    );
    let expected = |at: usize| recipe.steps[at].expect.clone().unwrap_or_default();
    assert_eq!(
        expected(0),
        Expect {
            text: Some("Ready".into()),
            seconds: Some(20),
            ..Expect::default()
        }
    );
    assert_eq!(
        expected(2),
        Expect {
            text: Some("Order {{order}}".into()),
            no_text: Some("Loading".into()),
            appears: Some(Thing {
                role: "row".into(),
                name: "{{order}} Ada".into(),
                ..Thing::default()
            }),
            ..Expect::default()
        }
    );
    assert_eq!(expected(3).text.as_deref(), Some("Thank you"));
    assert_eq!(expected(3).navigates.as_deref(), Some("/done?x=*"));
    assert!(expected(4).is_empty() && expected(5).is_empty());
    assert!(
        matches!(&notes[..], [note] if note.contains("wait")),
        "{notes:?}"
    );
    assert_eq!(parse(&write(&recipe), "a").unwrap(), recipe);
}

#[test]
fn the_end_is_known_by_what_is_said_there() {
    let said = |name: &str| Thing {
        role: "paragraph".into(),
        name: name.into(),
        ..Thing::default()
    };
    let check = |appeared: &[&str], gone: &[&str], expected: Option<&str>| {
        let effect = Effect {
            appeared: appeared.iter().map(|name| said(name)).collect(),
            gone: gone.iter().map(|name| said(name)).collect(),
            ..changed()
        };
        let on = || Some(field("Go", "text"));
        let acts = [
            acted("click", on(), None, effect.clone()),
            acted("click", Some(field("Stop", "text")), None, effect),
        ];
        let (recipe, _) = draft("a", "", &acts).unwrap();
        assert!(recipe.steps[1].expect.is_none());
        let found = recipe.steps[2].expect.clone().unwrap_or_default();
        let name = found.appears.or(found.gone).map(|thing| thing.name);
        assert_eq!(name.as_deref(), expected, "{appeared:?} {gone:?}");
    };
    check(&["X wins"], &["Your turn"], Some("X wins"));
    // Figures are others the next time.
    check(&["Order 4711", "ok"], &["Your turn"], Some("Your turn"));
    check(&[&"very ".repeat(30)], &[], None);
    check(&[], &[], None);
}

#[test]
fn the_end_is_known_by_what_became_of_elements() {
    let state = |words: &str, value: &str| State {
        value: (!value.is_empty()).then(|| value.to_owned()),
        ..State::of_words(words, "")
    };
    let plain = |words: &str| State {
        value: None,
        ..State::of_words(words, "")
    };
    let other = |role: &str, name: &str, state: State| Thing {
        role: role.into(),
        name: name.into(),
        state,
    };
    // What is said of the step before the last one, and of the last one.
    let check = |act: &str, effect: Effect, before: &str, expected: &str| {
        let effect = Effect {
            visible: true,
            ..effect
        };
        let step = |name: &str| Acted {
            to: (act == "drag").then(|| field("Bin", "")),
            ..acted(
                act,
                Some(field(name, "")),
                Some("ArrowRight"),
                effect.clone(),
            )
        };
        let city = acted("fill", Some(field("City", "text")), Some("Graz"), changed());
        let (recipe, _) = draft("a", "", &[city, step("One"), step("Two")]).unwrap();
        assert_eq!(parse(&write(&recipe), "a").unwrap(), recipe);
        let said = |at: usize| {
            let expect = recipe.steps[at].expect.clone().unwrap_or_default();
            let mut words = vec![expect.state.words()];
            words.extend(
                expect
                    .place
                    .texts()
                    .map(|(name, text)| format!("{name} {text}")),
            );
            words.extend(expect.appears.map(|thing| thing.words()));
            words.extend(expect.changes.map(|_| "changes".to_owned()));
            words.retain(|word| !word.is_empty());
            words.join("; ")
        };
        assert_eq!((&*said(2), &*said(3)), (before, expected), "{effect:?}");
    };
    let own = |state: State| Effect {
        state,
        ..Effect::default()
    };
    check("click", own(plain("checked")), "checked", "checked");
    // What something holds on the way may be different the next time.
    check("press", own(state("", "30")), "", "holding \"30\"");
    check("press", own(state("", "Graz")), "", "holding \"{{city}}\"");
    let moved = Effect {
        place: Position {
            within: Some("Done".into()),
            after: None,
            before: Some("Apple".into()),
        },
        ..Effect::default()
    };
    check("drag", moved, "", "within Done; before Apple");
    let chosen = Effect {
        became: vec![
            other("button", "Menu", plain("collapsed")),
            other("tab", "One", plain("selected")),
            other("combobox", "State", state("collapsed", "Nevada")),
        ],
        ..Effect::default()
    };
    check(
        "click",
        chosen,
        "",
        "combobox \"State\", holding \"Nevada\"",
    );
    let nameless = Effect {
        became: vec![other("checkbox", "", plain("checked"))],
        ..Effect::default()
    };
    check("click", nameless, "", "changes");
    check("click", Effect::default(), "", "changes");
}

#[test]
fn a_typed_value_is_replaced_where_it_stands_for_itself() {
    let check = |text: &str, expected: &str| {
        assert_eq!(replaced(text, "Java", "{{l}}"), expected);
    };
    check("Java", "{{l}}");
    check("JavaScript, Java, not Java", "JavaScript, {{l}}, not {{l}}");
    check("/q=Java&x", "/q={{l}}&x");
    assert_eq!(
        replaced("order1001 21001 1001", "1001", "{}"),
        "order{} 21001 {}"
    );
}

#[test]
fn what_is_done_on_the_way_is_kept_or_said_to_be_lost() {
    let hover = |changed| Effect {
        changed,
        ..Effect::default()
    };
    let acts = [
        acted("hover", Some(field("Products", "")), None, hover(true)),
        acted("hover", Some(field("About", "")), None, hover(false)),
        acted("down", Some(field("Handle", "")), None, changed()),
        acted("up", None, None, changed()),
        acted("type", None, Some("abc"), changed()),
    ];
    let (recipe, notes) = draft("a", "", &acts).unwrap();
    let steps: Vec<String> = recipe.steps.iter().map(Step::words).collect();
    assert_eq!(steps[1..], ["hover textbox \"Products\""]);
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(
        notes[0].contains("held down") && notes[1].contains("name the field"),
        "{notes:?}"
    );
}
