//! The committed JSON schema matches the format.

use std::fs;
use std::path::Path;

#[test]
fn the_schema_is_as_committed() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/recipe.schema.json");
    let text = szk_recipes::schema();
    if fs::read_to_string(&file).ok().as_deref() == Some(&text) {
        return;
    }
    let bless = std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always");
    assert!(
        bless,
        "`scripts/bless` writes docs/reference/recipe.schema.json again"
    );
    fs::write(&file, text).unwrap();
}
