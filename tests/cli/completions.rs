//! `szk completions`, and what the scripts ask szk for.

use std::fs;

use crate::harness::TestEnv;

#[test]
fn there_is_a_script_for_each_shell() {
    let env = TestEnv::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = env.szk(["completions", shell]).ok();
        assert!(script.stdout.contains("szk"), "{shell}: {script:#?}");
    }
    assert_eq!(env.szk(["completions", "tcsh"]).run().code, Some(2));
    let script = env.szk(["completions", "bash"]).ok().stdout;
    env.program("bash", ["-n", "-c", &script]).ok();
}

#[test]
fn names_of_profiles_complete() {
    let env = TestEnv::new();
    for name in ["work", "wiki", "shop"] {
        fs::create_dir_all(env.in_profile(name, "profile")).unwrap();
        fs::write(env.in_profile(name, "profile/Cookies"), "").unwrap();
    }
    let ended = env
        .szk(["--", "szk", "close", "w"])
        .env("SZK_COMPLETE", "fish")
        .ok();
    let mut names: Vec<&str> = ended
        .stdout
        .lines()
        .map(|line| line.split('\t').next().unwrap_or(line))
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["wiki", "work"], "{ended:#?}");
}

#[test]
fn choices_complete_with_what_they_mean() {
    let env = TestEnv::new();
    let ended = env
        .szk(["--", "szk", "browser", "act", "dr"])
        .env("SZK_COMPLETE", "fish")
        .ok();
    assert_eq!(
        ended.stdout.trim_end(),
        "drag\tDrag the target onto another"
    );
}
