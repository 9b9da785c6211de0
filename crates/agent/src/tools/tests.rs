//! What a model may call, and what it may not.

use szk_tools::Code;

use super::*;

fn wanted(name: &str, arguments: &Value) -> Result<ModelCall, Failure> {
    let origins = Origins::read(&["https://a.example".to_owned()]).unwrap();
    let call = ToolCall {
        id: "1".to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_string(),
        extra: None,
    };
    let tools = offered(None, true, true, &[], &[]);
    let given = CallTerms {
        session: "work",
        origins: &origins,
        tools: &tools,
        secrets: &["shop".to_owned()],
        recipe: None,
        code: true,
        actions: &[],
        configured: &[],
    };
    read(&call, &given)
}

#[test]
fn every_offered_field_is_in_the_catalogue() {
    let tools = offered(None, true, false, &[], &[]);
    assert_eq!(tools.len(), OFFERED.len() + 3);
    for (name, fields) in OFFERED {
        let tool = tools.iter().find(|tool| tool.name == name).unwrap();
        let properties = tool.parameters["properties"].as_object().unwrap();
        assert_eq!(properties.len(), fields.len(), "{name}");
    }
    let act = tools
        .iter()
        .find(|tool| tool.name == "browser_act")
        .unwrap();
    let kinds = act.parameters["properties"]["kind"]["enum"].to_string();
    assert!(
        kinds.contains("click") && !kinds.contains("upload"),
        "{kinds}"
    );
}

#[test]
fn what_the_task_does_not_allow_is_refused() {
    let check = |name: &str, arguments: Value, code: Code| {
        let failure = wanted(name, &arguments).expect_err(&arguments.to_string());
        assert_eq!(failure.code, code, "{name} {arguments}: {failure}");
    };
    let denied = Code::PolicyDenied;
    let go = "browser_navigate";
    check(go, json!({"url": "https://b.example/"}), denied);
    check(go, json!({"url": "https://a.example@b.example/"}), denied);
    check(go, json!({"url": "file:///etc/passwd"}), denied);
    check(go, json!({"url": "/etc/passwd"}), denied);
    check(go, json!({"url": "javascript:alert(1)"}), denied);
    check(go, json!({"url": "data:text/html,x"}), denied);
    check(go, json!({"url": "a.example"}), denied);
    let invalid = Code::InvalidInput;
    check(
        go,
        json!({"url": "https://a.example/", "session": "other"}),
        invalid,
    );
    check(
        "browser_act",
        json!({"kind": "upload", "ref": "e1"}),
        denied,
    );
    check(
        "browser_act",
        json!({"kind": "click", "paths": ["/etc/passwd"]}),
        invalid,
    );
    check("browser_snapshot", json!({"path": "/tmp/x"}), invalid);
    check("browser_screenshot", json!({"path": "/tmp/x"}), invalid);
    check("browser_tabs", json!({"action": "open"}), denied);
    check("browser_run_code", json!({"code": "1"}), invalid);
    check("browser_arm", json!({"event": "permission"}), denied);
    check("session_state", json!({}), invalid);
    // None has stopped.
    check("recipe_run", json!({"ref": "e1"}), invalid);
    check("workflow_login", json!({"secret": "bank"}), denied);
    check(
        "workflow_login",
        json!({"secret": "shop", "url": "https://b.example/"}),
        denied,
    );
    check("workflow_login", json!({"password": "x"}), invalid);
}

#[test]
fn what_it_allows_is_a_call() {
    for (name, arguments) in [
        ("browser_navigate", json!({"url": "https://a.example/x"})),
        (
            "browser_act",
            json!({"kind": "click", "ref": "e1", "text": null}),
        ),
        ("browser_tabs", json!({})),
        ("browser_arm", json!({"event": "dialog", "accept": false})),
        ("workflow_login", json!({"secret": "shop"})),
    ] {
        let wanted = wanted(name, &arguments).unwrap();
        let ModelCall::Operation(call) = wanted else {
            panic!("{name}")
        };
        assert_eq!(call.input().session(), Some("work"));
    }
}

#[test]
fn the_end_says_whether_it_was_done_and_what_came_of_it() {
    for success in [true, false] {
        let arguments = json!({"success": success, "text": "x"});
        let Ok(ModelCall::Done(claim)) = wanted(DONE, &arguments) else {
            panic!("{arguments}")
        };
        assert_eq!((claim.success, &*claim.text), (success, "x"));
    }
    for (tool, arguments, expected) in [
        (
            DONE,
            json!({"success": "true", "text": "x"}),
            "`success`, true or false; it is `\"true\"`",
        ),
        (DONE, json!({}), "`success`, true or false; it is missing"),
        (
            DONE,
            json!({"success": true}),
            "`text`, a string; it is missing",
        ),
        (
            DONE,
            json!({"success": false, "text": 5}),
            "`text`, a string; it is `5`",
        ),
        (CODE, json!({}), "`code`"),
        (CODE, json!({"code": " "}), "not empty"),
        (ASK, json!({"question": null}), "`question`"),
        (REMEMBER, json!({"note": ["a"]}), "`note`"),
    ] {
        let failure = wanted(tool, &arguments).expect_err(&arguments.to_string());
        assert_eq!(failure.code, Code::InvalidInput);
        assert!(failure.message.contains(expected), "{failure}");
    }
}

