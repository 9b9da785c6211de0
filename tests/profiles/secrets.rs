//! `szk secret`: shows names, never values.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::harness::TestEnv;

const VALUE: &str = "hunter2-hunter2";

fn every_file(dir: &Path, visit: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(dir).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            every_file(&entry.path(), visit);
        } else {
            visit(&entry.path());
        }
    }
}

#[test]
fn a_secret_is_set_listed_and_forgotten_without_being_shown() {
    let env = TestEnv::new();
    let said = env
        .szk(["secret", "set", "shop", "--json"])
        .input(format!("{VALUE}\n"))
        .json();
    assert_eq!(said, json!({"name": "shop", "place": "file"}));
    env.szk(["secret", "set", "mail/jane@example.org"])
        .input("x")
        .ok();
    let listed = env.szk(["secret", "list", "--json"]).json();
    assert_eq!(
        listed,
        json!({"secrets": [{"name": "mail/jane@example.org", "place": "file"}, {"name": "shop", "place": "file"}]})
    );
    // Not on the disk either, anywhere.
    let mut files = 0;
    every_file(env.path(), &mut |path| {
        files += 1;
        let bytes = fs::read(path).unwrap_or_default();
        let shown = bytes.windows(7).any(|window| window == b"hunter2");
        assert!(!shown, "{}", path.display());
    });
    assert!(files >= 2, "the encrypted file and its key");
    let key = env.path().join("home/config/szk/secrets.key");
    assert_eq!(
        fs::metadata(&key).unwrap().permissions().mode() & 0o777,
        0o600
    );
    env.szk(["secret", "rm", "shop"]).ok();
    env.szk(["secret", "rm", "shop"]).fails("NOT_FOUND");
    // The store has no new profile because of it.
    assert_eq!(env.szk(["list", "--json"]).json()["sessions"], json!([]));
}

#[test]
fn names_and_values_are_checked() {
    let env = TestEnv::new();
    // Someone may have given the value in place of the name: do not repeat it.
    let refused = env
        .szk(["secret", "set", "my secret!"])
        .input(VALUE)
        .fails("INVALID_INPUT");
    assert!(!refused.to_string().contains("my secret"), "{refused}");
    for empty in ["", "\n"] {
        env.szk(["secret", "set", "a"])
            .input(empty)
            .fails("INVALID_INPUT");
    }
    env.szk(["secret", "set", "a", "--in", "keyring"])
        .input(VALUE)
        .fails("STORAGE");
    let ended = env.szk(["secret", "set", "a", VALUE]).run();
    assert_eq!(ended.code, Some(2), "there is no argument for a value");
    assert_eq!(
        env.szk(["secret", "list", "--json"]).json(),
        json!({"secrets": []})
    );
}

#[test]
fn without_its_key_the_file_is_refused_and_stays() {
    let env = TestEnv::new();
    env.szk(["secret", "set", "a"]).input(VALUE).ok();
    let file = env.store().join(".secrets");
    let before = fs::read(&file).unwrap();
    fs::remove_file(env.path().join("home/config/szk/secrets.key")).unwrap();
    let failure = env.szk(["secret", "set", "b"]).input("x").fails("STORAGE");
    assert!(
        failure["hint"].as_str().unwrap().contains("secrets.key"),
        "{failure}"
    );
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn a_file_of_an_earlier_version_is_refused_and_stays() {
    let env = TestEnv::new();
    fs::create_dir_all(env.store()).unwrap();
    let (file, old) = (env.store().join(".secrets.age"), "age-encryption.org/v1\n");
    fs::write(&file, old).unwrap();
    let refusals = [
        env.szk(["secret", "set", "a"])
            .input(VALUE)
            .fails("STORAGE"),
        env.szk(["secret", "list"]).fails("STORAGE"),
        env.szk(["secret", "rm", "a"]).fails("STORAGE"),
    ];
    for failure in refusals {
        let hint = failure["hint"].as_str().unwrap();
        assert!(
            hint.contains("rename") && hint.contains(".secrets.age"),
            "{failure}"
        );
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), old);
    assert!(!env.store().join(".secrets").exists());
    fs::rename(&file, env.store().join(".secrets.age.old")).unwrap();
    env.szk(["secret", "set", "a"]).input(VALUE).ok();
}
