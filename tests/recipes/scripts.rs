//! Scripts that open browsers, such as `scripts/mutations`, take them along however they end.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::harness::TestEnv;

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .expect("the repository is there")
}

#[test]
fn a_script_that_is_stopped_leaves_neither_browser_nor_store_nor_program() {
    let env = TestEnv::new();
    let lib = root().join("scripts/lib.sh");
    let script = format!(
        ". {}\nSZK={}\nown_store\n\"$SZK\" open left --headless --detach >/dev/null\nbeside sleep 3600\necho \"$SZK_STORE ${{started[0]}}\"\nwork sleep 3600",
        lib.display(),
        env!("CARGO_BIN_EXE_szk"),
    );
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let mut running = env.shell(&script).start();
        let said = running
            .until("the script is at work", |said| said.contains(' '))
            .to_owned();
        let (store, sleeps) = said.trim().split_once(' ').unwrap();
        assert!(Path::new(store).is_dir() && !env.browsers().is_empty());
        running.signal(signal);
        let ended = running.end();
        assert_eq!(ended.code, Some(code), "{ended:?}");
        assert!(!Path::new(store).exists(), "{store}");
        assert!(!Path::new("/proc").join(sleeps).exists());
        env.no_chromium_is_left();
    }
}

#[test]
fn no_script_ends_its_browsers_in_a_way_of_its_own() {
    for entry in fs::read_dir(root().join("scripts")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        // The last one checks that a browser closes.
        if text.starts_with("#!/usr/bin/env bash") && name != "start" {
            assert!(
                !text.contains("trap ") && !text.contains("SZK_STORE=$("),
                "{name}: `own_store` of scripts/lib.sh does that"
            );
        }
    }
}
