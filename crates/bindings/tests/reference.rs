//! The committed clients match the catalogue.

use std::fs;
use std::path::Path;

#[test]
fn the_typescript_client_is_as_committed() {
    check("typescript/src/operations.ts", &szk_bindings::typescript());
}

#[test]
fn the_python_client_is_as_committed() {
    check("python/src/szk/operations.py", &szk_bindings::python());
}

#[track_caller]
fn check(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../clients")
        .join(file);
    if fs::read_to_string(&path).ok().as_deref() == Some(text) {
        return;
    }
    let bless = std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always");
    assert!(bless, "`scripts/bless` writes clients/{file} again");
    fs::write(&path, text).expect("the file can be written");
}
