//! `szk init`: creates a working project and touches nothing of the project's own.

use std::fs;

use crate::harness::{TestEnv, node};

#[test]
fn it_is_safe_to_run_again_and_shows_what_differs() {
    let env = TestEnv::new();
    let file = |name: &str| env.work().join(name);
    fs::write(file(".gitignore"), "node_modules\n").unwrap();
    let dry = env.szk(["init", "--dry-run"]).ok();
    assert!(dry.stdout.contains("created   szk.config.toml"), "{dry:#?}");
    assert!(!file("szk.config.toml").exists());
    env.szk(["init"]).ok();
    assert!(
        fs::read_to_string(file(".gitignore"))
            .unwrap()
            .starts_with("node_modules\n.szk/\n")
    );
    fs::write(file("tests/example.spec.mjs"), "// mine\n").unwrap();
    let again = env.szk(["init"]).ok();
    assert!(
        again.stdout.contains("same      szk.config.toml"),
        "{again:#?}"
    );
    assert!(
        again.stdout.contains("differs   tests/example.spec.mjs"),
        "{again:#?}"
    );
    assert!(again.stdout.contains("-// mine"), "{again:#?}");
    assert_eq!(
        fs::read_to_string(file("tests/example.spec.mjs")).unwrap(),
        "// mine\n"
    );
    // The configuration it wrote is valid.
    env.szk(["config", "explain"]).ok();
}

#[test]
fn what_it_wrote_is_a_test_that_passes_in_a_profile() {
    let env = TestEnv::new();
    env.szk(["init"]).ok();
    let packages = node::folder().join("node_modules");
    std::os::unix::fs::symlink(packages, env.work().join("node_modules")).unwrap();
    let ended = env
        .szk([
            "run",
            "work",
            "--",
            "node",
            "node_modules/@playwright/test/cli.js",
            "test",
        ])
        .ok();
    assert!(ended.stdout.contains("1 passed"), "{ended:#?}");
    // The same for an agent.
    let output = env
        .mcp()
        .ok("browser_run_test", serde_json::json!({"session": "work"}));
    assert_eq!(
        (&output["passed"], &output["joined"]),
        (&1.into(), &true.into()),
        "{output:#}"
    );
    // The browser stays, with one tab as before.
    let row = env.row("work").unwrap();
    assert_eq!(row["tabs"].as_array().unwrap().len(), 1, "{row:#}");
    // Without szk the test says how to run it.
    let alone = env
        .program("node", ["node_modules/@playwright/test/cli.js", "test"])
        .run();
    assert_ne!(alone.code, Some(0), "{alone:#?}");
    assert!(alone.stdout.contains("szk run work"), "{alone:#?}");
}
