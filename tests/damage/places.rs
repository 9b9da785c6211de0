//! Something else in place of a file: nothing blocks on it or reads it to its end.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use crate::harness::TestEnv;

const SOON: Duration = Duration::from_secs(60);

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

fn giant(path: &Path) {
    File::create(path).unwrap().set_len(6 << 30).unwrap();
}

fn folder(path: &Path) {
    fs::create_dir(path).unwrap();
    fs::write(path.join("inside"), "x").unwrap();
}

fn around(path: &Path) {
    symlink(path, path).unwrap();
}

/// Puts something at a path.
type Put = fn(&Path);

const ODD: [(&str, Put); 4] = [
    ("a FIFO", fifo),
    ("a giant", giant),
    ("a folder", folder),
    ("a link to itself", around),
];

#[test]
fn a_profile_opens_and_saves_whatever_stands_in_the_place_of_its_files() {
    let env = TestEnv::new();
    env.open("work");
    env.endpoint("work");
    env.close("work");
    for (what, put) in ODD {
        for name in [
            "meta.json",
            "state.json",
            "logins.json",
            "token",
            "keeper.json",
        ] {
            let path = env.in_profile("work", name);
            match path.symlink_metadata() {
                Ok(meta) if meta.is_dir() => fs::remove_dir_all(&path).unwrap(),
                Ok(_) => fs::remove_file(&path).unwrap(),
                Err(_) => {}
            }
            put(&path);
        }
        let begun = Instant::now();
        assert_eq!(env.row("work").unwrap()["status"], "stored", "{what}");
        let opened = env.open("work");
        let warned = opened["warnings"].to_string();
        assert!(warned.contains("meta.json"), "{what}: {warned}");
        assert!(warned.contains("state"), "{what}: {warned}");
        assert_eq!(env.eval("work", "6 * 7"), 42);
        env.endpoint("work");
        let joined = env.open("work")["warnings"].to_string();
        assert!(joined.contains("token"), "{what}: {joined}");
        env.close("work");
        assert!(begun.elapsed() < SOON, "{what}: {:?}", begun.elapsed());
        for name in ["meta.json", "state.json", "token"] {
            let meta = env.in_profile("work", name).symlink_metadata().unwrap();
            assert!(meta.is_file() && meta.len() < 1 << 20, "{what}: {name}");
        }
        let again = env.open("work");
        let warned = again["warnings"].to_string();
        assert!(
            !warned.contains("state") && !warned.contains("meta"),
            "told once: {warned}"
        );
        env.close("work");
    }
}

#[test]
fn paths_of_callers_may_lead_to_anything() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let (pipe, large) = (env.work().join("pipe.js"), env.work().join("large.js"));
    fifo(&pipe);
    giant(&large);
    let begun = Instant::now();
    for path in [Path::new("/dev/zero"), &pipe, &large, &env.work()] {
        let import = json!({"action": "import", "path": path});
        mcp.fails("session_state", import, "INVALID_INPUT");
        assert_eq!(mcp.eval("work", "6 * 7"), 42, "the keeper goes on");
        let text = path.display().to_string();
        env.szk(["profile", "import", &text]).fails("INVALID_INPUT");
        env.szk(["run-code", "-s", "work", "--file", &text])
            .fails("INVALID_INPUT");
        env.szk(["batch", "-s", "work", &text])
            .fails("INVALID_INPUT");
    }
    for path in [&pipe, &large] {
        let run = json!({"path": path, "timeout_ms": 5000});
        let failure = mcp.call("browser_run_file", run);
        assert_eq!(failure["isError"], true, "{failure}");
    }
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    // A huge or odd configuration file also fails at once.
    for (what, put) in ODD {
        let path = env.work().join("szk.config.toml");
        put(&path);
        let begun = Instant::now();
        let failure = env.szk(["config", "explain"]).fails("INVALID_CONFIG");
        assert!(begun.elapsed() < SOON / 4, "{what}");
        assert!(failure.to_string().contains("szk.config.toml"), "{failure}");
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap();
        } else {
            fs::remove_file(&path).unwrap();
        }
    }
}
