//! What `/openapi.json` promises: it is valid, the server keeps to it, and others can generate clients from it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::{Server, token};
use crate::harness::{Site, Szk, TestEnv};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A program of the Python packages that the tests pin.
fn program(name: &str) -> PathBuf {
    let program = folder().join("target/python/bin").join(name);
    assert!(
        program.exists(),
        "the packages of PyPI are not installed: run scripts/python (scripts/test does)"
    );
    program
}

/// What a generated client needs: a server, and a page with a button.
struct Client {
    site: Site,
    server: Server,
    token: String,
    /// The description of the API as a file, as tools take it.
    document: String,
}

impl Client {
    fn of(env: &TestEnv) -> Self {
        let site = Site::of(
            "<title>Example</title>\
             <button onclick=\"document.title = 'pressed'\">Press</button>",
        );
        let server = Server::start(env);
        let token = token(env, "client", &["--scope", "all"]);
        let file = env.work().join("openapi.json");
        fs::write(&file, server.get(&token, "/openapi.json").body).unwrap();
        let document = file.to_str().unwrap().to_owned();
        Self {
            site,
            server,
            token,
            document,
        }
    }

    /// Runs the program of the client, which opens the page and works in it; what it saw.
    fn run(&self, program: Szk) -> Value {
        let ended = program
            .env("SZK_URL", &self.server.url)
            .env("SZK_TOKEN", &self.token)
            .env("PAGE", &self.site.url("/"))
            .ok();
        serde_json::from_str(&ended.stdout).unwrap()
    }
}

/// Thousands of requests at the edges of what the document allows, and beyond them. `scripts/fuzz` sets
/// SZK_FUZZ to also make so many random ones for each operation.
#[test]
fn no_request_gets_an_answer_that_is_not_described() {
    let env = TestEnv::new();
    // A request beyond the limit of sessions fails at once instead of waiting; a slow one ends with 504.
    env.config("[server]\nmax_sessions = 1\nmax_queue = 0\nrequest_timeout = 5\n");
    let server = Server::start(&env);
    // Without `files`: made-up paths are not written to.
    let scopes = "read,write,destroy,code,cdp,secrets";
    let token = token(&env, "fuzz", &["--scope", scopes]);
    let header = format!("Authorization: Bearer {token}");
    let config = folder().join("tests/python/schemathesis.toml");
    let address = format!("{}/openapi.json", server.url);
    let mut args = vec!["--config-file", config.to_str().unwrap(), "run", &address];
    args.extend([
        "--header",
        &header,
        "--checks",
        "all",
        "--no-shrink",
        "--request-timeout",
        "120",
    ]);
    // One worker: in Python 3.11 two threads that parse source code at once may fail with "AST constructor
    // recursion depth mismatch", which says nothing of szk.
    args.extend([
        "--continue-on-failure",
        "--warnings",
        "off",
        "--workers",
        "1",
    ]);
    let random = std::env::var("SZK_FUZZ").ok();
    match &random {
        Some(examples) => {
            args.extend(["--phases", "coverage,fuzzing", "--max-examples", examples]);
            // Most made-up texts are no path in a URL; that says nothing of szk.
            args.extend(["--suppress-health-check", "filter_too_much"]);
        }
        None => args.extend(["--phases", "coverage", "--seed", "1"]),
    }
    env.program(program("schemathesis"), args)
        .limit(Duration::from_secs(3600))
        .ok();
    let open = server.get(&token, "/v1/sessions?open_only=true").ok();
    for session in open["sessions"].as_array().unwrap() {
        env.close(session["session"].as_str().unwrap());
    }
}

#[test]
fn a_generated_client_opens_reads_clicks_looks_and_closes() {
    let env = TestEnv::new();
    let client = Client::of(&env);
    env.program(
        program("openapi-spec-validator"),
        [client.document.as_str()],
    )
    .ok();

    let package = env.work().join("szk_api");
    // No formatter is run over it, which would be a program to find.
    let config = env.work().join("generator.yml");
    fs::write(&config, "post_hooks: []\n").unwrap();
    let made = env
        .program(
            program("openapi-python-client"),
            [
                "generate",
                "--path",
                &client.document,
                "--meta",
                "none",
                "--config",
                config.to_str().unwrap(),
                "--output-path",
                package.to_str().unwrap(),
                "--fail-on-warning",
            ],
        )
        .limit(Duration::from_secs(180))
        .ok();
    assert!(!made.stdout.contains("WARNING"), "{}", made.stdout);
    let script = folder().join("tests/python/generated.py");
    let python = env.program(program("python"), [script.to_str().unwrap()]);
    let said = client.run(python.env("PYTHONPATH", env.work().to_str().unwrap()));
    assert_eq!(said["read"], true, "{said}");
    assert_eq!(said["title"], "pressed", "{said}");
    assert_eq!(said["picture"], "\u{89}PNG", "{said}");
    assert_eq!(said["refused"], "NOT_FOUND", "{said}");
}

#[test]
fn types_made_by_openapi_typescript_fit_and_work() {
    let env = TestEnv::new();
    let client = Client::of(&env);
    let packages = folder().join("tests/node");
    let in_work = |name: &str| env.work().join(name).to_str().unwrap().to_owned();
    let modules = env.work().join("node_modules");
    std::os::unix::fs::symlink(packages.join("node_modules"), modules).unwrap();
    fs::write(in_work("package.json"), r#"{"type": "module"}"#).unwrap();
    let program = in_work("generated.ts");
    fs::copy(packages.join("generated.ts"), &program).unwrap();

    let generator = packages.join("openapi/node_modules/openapi-typescript/bin/cli.js");
    assert!(
        generator.exists(),
        "the packages of npm are not installed: run `npm ci --prefix tests/node` (scripts/test does)"
    );
    let api = in_work("api.d.ts");
    let args = [
        generator.to_str().unwrap(),
        &client.document,
        "--output",
        &api,
    ];
    env.program("node", args)
        .limit(Duration::from_secs(180))
        .ok();
    // Types that do not fit fail here.
    let compiler = packages.join("node_modules/.bin/tsc");
    let args = [
        "--strict",
        "--module",
        "nodenext",
        "--target",
        "es2022",
        "--lib",
        "es2022,dom",
        "--types",
        "node",
        "--skipLibCheck",
        &program,
    ];
    env.program(compiler, args)
        .limit(Duration::from_secs(180))
        .ok();
    let said = client.run(env.program("node", [in_work("generated.js").as_str()]));
    let expected = serde_json::json!({
        "read": true, "title": "pressed", "picture": "\u{89}PNG", "pdf": 200, "files": 1,
        "refused": "NOT_FOUND", "saved": true,
    });
    // The event log may be among the files.
    assert!(said["files"].as_u64() >= Some(1), "{said}");
    let mut said = said;
    said["files"] = 1.into();
    assert_eq!(said, expected);
}
