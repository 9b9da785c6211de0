//! `szk recipe edit`: a recipe in an editor, checked before it is taken.

use std::fs;

use serde_json::json;

use crate::harness::Lease;

const FILE: &str = "# Ours, by hand.\n[recipe]\nname = 'box'\nsite = \"https://shop.example\"\n\n\
    # The button.\n[[step]]\ndo = \"click\"\non = { role = \"button\", name = \"Store\" } # blue\n";

#[test]
fn a_recipe_is_edited_checked_and_nothing_is_lost() {
    let env = Lease::take();
    let mut mcp = env.mcp();
    let saved = mcp.ok(
        "recipe_save",
        json!({"session": "work", "name": "box", "text": FILE}),
    );
    assert_eq!(saved["text"], FILE, "its comments stay");
    let edit = |editor: &str| {
        env.szk(["recipe", "edit", "box", "-s", "work"])
            .env("EDITOR", editor)
            .env("VISUAL", "")
    };
    let shown = || {
        env.szk(["recipe", "show", "box", "-s", "work", "--json"])
            .json()
    };

    let ended = edit("sed -i s/Store/Archive/").ok();
    assert!(ended.stdout.contains("saved "), "{ended:#?}");
    let edited = FILE.replace("Store", "Archive");
    assert_eq!(shown()["text"], edited);

    let ended = edit("true").ok();
    assert!(ended.stdout.contains("nothing was changed"), "{ended:#?}");

    // What is no recipe is shown with its line, and is not lost.
    let ended = edit("sed -i s/click/clik/").run();
    assert_eq!(ended.code, Some(2), "{ended:#?}");
    let said = &ended.stderr;
    assert!(
        said.contains("unknown variant `clik`") && said.contains("box.toml:8:6"),
        "{said}"
    );
    assert!(said.contains("^^^^"), "{said}");
    let kept = said.split("your text is in ").nth(1).unwrap();
    let kept = kept.split_whitespace().next().unwrap();
    assert!(fs::read_to_string(kept).unwrap().contains("clik"), "{said}");
    assert_eq!(shown()["text"], edited);
    fs::remove_file(kept).unwrap();

    // Nor is it when the editor fails, or somebody else saves meanwhile.
    let ended = edit("sh -c 'echo \"# more\" >> \"$1\"; exit 3' sh").run();
    assert!(ended.stderr.contains("your text is in "), "{ended:#?}");
    let other = env.path().join("other.toml");
    fs::write(&other, FILE).unwrap();
    let path = shown()["path"].as_str().unwrap().to_owned();
    let ended = edit(&format!(
        "cp {} {path}; sed -i s/Archive/Keep/",
        other.display()
    ))
    .run();
    assert!(ended.stderr.contains("changed meanwhile"), "{ended:#?}");
    assert_eq!(shown()["text"], FILE);
    mcp.ok("recipe_delete", json!({"session": "work", "name": "box"}));
}
