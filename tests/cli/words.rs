//! Words that people bring from other tools.

use crate::harness::{Site, TestEnv};

#[test]
fn words_of_other_tools_work() {
    let env = TestEnv::new();
    let site = Site::plan()
        .page(
            "/",
            "<title>One</title><button onclick=\"document.title = 'pressed'\">Go</button>",
        )
        .page("/two", "<title>Two</title>")
        .serve();
    env.szk(["open", "work", "--detach"]).ok();
    let title = || env.szk(["eval", "document.title"]).ok().stdout;
    env.szk(["goto", &site.url("/")]).ok();
    assert_eq!(title(), "One\n");
    env.szk(["click", "button"]).ok();
    assert_eq!(title(), "pressed\n");
    env.szk(["goto", &site.url("/two")]).ok();
    assert_eq!(title(), "Two\n");
    env.szk(["back"]).ok();
    env.szk(["wait", "1"]).ok();
    let network = env.szk(["network", "--json"]).json();
    assert!(
        !network["entries"].as_array().unwrap().is_empty(),
        "{network}"
    );
    let listed = env.szk(["ls", "--json"]).json();
    assert_eq!(listed["sessions"][0]["session"], "work");
    env.szk(["stop", "work"]).ok();
}

#[test]
fn what_could_mean_several_things_names_them() {
    let env = TestEnv::new();
    let told = |word: &str| {
        let ended = env.szk([word]).run();
        assert_eq!(ended.code, Some(2), "{word}: {ended:#?}");
        ended.stderr
    };
    assert!(told("connect").contains("szk endpoint"));
    assert!(told("install").contains("szk mcp install"));
    assert!(told("https://example.com").contains("szk open work https://example.com"));
    // No one is pointed to commands that only szk itself calls.
    for slip in ["keper", "keepr", "leesh", "leash-", "clik"] {
        let text = told(slip);
        assert!(
            !text.contains("'keeper'") && !text.contains("'leash'"),
            "{text}"
        );
    }
    assert!(told("clik").contains("act click"));
}

#[test]
fn a_tip_below_a_command_names_a_command_there() {
    let env = TestEnv::new();
    let tip = |line: [&str; 2]| {
        let ended = env.szk(line).run();
        assert_eq!(ended.code, Some(2), "{line:?}: {ended:#?}");
        let tip = ended.stderr.split_once("tip: ");
        tip.map(|(_, tip)| tip.lines().next().unwrap_or_default().to_owned())
    };
    let named = |line, name: &str| {
        let tip = tip(line).unwrap_or_else(|| panic!("{line:?} has no tip"));
        assert!(tip.ends_with(name), "{line:?}: {tip}");
    };
    named(["secret", "delete"], "'rm'");
    named(["config", "get"], "'explain'");
    named(["session", "create"], "'open'");
    assert_eq!(tip(["runs", "delete"]), None);
    // Another command does it.
    named(
        ["profile", "delete"],
        "`szk delete NAME` deletes a profile with its logins",
    );
    named(["tabs", "list"], "`szk tabs` lists the tabs");
}
