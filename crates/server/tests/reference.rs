//! The committed reference of the addresses matches the code.

use std::fs;
use std::path::Path;

#[test]
fn the_reference_is_as_committed() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/http.md");
    let text = szk_server::reference();
    if fs::read_to_string(&file).ok().as_deref() == Some(&text) {
        return;
    }
    let bless = std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always");
    assert!(bless, "`scripts/bless` writes docs/reference/http.md again");
    fs::write(&file, text).unwrap();
}
