//! The typed operations of a Rust program.

use std::path::Path;

use super::site;
use crate::harness::TestEnv;

#[test]
fn the_example_runs() {
    let env = TestEnv::new();
    let site = site();
    let szk = Path::new(env!("CARGO_BIN_EXE_szk"));
    let example = szk.with_file_name("examples").join("client");
    assert!(
        example.exists(),
        "the examples are not built: run `cargo build --workspace --examples` (scripts/test does)"
    );
    let url = site.url("/");
    let ended = env.program(&example, [szk.to_str().unwrap(), &url]).ok();
    let told = ended.stdout;
    assert!(told.starts_with("Example\n"), "{told}");
    assert!(told.contains("button \"Go\""), "{told}");
    assert!(told.ends_with("gone\nsaved: true\n"), "{told}");
    assert_eq!(env.row("example").unwrap()["status"], "stored");
    // A failure says its code and the next step.
    let ended = env.program(&example, ["/nowhere/szk", &url]).run();
    assert_ne!(ended.code, Some(0));
    assert!(
        ended.stderr.contains("cannot start the keeper"),
        "{}",
        ended.stderr
    );
}
