//! Clones: the same visitor for a while, then gone.

use std::fs;

use serde_json::{Value, json};

use crate::harness::process::Process;
use crate::harness::{LoginSite, Mcp, SOON, Signal, TestEnv, wait_until};

/// What a page could use to tell two browsers apart.
const LOOKS: &str = "[navigator.webdriver, navigator.userAgent, navigator.languages.join(), navigator.platform, \
    navigator.hardwareConcurrency, screen.width, screen.height, screen.availTop, innerWidth, innerHeight, \
    outerWidth, outerHeight, devicePixelRatio, Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.plugins.length]";

fn clone(mcp: &mut Mcp, profile: &str) -> String {
    let opened = mcp.ok("session_open", json!({"session": profile, "clone": true}));
    assert_eq!(opened["clone_of"], profile, "{opened:#}");
    let name = opened["session"].as_str().unwrap().to_owned();
    assert_ne!(name, profile);
    name
}

fn folders(env: &TestEnv) -> Vec<String> {
    let entries = fs::read_dir(env.store()).unwrap().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

/// Goes to a real page and looks around in the page's own world.
fn looks(env: &TestEnv, login: &LoginSite, session: &str) -> Value {
    env.navigate(session, &login.site.url("/home"));
    env.eval_main(session, LOOKS)
}

/// Gives the profile a recipe.
fn recipe(mcp: &mut Mcp) {
    let text = "[recipe]\nname = \"again\"\nsite = \"https://a.example\"\n[[step]]\ndo = \"navigate\"\nvalue = \"/\"\n";
    mcp.ok(
        "recipe_save",
        json!({"session": "work", "name": "again", "text": text}),
    );
}

fn recipes(mcp: &mut Mcp, session: &str) -> Vec<String> {
    let listed = mcp.ok("recipe_list", json!({"session": session}));
    let rows = listed["recipes"].as_array().unwrap();
    let name = |row: &Value| row["name"].as_str().unwrap().to_owned();
    rows.iter().map(name).collect()
}

#[test]
fn it_is_logged_in_and_looks_like_the_original_and_goes_with_its_last_client() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    env.szk([
        "open",
        "work",
        "--detach",
        "--timezone",
        "Asia/Tokyo",
        "--viewport",
        "1000x700",
    ])
    .ok();
    login.log_in(&env, "work");
    let original = looks(&env, &login, "work");
    let mut mcp = env.mcp();
    recipe(&mut mcp);
    env.close("work");
    let name = clone(&mut mcp, "work");
    assert_eq!(recipes(&mut mcp, &name), ["again"]);
    assert_eq!(login.who(&env, &name), login.jane());
    let copy = looks(&env, &login, &name);
    assert_eq!(copy, original);
    assert_eq!(copy[0], false);
    assert!(!copy[1].as_str().unwrap().contains("Headless"), "{copy}");
    assert_eq!(env.row(&name).unwrap()["kind"], "clone");

    // What happens in it stays in it, and is deleted when the last client leaves.
    env.eval(&name, "localStorage.setItem('user', 'joan'); return 0");
    mcp.leave();
    wait_until("the clone is gone", SOON, || folders(&env) == ["work"]);
    env.no_chromium_is_left();
    env.open("work");
    assert_eq!(login.who(&env, "work"), login.jane());
}

#[test]
fn a_live_profile_can_be_cloned() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    login.log_in(&env, "work");
    recipe(&mut mcp);
    let original = looks(&env, &login, "work");
    let name = clone(&mut mcp, "work");
    assert_eq!(recipes(&mut mcp, &name), ["again"]);
    assert_eq!(env.browsers().len(), 2);
    assert_eq!(
        login.who(&env, &name),
        login.jane(),
        "also what was only in memory"
    );
    assert_eq!(looks(&env, &login, &name), original);
    assert_eq!(login.who(&env, "work"), login.jane());
    let other = clone(&mut mcp, "work");
    assert_ne!(other, name, "as many as one likes");
    mcp.ok("session_close", json!({"session": name}));
    assert!(!folders(&env).contains(&name));
    assert_eq!(env.eval("work", "1"), 1);
}

#[test]
fn it_stays_while_anybody_is_there() {
    let env = TestEnv::new();
    env.open("work");
    env.close("work");
    let mut first = env.mcp();
    let mut second = env.mcp();
    let name = clone(&mut first, "work");
    assert_eq!(second.open_session(&name)["started"], "joined");
    first.leave();
    assert_eq!(second.eval(&name, "6 * 7"), 42);
    second.leave();
    wait_until("the clone is gone", SOON, || folders(&env) == ["work"]);
}

#[test]
fn what_a_killed_keeper_leaves_is_collected() {
    let env = TestEnv::new();
    env.open("work");
    env.close("work");
    let mut mcp = env.mcp();
    let name = clone(&mut mcp, "work");
    let pid = env.row(&name).unwrap()["keeper_pid"].as_u64().unwrap();
    let keeper = Process::find(u32::try_from(pid).unwrap()).unwrap();
    keeper.signal(Signal::KILL);
    wait_until("the keeper is gone", SOON, || !keeper.lives());
    env.no_chromium_is_left();
    assert!(
        folders(&env).contains(&name),
        "nobody was there to remove it"
    );
    env.szk(["list"]).ok();
    assert_eq!(folders(&env), ["work"]);
}

#[test]
fn a_clone_in_the_foreground_ends_with_ctrl_c() {
    let env = TestEnv::new();
    env.open("work");
    env.close("work");
    let mut running = env.szk(["open", "work", "--clone"]).start();
    let card = running
        .until("the card", |line| line.starts_with('╰'))
        .to_owned();
    assert!(card.contains("copy of work"), "{card}");
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert_eq!(folders(&env), ["work"]);
    let left = env.chromium_processes();
    assert!(left.is_empty(), "{left:#?}");
}

#[test]
fn a_program_can_run_on_one() {
    let env = TestEnv::new();
    env.open("work");
    env.close("work");
    let ended = env
        .szk([
            "run",
            "work",
            "--clone",
            "--",
            "sh",
            "-c",
            "echo $SZK_SESSION",
        ])
        .ok();
    assert!(ended.stdout.starts_with("work.clone-"), "{ended:#?}");
    wait_until("the clone is gone", SOON, || folders(&env) == ["work"]);
    env.no_chromium_is_left();
}

#[test]
fn a_profile_that_does_not_exist_cannot_be_cloned() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.fails(
        "session_open",
        json!({"session": "nobody", "clone": true}),
        "SESSION_NOT_FOUND",
    );
    env.szk(["open", "nobody", "--clone"])
        .fails("SESSION_NOT_FOUND");
    assert!(
        fs::read_dir(env.store())
            .map(|entries| entries.count())
            .unwrap_or(0)
            == 0
    );
}
