mod literals;

use super::*;

fn speech(line: &str) -> Speech {
    let path: Vec<String> = line.split(' ').map(str::to_owned).collect();
    Speech::of(crate::args::command(), &path)
}

#[test]
fn operations_become_commands() {
    let any = Speech::default();
    assert_eq!(
        any.message("`session_list` shows `work`; see `browser_run_code` or raise `timeout_ms`"),
        "`szk list` shows `work`; see `szk run-code` or raise `--timeout-ms`"
    );
    assert_eq!(
        any.message("open it with `session_open` (`szk open work`) or (`szk list`)"),
        "open it with `szk open work` or (`szk list`)"
    );
    assert_eq!(any.message("no `quote is closed"), "no `quote is closed");
    assert_eq!(any.message(""), "");
}

#[test]
fn fields_become_what_the_command_takes() {
    let which = "say which with `session`";
    let said = |line: &str| speech(line).hint(which);
    assert_eq!(said("close"), "say which with `szk close PROFILE`");
    assert_eq!(
        said("state export"),
        "say which with `szk state export PROFILE`"
    );
    assert_eq!(said("snapshot"), "say which with `-s PROFILE`");
    assert_eq!(said("browser snapshot"), "say which with `-s PROFILE`");
    assert_eq!(
        speech("login").hint("give `username` and `success_url`"),
        "give `-u NAME` and `--success-url PART`"
    );
    // A message contains values: a session may have this name.
    let message = "session `session` is not open";
    assert_eq!(speech("close").message(message), message);
    assert_eq!(
        speech("close").hint("did you mean `session`?"),
        "did you mean `session`?"
    );
}

#[test]
fn a_file_of_steps_is_spoken_of_in_its_own_words() {
    let hint = "did you mean `browser_navigate`? `browser_tabs` takes `tab`";
    assert_eq!(speech("batch").hint(hint), hint);
}

#[track_caller]
fn check(said: &str, expected: &str) {
    assert_eq!(Speech::default().answer(said), expected);
}

#[test]
fn fields_after_an_operation_are_those_of_its_command() {
    check(
        "t1 shows a file chooser; give it files with `browser_arm`, `event` chooser, `paths`",
        "t1 shows a file chooser; give it files with `szk arm chooser --file FILE`",
    );
    check(
        "with `browser_arm`, `event` dialog: `accept` false refuses it, `text` answers a prompt; szk",
        "with `szk arm dialog --refuse` refuses it, `--text TEXT` answers a prompt; szk",
    );
    check(
        "take it with `browser_tabs`, `action` focus, `tab` t2 and `take` true; reading `tab` is free",
        "take it with `szk tabs focus t2 --take`; reading `tab` is free",
    );
    check(
        "end it with `recipe_record`, `stop` or `cancel`",
        "end it with `szk recipe record stop` or `cancel`",
    );
    check(
        "call `session_handoff` with `wait` true, and `workflow_login` again without `url`.",
        "call `szk handoff`, and `szk login` again without `URL`.",
    );
    check(
        "check with `browser_logs`, `kind` network; `kind` is free",
        "check with `szk logs --kind network`; `kind` is free",
    );
    check("have `agent_run` do it", "have `szk do` do it");
}

#[test]
fn what_a_page_says_stays_as_it_is() {
    for said in [
        "t1 \"see `browser_arm`\" at https://a/",
        "- paragraph: `browser_arm`\n  + text: `browser_arm`\n~ `browser_arm`",
        "value: `browser_arm` \"",
        "```\n`browser_arm`\n```",
        "alert \"a \\\" `browser_arm`\" is open",
    ] {
        check(said, said);
    }
    check(
        "t1 shows a dialog: \"`browser_arm`\"; answer it with `browser_arm`",
        "t1 shows a dialog: \"`browser_arm`\"; answer it with `szk arm`",
    );
    check(
        "````\n```\n`browser_arm`\n````\nwith `browser_arm`",
        "````\n```\n`browser_arm`\n````\nwith `szk arm`",
    );
}

#[test]
fn hints_in_brackets_name_fields_of_the_command_that_ran() {
    let snapshot = Speech::running::<szk_tools::browser::Snapshot>();
    assert_eq!(
        snapshot.answer("`mode` full\n(nothing interactive; `mode` full shows text)"),
        "`mode` full\n(nothing interactive; `--mode full` shows text)"
    );
    assert_eq!(
        snapshot.answer("  - (left out: 2 texts; `mode` full has all text)"),
        "  - (left out: 2 texts; `--mode full` has all text)"
    );
    assert_eq!(
        snapshot.answer("(3 more lines: continue with cursor `c1`, or read a part with `scope`)"),
        "(3 more lines: continue with cursor `c1`, or read a part with `--scope REF|CSS`)"
    );
    assert_eq!(
        snapshot.answer("(3 more lines: `browser_snapshot` with `diff`)"),
        "(3 more lines: `szk snapshot --diff`)"
    );
}

