//! `[browser] xvfb`: without a window, what only a display can do is as before a person.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use serde_json::json;

use crate::harness::process::Process;
use crate::harness::{SOON, Signal, Site, TestEnv, wait_until};

/// What Chromium answers by itself when nobody can see the question, and what shows the kind of screen.
const ASK: &str = "
  const focused = document.hasFocus();
  const asked = (question) => Promise.race([
    question.then(() => 'allowed', () => 'refused'),
    new Promise((done) => setTimeout(done, 1000, 'waits')),
  ]);
  const place = new Promise((done, fail) => navigator.geolocation.getCurrentPosition(done, fail));
  const notes = Notification.requestPermission().then((answer) => answer === 'granted' || Promise.reject());
  const [position, notice, keys] = await Promise.all([asked(place), asked(notes), navigator.keyboard.getLayoutMap()]);
  const {state} = await navigator.permissions.query({name: 'geolocation'});
  return [position, notice, state, keys.size, screen.width, screen.availTop, screenX, screenY, outerWidth, outerHeight, matchMedia('(hover: hover)').matches, focused]";

fn servers(env: &TestEnv) -> Vec<Process> {
    let all = env.processes().into_iter();
    all.filter(|process| process.program().is_some_and(|name| name == "Xvfb"))
        .collect()
}

/// The socket of the X server that draws for this browser.
fn socket(browser: &Process) -> String {
    let environment = std::fs::read_to_string(format!("/proc/{}/environ", browser.pid));
    let environment = environment.expect("it is ours");
    let display = environment
        .split('\0')
        .find_map(|line| line.strip_prefix("DISPLAY=:"));
    format!("/tmp/.X11-unix/X{}", display.expect("it has a display"))
}

#[test]
fn questions_wait_and_the_server_ends_with_its_session() {
    let env = TestEnv::new();
    env.config("[browser]\nxvfb = true\n");
    let site = Site::of("<!doctype html><title>asks</title>");
    let opened = env.open("work");
    assert_eq!(opened["mode"], "headless", "{opened:#}");
    env.navigate("work", &site.url("/"));
    let seen = env.eval("work", &format!("(async () => {{ {ASK} }})()"));
    let expected = json!([
        "waits", "waits", "prompt", 48, 1920, 28, 70, 50, 1480, 940, true, true
    ]);
    assert_eq!(seen, expected);

    // Who has no password is let in by nobody.
    let display = socket(&env.browser());
    let mut stranger = UnixStream::connect(&display).expect("the server listens");
    stranger
        .write_all(&[b'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        .unwrap();
    let mut answer = [1; 8];
    stranger.read_exact(&mut answer).unwrap();
    assert_eq!(answer[0], 0, "refused");

    let gone = || servers(&env).is_empty() && !Path::new(&display).exists();
    assert_eq!(servers(&env).len(), 1);
    env.close("work");
    wait_until("the server has ended", SOON, gone);

    // It does not outlive a keeper that is killed, either.
    let keeper = env.open("work")["keeper_pid"].as_u64().expect("a number");
    let keeper = u32::try_from(keeper).ok().and_then(Process::find);
    assert_eq!(servers(&env).len(), 1);
    keeper.expect("it runs").signal(Signal::KILL);
    wait_until("the server has ended", SOON, || servers(&env).is_empty());
    env.no_chromium_is_left();
}
