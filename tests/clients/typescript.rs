//! The client for TypeScript, compiled as npm does.

use std::fs;
use std::path::PathBuf;

use super::{PRINTED, clients, given_up, logged, runs, served, site, with};
use crate::harness::TestEnv;

/// A project that depends on the client, which is compiled there.
fn project(env: &TestEnv) -> PathBuf {
    let packages = clients().join("../tests/node/node_modules");
    let modules = env.work().join("node_modules");
    let package = modules.join("szk");
    fs::create_dir_all(package.join("dist")).unwrap();
    fs::copy(
        clients().join("typescript/package.json"),
        package.join("package.json"),
    )
    .unwrap();
    let sources = clients().join("typescript");
    let types = packages.join("@types");
    let compiler = packages.join(".bin/tsc");
    assert!(
        compiler.exists(),
        "the packages of npm are not installed: run `npm ci --prefix tests/node` (scripts/test does)"
    );
    let out = package.join("dist");
    let args = [
        "-p",
        sources.to_str().unwrap(),
        "--outDir",
        out.to_str().unwrap(),
        "--typeRoots",
        types.to_str().unwrap(),
    ];
    env.program(&compiler, args).ok();
    env.work()
}

fn example(env: &TestEnv, name: &str) -> String {
    let place = project(env).join(name);
    let source = clients().join("typescript/examples").join(name);
    fs::copy(source, &place).unwrap();
    place.to_str().unwrap().to_owned()
}

#[test]
fn the_example_runs_over_mcp_and_over_http() {
    let env = TestEnv::new();
    let site = site();
    let file = example(&env, "read.mjs");
    let url = site.url("/");
    let ended = runs(&env, "node", [file.as_str(), &url]).ok();
    assert_eq!(ended.stdout, PRINTED);
    assert!(
        ended.stderr.contains("starting Chromium"),
        "{}",
        ended.stderr
    );

    let (_server, variables) = served(&env);
    let ended = with(runs(&env, "node", [file.as_str(), &url]), &variables).ok();
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
        import { Szk } from 'szk';
        const log = process.argv[2];
        const { SZK_URL: url, SZK_TOKEN: token } = process.env;
        const szk = url ? Szk.http(url, { token, session: 'work', log }) : await Szk.start({ log });
        await szk.session.open({ session: 'work' });
        const code = \"await new Promise(() => 'promise of nothing')\";
        const controller = new AbortController();
        const running = szk.browser.runCode({ session: 'work', code }, { signal: controller.signal });
        setTimeout(() => controller.abort(new Error('enough')), 300);
        await running.then(() => console.log('it ended'), (error) => console.log(error.message));
        const { value } = await szk.browser.runCode({ session: 'work', code: '1 + 1' });
        console.log(value);
        await szk.session.close({ session: 'work' });
        await szk.close();";
    let env = TestEnv::new();
    let program = project(&env).join("gives-up.mjs");
    fs::write(&program, GIVES_UP).unwrap();
    let program = program.to_str().unwrap();
    let log = env.work().join("calls.jsonl");
    let ended = runs(&env, "node", [program, log.to_str().unwrap()]).ok();
    assert_eq!(ended.stdout, "enough\n2\n");
    assert_eq!(logged(&log), given_up());

    let (_server, variables) = served(&env);
    let log = env.work().join("http.jsonl");
    let program = runs(&env, "node", [program, log.to_str().unwrap()]);
    assert_eq!(with(program, &variables).ok().stdout, "enough\n2\n");
    assert_eq!(logged(&log), given_up());
}

#[test]
fn a_szk_that_is_not_there_or_ends_is_an_error_of_its_own() {
    const LOSES: &str = "
        import { ConnectionError, Szk } from 'szk';
        const told = (error) => console.log(error instanceof ConnectionError, error.effect);
        await Szk.start({ command: '/nowhere/szk' }).catch(told);
        await Szk.http('http://127.0.0.1:1', { token: 'x' }).session.list().catch(told);
        const szk = await Szk.start();
        await szk.close();
        await szk.session.list().catch(told);";
    let env = TestEnv::new();
    let program = project(&env).join("loses.mjs");
    fs::write(&program, LOSES).unwrap();
    let ended = runs(&env, "node", [program.to_str().unwrap()]).ok();
    assert_eq!(ended.stdout, "true unknown\n".repeat(3));
}
