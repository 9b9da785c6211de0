//! What a failed test leaves for whoever reads the failure: a picture of each open session.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::env::TestEnv;
use super::wait::look_for;

/// For all pictures together: a keeper that hangs may be the very failure.
const LIMIT: Duration = Duration::from_secs(10);

/// Saves a picture of the front tab of each open session, and says where.
///
/// Runs while a test panics: nothing in here may panic, which would abort all tests, or wait for long.
pub(super) fn take(env: &TestEnv) {
    let sessions = open_sessions(env);
    if sessions.is_empty() {
        return;
    }
    let folder = folder();
    if let Err(error) = fs::create_dir_all(&folder) {
        eprintln!("no pictures: {}: {error}", folder.display());
        return;
    }
    let deadline = Instant::now() + LIMIT;
    let started = sessions.into_iter().filter_map(|session| {
        let file = folder.join(format!("{session}.png"));
        // One of an earlier run would be taken for that of this one.
        let _ = fs::remove_file(&file);
        let mut command = env.command(env!("CARGO_BIN_EXE_szk"));
        command
            .args(["screenshot", "--session", &session, "--out"])
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Some((file, command.spawn().ok()?))
    });
    // All of them at once, before the first is waited for.
    for (file, mut child) in started.collect::<Vec<_>>() {
        let left = deadline.saturating_duration_since(Instant::now());
        look_for(left, || child.try_wait().ok().flatten());
        let _ = child.kill();
        let _ = child.wait();
        if file.exists() {
            eprintln!("picture: {}", file.display());
        } else {
            eprintln!("no picture: {}", file.display());
        }
    }
}

/// Profiles with a keeper; none without a browser, whose keeper would start one for the picture.
fn open_sessions(env: &TestEnv) -> Vec<String> {
    if env.browsers().is_empty() {
        return Vec::new();
    }
    let profiles = fs::read_dir(env.store()).into_iter().flatten().flatten();
    let kept = profiles.filter(|profile| profile.path().join("keeper.json").exists());
    kept.filter_map(|profile| profile.file_name().into_string().ok())
        .collect()
}

/// In the build's folder, by the name of the test, which is that of its thread.
fn folder() -> PathBuf {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("unnamed").replace("::", ".");
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("failures")
        .join(test)
}
