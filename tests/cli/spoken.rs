//! What is wrong with a command is said in the words of the terminal.

use crate::harness::{Site, TestEnv};

#[test]
fn what_is_missing_is_called_as_it_is_typed() {
    let env = TestEnv::new();
    let site = Site::of("<button>Go</button>");
    env.szk(["open", "work", &site.url("/"), "--detach"]).ok();
    // After steps that worked, a failure is part of the answer.
    let ended = env.szk(["batch", "snapshot", "arm chooser"]).run();
    let told = "2. arm chooser: INVALID_INPUT: `--file` is missing";
    assert!(ended.stdout.contains(told), "{ended:#?}");
    for (line, expected) in [
        ("arm chooser", "`--file` is missing"),
        ("arm auth", "`--username` and `--password` are missing"),
        ("act click", "`click` needs a target"),
        ("act drag button", "`drag` needs `--to`"),
        (
            "act click --ref e1 --name Go",
            "give one target: `--ref`, `--name`",
        ),
        (
            "act click --name Go --frame x",
            "`--frame` goes with `--selector` only",
        ),
        ("extract --form records", "`--schema` is missing"),
        ("pdf --scale 9", "`--scale` is 0.1 to 2"),
        ("act click e1 --count 900", "`--count` of a click"),
        ("close work --keep-as other", "`--keep-as` is for a clone"),
        ("batch \"drag button\"", "`drag` needs `--to`"),
        ("batch \"arm chooser\"", "`--file` is missing"),
    ] {
        let words = line.split_once('"').map_or_else(
            || line.split(' ').collect::<Vec<_>>(),
            |(command, step)| vec![command.trim(), step.trim_end_matches('"')],
        );
        let ended = env.szk(words).run();
        assert_ne!(ended.code, Some(0), "{line}: {ended:#?}");
        assert!(ended.stderr.contains(expected), "{line}: {}", ended.stderr);
        for field in ["`paths`", "`to`", "`keep_as`", "`url`", "`browser_"] {
            assert!(!ended.stderr.contains(field), "{line}: {}", ended.stderr);
        }
    }
}