#[test]
fn what_is_wrong_with_the_input_is_said_of_what_was_typed() {
    #[track_caller]
    fn check<const N: usize>(line: &str, said: &str, fields: [&str; N], expected: &str) {
        let failure = Failure::invalid(said).about(fields);
        assert_eq!(speech(line).message_of(&failure, said), expected);
    }
    check(
        "browser arm",
        "`paths` is missing",
        ["paths"],
        "`--file` is missing",
    );
    check(
        "browser arm",
        "`username` and `password` are missing",
        ["username", "password"],
        "`--username` and `--password` are missing",
    );
    check(
        "browser find",
        "`text` is missing",
        ["text"],
        "`TEXT` is missing",
    );
    check(
        "browser act",
        "`drag` needs `to`",
        ["to"],
        "`drag` needs `--to`",
    );
    check(
        "browser act",
        "give one target: `ref`, `name`, `selector`, or both `x` and `y`",
        ["ref", "name", "selector", "x", "y"],
        "give one target: `--ref`, `--name`, `--selector`, or both `--x` and `--y`",
    );
    check(
        "close",
        "`keep_as` does not go with `save` false",
        ["keep_as", "save"],
        "`--keep-as` does not go with `--no-save`",
    );
    // A value, whatever it looks like.
    for said in ["`text` is not a status", "the parameter `path` is missing"] {
        check("browser logs", said, [], said);
    }
    check(
        "browser logs",
        "`text` is not a value of `kind`",
        ["kind"],
        "`text` is not a value of `--kind`",
    );
}

/// What is said of wrong input says which fields it names, and the terminal gives each of them as it is typed
/// there.
#[test]
fn every_complaint_about_a_field_names_what_can_be_typed() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut complaints = Vec::new();
    for folder in ["agent", "client", "keeper", "server", "wire"] {
        literals::complaints(&crates.join(folder).join("src"), &mut complaints);
    }
    let spoken = |spec: &szk_tools::Spec| {
        let fields = (spec.fields)();
        let names: Vec<String> = fields.iter().map(|field| field.name.to_string()).collect();
        let line = commands::line_of(spec.name);
        let speech = line
            .as_ref()
            .map(|line| speech(line.trim_start_matches("szk ")));
        (names, line.zip(speech))
    };
    let all: Vec<_> = szk_tools::specs().iter().map(spoken).collect();
    let mut tried = 0;
    let mut unsaid = Vec::new();
    for (text, about) in &complaints {
        let words: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
        for word in &words {
            let is_field = all
                .iter()
                .any(|(fields, _)| fields.iter().any(|field| field == word));
            let is_value = NO_FIELDS.contains(&(text.as_str(), *word));
            if is_field && !is_value && !about.iter().any(|field| field == word) {
                unsaid.push((text, word.to_owned()));
            }
        }
        for (fields, speech) in &all {
            let Some((line, speech)) = speech else {
                continue;
            };
            let theirs = about.iter().all(|field| fields.contains(field));
            if speech.catalogue || about.is_empty() || !theirs {
                continue;
            }
            let failure = Failure {
                fields: about.clone().into(),
                ..Failure::invalid(text.as_str())
            };
            let said = speech.message_of(&failure, text);
            for field in about {
                let typed = speech.own.named(field, "").map(|(typed, _)| typed);
                let same = typed.is_none_or(|typed| typed == *field);
                assert!(
                    same || !said.contains(&format!("`{field}`")),
                    "{line}: {said}"
                );
                tried += 1;
            }
        }
    }
    assert!(unsaid.is_empty(), "`.about([…])` lacks these: {unsaid:#?}");
    assert!(tried > 100, "{tried}");
}

/// Words that are fields elsewhere, and values or names here.
const NO_FIELDS: [(&str, &str); 2] = [
    ("a clone cannot be saved: `then` is `save`", "save"),
    (
        "`wait` needs `ref`, `selector`, `text`, `url`, `time_ms` or `state` networkidle",
        "wait",
    ),
];

/// Whatever szk says of an operation, the terminal says of a command.
#[test]
fn no_text_of_szk_names_an_operation_in_the_terminal() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut texts = Vec::new();
    literals::of_folder(&crates, &mut texts);
    let any = Speech::default();
    let (mut named, mut left) = (0, Vec::new());
    // What instructs a model, in lists, is not for the terminal.
    let instructs = |text: &str| text.starts_with("- ") || text.contains("\n- ");
    let shown = texts.iter().filter(|text| !instructs(text));
    for text in shown {
        let specs = szk_tools::specs().iter();
        let names: Vec<_> = specs
            .filter(|spec| text.contains(&format!("`{}`", spec.name)))
            .collect();
        named += names.len();
        for said in [any.message(text), any.hint(text), any.answer(text)] {
            let kept = names
                .iter()
                .any(|spec| said.contains(&format!("`{}`", spec.name)));
            left.extend(kept.then_some(said));
        }
        // A field of an operation is given as its command takes it.
        if let [spec] = names[..]
            && !text.contains('\n')
        {
            let said = any.answer(text);
            let after = said.split_once("`szk ").map_or("", |(_, after)| after);
            let sentence = after.split([';', '\n']).next().unwrap_or_default();
            let kept = (spec.fields)()
                .iter()
                .any(|field| sentence.contains(&format!("`{}`", field.name)));
            left.extend(kept.then_some(said));
        }
    }
    assert!(left.is_empty(), "{left:#?}");
    assert!(named > 60, "only {named} texts name an operation");
}
