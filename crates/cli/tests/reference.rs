//! The committed reference pages match the code.
//!

use std::fs;
use std::path::Path;

#[test]
fn generated_files_are_as_committed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let bless = std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always");
    let mut stale = Vec::new();
    for (path, text) in szk_cli::manual::files() {
        let file = root.join(path);
        if fs::read_to_string(&file).ok().as_deref() == Some(&text) {
            continue;
        }
        if bless {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
        } else {
            stale.push(path);
        }
    }
    assert!(
        stale.is_empty(),
        "`scripts/bless` writes them again: {stale:?}"
    );
}
