//! `szk recipe edit`: a recipe in an editor, checked before it is taken.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

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
    // Nor does it take a bug of szk for the editor, the text or the folder to be wrong.
    let ended = edit("rm").run();
    assert!(ended.stderr.contains("left no file behind"), "{ended:#?}");
    assert_eq!(ended.code, Some(2), "{ended:#?}");
    let ended = edit("sh -c 'printf \"\\377\" >> \"$1\"' sh").run();
    assert!(ended.stderr.contains("your text is in "), "{ended:#?}");
    let kept = ended.stderr.split("your text is in ").nth(1).unwrap();
    let kept = Path::new(kept.split_whitespace().next().unwrap());
    let folder = kept.parent().unwrap();
    let mode = fs::metadata(folder).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    fs::remove_dir_all(folder).unwrap();
    let ended = edit("true").env("TMPDIR", "/nowhere").run();
    assert!(ended.stderr.contains("error[STORAGE]"), "{ended:#?}");
    assert!(ended.stderr.contains("$TMPDIR"), "{ended:#?}");
    assert_eq!(shown()["text"], FILE);
    mcp.ok("recipe_delete", json!({"session": "work", "name": "box"}));
}

#[test]
fn a_recipe_that_another_one_replaces_is_kept() {
    let env = Lease::take();
    let mut mcp = env.mcp();
    let mut save = |text: &str| {
        let input = json!({"session": "work", "name": "kept", "text": text});
        mcp.ok("recipe_save", input)
    };
    let texts = ["Store", "Archive", "Keep"].map(|name| {
        let text = FILE.replace("'box'", "'kept'");
        text.replace("Store", name)
    });
    assert_eq!(save(&texts[0]).get("notes"), None);
    // What it replaces is where the answer says.
    for earlier in 0..2 {
        let saved = save(&texts[earlier + 1]);
        let note = saved["notes"][0].as_str().unwrap();
        let path = note.split(" kept in ").nth(1).unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), texts[earlier], "{note}");
    }
    assert_eq!(save(&texts[2]).get("notes"), None);
    mcp.ok("recipe_delete", json!({"session": "work", "name": "kept"}));
}
