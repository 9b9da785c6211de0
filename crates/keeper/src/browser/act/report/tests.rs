//! What an act did, in words.

use szk_tools::browser::ActNavigation;

use super::*;

fn context(kind: ActKind) -> ActContext {
    ActContext {
        kind,
        waited: "it is present".to_owned(),
        already: false,
        differs: false,
        unclicked: false,
        changes: 0,
    }
}

fn output() -> ActOutput {
    ActOutput {
        session: "s".to_owned(),
        tab: "t1".to_owned(),
        target: Some("button \"Go\"".to_owned()),
        x: None,
        y: None,
        value: None,
        changed: true,
        navigation: None,
        new_tabs: Vec::new(),
        dialogs: Vec::new(),
        downloads: Vec::new(),
        requests: 0,
        selection: None,
        focus: None,
        closed: false,
        notes: Vec::new(),
        diff: None,
        snapshot: None,
    }
}

#[track_caller]
fn check(context: &ActContext, output: &ActOutput, expected: &str) {
    assert_eq!(summary(context, output), expected);
}

#[test]
fn an_act_says_what_it_did_and_whether_anything_changed() {
    let click = context(ActKind::Click);
    check(&click, &output(), "clicked button \"Go\"");
    let nothing = ActOutput {
        changed: false,
        ..output()
    };
    let expected = "clicked button \"Go\"\nnothing changed in the document so far";
    check(&click, &nothing, expected);
    // Nobody expects a change of these.
    check(
        &context(ActKind::Hover),
        &nothing,
        "pointer on button \"Go\"",
    );
    let changes = ActContext {
        changes: 3,
        ..context(ActKind::Click)
    };
    let expected = "clicked button \"Go\"\n3 changes in the document";
    check(&changes, &output(), expected);
    check(&context(ActKind::Wait), &nothing, "it is present");
    let emptied = ActOutput {
        value: Some(String::new()),
        ..output()
    };
    let expected = "filled button \"Go\"\nits value is empty";
    check(&context(ActKind::Fill), &emptied, expected);
    let came = ActOutput {
        diff: Some("+ - button \"Download\" [e2]".to_owned()),
        ..output()
    };
    let expected = "it is present\nchanged since you last looked:\n+ - button \"Download\" [e2]";
    check(&context(ActKind::Wait), &came, expected);
}

#[test]
fn a_box_that_is_checked_already_is_left_alone() {
    let already = ActContext {
        already: true,
        ..context(ActKind::Check)
    };
    let output = ActOutput {
        changed: false,
        ..output()
    };
    let expected = "button \"Go\" is already checked; nothing to do";
    check(&already, &output, expected);
}

#[test]
fn each_consequence_has_a_line() {
    let navigation = |state: &str, in_frame| {
        Some(ActNavigation {
            url: "https://u:p@a.test/".to_owned(),
            state: state.to_owned(),
            in_frame,
            status: None,
            error: (state == "failed").then(|| "net::ERR_FAILED".to_owned()),
        })
    };
    let line = |output: &ActOutput| came_of_it(output).join("\n");
    for (state, in_frame, expected) in [
        ("arrived", false, "t1 is at https://a.test/"),
        ("arrived", true, "a frame is at https://a.test/"),
        (
            "failed",
            true,
            "a frame went to https://a.test/, which did not load: net::ERR_FAILED",
        ),
        (
            "within",
            false,
            "t1 is at https://a.test/, in the same document",
        ),
        ("started", false, "t1 is on its way to https://a.test/"),
        (
            "ended",
            false,
            "https://a.test/ was requested but loaded no document",
        ),
    ] {
        let output = ActOutput {
            navigation: navigation(state, in_frame),
            ..output()
        };
        assert_eq!(line(&output), expected);
    }
    for (accepted, expected) in [
        (Some(true), "confirm \"sure?\" was accepted"),
        (Some(false), "confirm \"sure?\" was dismissed"),
        (None, "confirm \"sure?\" is open"),
    ] {
        let dialog = ActDialog {
            kind: "confirm".to_owned(),
            message: "sure?".to_owned(),
            accepted,
        };
        let output = ActOutput {
            dialogs: vec![dialog],
            ..output()
        };
        assert_eq!(line(&output), expected);
    }
    let output = ActOutput {
        new_tabs: vec!["t2".to_owned()],
        downloads: vec!["a\nb.pdf".to_owned()],
        closed: true,
        ..output()
    };
    let lines = line(&output);
    assert!(lines.starts_with("opened tab t2\ndownload of "), "{lines}");
    assert!(lines.ends_with("the tab was closed"), "{lines}");
    assert_eq!(lines.lines().count(), 3, "a page adds no line: {lines}");
}

#[test]
fn an_act_that_leads_to_a_page_that_does_not_load_fails_as_going_there_does() {
    let leading = |in_frame, error: Option<&str>| ActOutput {
        navigation: Some(ActNavigation {
            url: "http://a.test/".to_owned(),
            state: "failed".to_owned(),
            in_frame,
            status: None,
            error: error.map(str::to_owned),
        }),
        ..output()
    };
    let click = context(ActKind::Click);
    let refused = leading(false, Some("net::ERR_CONNECTION_REFUSED"));
    let failure = unreachable(&click, &refused).unwrap();
    assert_eq!(
        failure.message,
        "clicked button \"Go\"; `http://a.test/` did not load: net::ERR_CONNECTION_REFUSED"
    );
    assert_eq!(
        (failure.code, failure.effect),
        (Code::NavigationFailed, Done::Done)
    );
    let empty = leading(false, Some("HTTP ERROR 500"));
    let failure = unreachable(&click, &empty).unwrap();
    let said = "`http://a.test/` answered with status 500 and no content";
    assert!(failure.message.ends_with(said), "{failure}");
    // In a frame it is no failure of the act; nor is a page that has loaded.
    assert!(unreachable(&click, &leading(true, Some("net::ERR_FAILED"))).is_none());
    assert!(unreachable(&click, &leading(false, None)).is_none());
}

#[test]
fn a_field_that_did_not_take_its_value_is_a_failure_after_the_act() {
    let output = ActOutput {
        value: Some("12".to_owned()),
        ..output()
    };
    let failure = unmet(&context(ActKind::Fill), &output);
    assert_eq!(
        (failure.code, failure.effect),
        (Code::NotActionable, Done::Done)
    );
    assert!(failure.message.contains("holds \"12\""), "{failure}");
    let failure = unmet(&context(ActKind::Check), &output);
    let message = "button \"Go\" is still not checked";
    assert!(failure.message.contains(message), "{failure}");
    // It limits no characters.
    let hint = failure.hint.unwrap_or_default();
    assert!(!hint.contains("characters"), "{hint}");
}

#[test]
fn a_wait_says_what_it_waited_for() {
    let check = |input: serde_json::Value, expected: &str| {
        let mut input = input;
        input["kind"] = "wait".into();
        let input: ActInput = serde_json::from_value(input).unwrap();
        assert_eq!(waited(&input), expected);
    };
    use serde_json::json;
    check(json!({"time_ms": 5}), "waited 5 ms");
    check(json!({"url": "**/done"}), "the address matches");
    check(json!({"selector": "a"}), "it is present");
    check(
        json!({"selector": "a", "state": "hidden"}),
        "it is hidden or gone",
    );
    check(json!({"selector": "a", "state": "detached"}), "it is gone");
}
