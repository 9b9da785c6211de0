//! The client for Python, which needs nothing but Python.

use std::fs;

use super::{PRINTED, clients, given_up, logged, runs, served, site, with};
use crate::harness::{Szk, TestEnv};

fn python(env: &TestEnv, args: &[&str]) -> Szk {
    let path = clients().join("python/src");
    runs(env, "python3", args.iter().copied())
        .env("PYTHONPATH", path.to_str().unwrap())
        .env("PYTHONDONTWRITEBYTECODE", "1")
}

#[test]
fn the_example_runs_over_mcp_and_over_http() {
    let env = TestEnv::new();
    let site = site();
    let file = clients().join("python/examples/read.py");
    let (file, url) = (file.to_str().unwrap(), site.url("/"));
    let ended = python(&env, &[file, &url]).ok();
    assert_eq!(ended.stdout, PRINTED);
    assert!(
        ended.stderr.contains("starting Chromium"),
        "{}",
        ended.stderr
    );

    let (_server, variables) = served(&env);
    let ended = with(python(&env, &[file, &url]), &variables).ok();
    assert_eq!(ended.stdout, PRINTED);
    assert!(
        ended.stderr.contains("starting Chromium"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_call_is_given_up_and_logged_without_what_it_held() {
    const GIVES_UP: &str = "
import os, sys, threading
from szk import Cancel, Cancelled, Szk
url, log = os.environ.get('SZK_URL'), sys.argv[1]
szk = Szk.http(url, os.environ['SZK_TOKEN'], session='work', log=log) if url else Szk.start(log=log)
with szk:
    szk.session.open(session='work')
    cancel = Cancel()
    threading.Timer(0.3, cancel.cancel).start()
    try:
        code = \"await new Promise(() => 'promise of nothing')\"
        szk.browser.run_code(session='work', code=code, cancel=cancel)
    except Cancelled:
        print('enough')
    print(szk.browser.run_code(session='work', code='1 + 1')['value'])
    szk.session.close(session='work')
";
    let env = TestEnv::new();
    let program = env.work().join("gives_up.py");
    fs::write(&program, GIVES_UP).unwrap();
    let program = program.to_str().unwrap();
    let log = env.work().join("calls.jsonl");
    let ended = python(&env, &[program, log.to_str().unwrap()]).ok();
    assert_eq!(ended.stdout, "enough\n2\n");
    assert_eq!(logged(&log), given_up());

    let (_server, variables) = served(&env);
    let log = env.work().join("http.jsonl");
    let program = python(&env, &[program, log.to_str().unwrap()]);
    assert_eq!(with(program, &variables).ok().stdout, "enough\n2\n");
    assert_eq!(logged(&log), given_up());
}

#[test]
fn a_szk_that_is_not_there_or_ends_is_an_error_of_its_own() {
    const LOSES: &str = "
from szk import ConnectionFailed, Szk
def told(call):
    try:
        call()
    except ConnectionFailed as error:
        print(error.effect)
told(lambda: Szk.start('/nowhere/szk'))
told(Szk.http('http://127.0.0.1:1', 'x').session.list)
szk = Szk.start()
szk.close()
told(szk.session.list)
";
    let env = TestEnv::new();
    let program = env.work().join("loses.py");
    fs::write(&program, LOSES).unwrap();
    let ended = python(&env, &[program.to_str().unwrap()]).ok();
    assert_eq!(ended.stdout, "unknown\n".repeat(3));
}
