//! `szk profile export` and `import`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::harness::{LoginSite, TestEnv};

#[test]
fn a_profile_moves_to_another_machine_with_its_logins_and_its_identity() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    env.szk(["open", "work", "--detach", "--timezone", "Asia/Tokyo"])
        .ok();
    login.log_in(&env, "work");
    let busy = env
        .szk(["profile", "export", "work", "w.tar.zst"])
        .fails("SESSION_BUSY");
    assert!(busy["hint"].as_str().unwrap().contains("szk close work"));
    env.close("work");
    fs::write(env.in_profile("work", "filled.sealed"), "sealed").unwrap();
    let exported = env
        .szk(["profile", "export", "work", "w.tar.zst", "--json"])
        .json();
    let path = env.work().join("w.tar.zst");
    assert_eq!(exported["path"], path.display().to_string());
    let note = exported["notes"][0].as_str().unwrap();
    assert!(note.starts_with("`filled.sealed` stays here"), "{note}");
    let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);

    // Another home, another store: only the file comes along.
    let other = TestEnv::new();
    let brought = other.work().join("w.tar.zst");
    fs::copy(&path, &brought).unwrap();
    let imported = other
        .szk(["profile", "import", "w.tar.zst", "--json"])
        .json();
    assert_eq!(imported["session"], "work");
    assert!(imported["notes"].is_null(), "{imported:#}");
    assert!(!other.in_profile("work", "filled.sealed").exists());
    let opened = other.open("work");
    assert!(
        opened["identity"].to_string().contains("Asia/Tokyo"),
        "{opened:#}"
    );
    assert_eq!(login.who(&other, "work"), login.jane());

    // Neither profiles nor files are overwritten.
    other
        .szk(["profile", "import", "w.tar.zst"])
        .fails("INVALID_INPUT");
    env.szk(["profile", "export", "work", "w.tar.zst"])
        .fails("INVALID_INPUT");
    let nowhere = env
        .szk(["profile", "export", "work", "no/w.tar.zst"])
        .fails("INVALID_INPUT");
    let folder = env.work().join("no").display().to_string();
    let message = nowhere["message"].as_str().unwrap();
    assert_eq!(message, format!("there is no folder `{folder}`"));
    other
        .szk(["profile", "import", "w.tar.zst", "--as", "second"])
        .ok();
    assert_eq!(other.row("second").unwrap()["status"], "stored");
}

#[test]
fn what_is_no_archive_leaves_nothing() {
    let env = TestEnv::new();
    fs::write(env.work().join("x.tar.zst"), "hello").unwrap();
    let failure = env
        .szk(["profile", "import", "x.tar.zst"])
        .fails("INVALID_INPUT");
    assert!(failure["message"].as_str().unwrap().contains("x.tar.zst"));
    env.szk(["profile", "import", "gone.tar.zst"])
        .fails("NOT_FOUND");
    env.szk(["profile", "export", "nobody", "n.tar.zst"])
        .fails("SESSION_NOT_FOUND");
    assert!(!env.work().join("n.tar.zst").exists());
    assert!(!env.store().exists());
}

#[test]
fn the_nearest_name_is_offered() {
    let env = TestEnv::new();
    env.open("workshop");
    env.close("workshop");
    let failure = env
        .szk(["profile", "export", "workshp", "n.tar.zst"])
        .fails("SESSION_NOT_FOUND");
    assert!(
        failure["hint"]
            .as_str()
            .unwrap()
            .contains("did you mean `workshop`?"),
        "{failure}"
    );
}