#[test]
fn what_is_not_there_is_answered_with_what_is() {
    let origins = Origins::read(&["https://a.example".to_owned()]).unwrap();
    let hint = |secrets: &[String], name: &str, arguments: Value| {
        let code = secrets.is_empty();
        let tools = offered(None, !code, code, &[], &[]);
        let given = CallTerms {
            session: "work",
            origins: &origins,
            tools: &tools,
            secrets,
            recipe: None,
            code,
            actions: &[],
            configured: &[],
        };
        let call = ToolCall {
            id: "1".to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_string(),
            extra: None,
        };
        read(&call, &given).expect_err(name).hint.unwrap()
    };
    for name in ["fly", "workflow_login", "recipe_run"] {
        let own = hint(&[], name, json!({}));
        assert!(
            own.ends_with("done, run_code, ask_person, remember"),
            "{own}"
        );
        assert!(
            own.contains("browser_arm") && !own.contains("workflow_login"),
            "{own}"
        );
    }
    let signs_in = hint(&["shop".to_owned()], CODE, json!({"code": "1"}));
    assert!(
        signs_in.contains("workflow_login") && !signs_in.contains("run_code"),
        "{signs_in}"
    );
    // Also in the fields that may be left out.
    for (name, field, withheld) in WITHHELD {
        for given in [withheld, &["fly"]].concat() {
            let mut arguments = json!({});
            arguments[field] = given.into();
            let said = hint(&[], name, arguments);
            let said: Vec<&str> = said
                .trim_start_matches("use one of: ")
                .split(", ")
                .collect();
            assert!(said.len() > 1 || name == "browser_arm", "{said:?}");
            assert!(!said.iter().any(|word| withheld.contains(word)), "{said:?}");
        }
    }
}

#[test]
fn recipes_are_held_to_the_secrets_of_the_task() {
    let origins = Origins::read(&["https://a.example".to_owned()]).unwrap();
    let secrets = ["shop".to_owned()];
    let mut tools = offered(None, true, false, &[], &[]);
    tools.extend(going_on());
    for (name, arguments, secrets) in [
        ("workflow_login", json!({}), &secrets[..]),
        ("recipe_run", json!({"ref": "e1"}), &secrets[..]),
        ("recipe_run", json!({}), &[]),
    ] {
        let given = CallTerms {
            session: "work",
            origins: &origins,
            tools: &tools,
            secrets,
            recipe: Some("checkout"),
            code: false,
            actions: &[],
            configured: &[],
        };
        let call = ToolCall {
            id: "1".to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_string(),
            extra: None,
        };
        let Ok(ModelCall::Operation(call)) = read(&call, &given) else {
            panic!("{name}")
        };
        assert_eq!(call.encode().unwrap()["only_secrets"], json!(secrets));
    }
}

#[test]
fn acts_of_code_are_bound_like_all_others() {
    let origins = Origins::read(&["https://a.example".to_owned()]).unwrap();
    let tools = offered(None, false, true, &[], &[]);
    let given = CallTerms {
        session: "work",
        origins: &origins,
        tools: &tools,
        secrets: &[],
        recipe: None,
        code: true,
        actions: &[],
        configured: &[],
    };
    let click = step(&json!({"kind": "click", "selector": "li a"}), &given).unwrap();
    assert_eq!(click.input.get("selector"), Some(&json!("li a")));
    assert!(!click.input.contains_key("session"));
    for act in [
        json!("click"),
        json!({"kind": "upload", "selector": "input", "paths": ["/etc/passwd"]}),
        json!({"kind": "upload", "selector": "input"}),
        json!({"kind": "click", "selector": "a", "session": "other"}),
    ] {
        assert!(step(&act, &given).is_err(), "{act}");
    }
}

#[test]
fn a_hint_names_only_what_the_model_has() {
    let tools = offered(None, false, false, &[], &[]);
    let check = |hint: &str, expected: bool| {
        let failure = Failure::invalid("x").hint(hint);
        assert_eq!(fitting(failure, &tools).hint.is_some(), expected, "{hint}");
    };
    check("look at the page with `browser_snapshot`", true);
    check("give `ref` or `name`", true);
    check("see what happened with `browser_logs`", false);
    check("sign in with `workflow_login`, or give `url`", false);
    check("run `szk doctor`", false);
    check("give `--param NAME=VALUE`", false);
}
