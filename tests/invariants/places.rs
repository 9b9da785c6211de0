//! Each risky thing is done in one place.

use super::{only_in, sources};

#[test]
fn only_launch_starts_a_browser() {
    // A client starts keepers, `szk run` the user's program, a keeper the programs that a call wants
    // (under the process guard), the search asks an executable for its version, a session may have an
    // X server, and a task calls the programs of `[agent.actions]`; nothing else starts anything.
    let places = [
        "crates/runtime/src/launch/display.rs",
        "crates/runtime/src/launch/spawn.rs",
        "crates/runtime/src/find/",
        "crates/client/src/spawn.rs",
        "crates/cli/src/commands/run.rs",
        "crates/keeper/src/program/mod.rs",
        "crates/keeper/src/program/guard.rs",
        "crates/agent/src/actions/program.rs",
        // When szk is built.
        "crates/szk/build.rs",
    ];
    only_in(&places, "starts a process", |line| {
        [
            "Command::new(",
            "process::Command",
            ".spawn()",
            "posix_spawn",
            "execve(",
            "fork()",
        ]
        .iter()
        .any(|call| line.contains(call))
    });
    // The configuration knows such flags to refuse them, the store to tell which profile a process
    // belongs to.
    only_in(
        &[
            "crates/runtime/src/launch/",
            "crates/config/src/switches.rs",
            "crates/store/src/singleton.rs",
        ],
        "knows how a browser is started",
        |line| {
            ["--remote-debugging", "--user-data-dir"]
                .iter()
                .any(|flag| line.contains(&format!("\"{flag}")))
        },
    );
}

#[test]
fn runtime_is_never_enabled() {
    // The shield's table may name what it keeps from pages.
    let table = "crates/endpoint/src/policy.rs";
    only_in(&[table], "pages can see it", |line| {
        line.contains("\"Runtime.enable\"") || line.contains("runtime::Enable")
    });
    // Its type has the name that such types of other domains have, and could be imported by it.
    let found = imports_of("runtime", |name| {
        matches!(name, "EnableParams" | "*") || name.contains(" as ")
    });
    assert!(found.is_empty(), "pages can see it:\n{}", found.join("\n"));
}

#[test]
fn methods_are_named_by_their_types() {
    // What the protocol crate lacks, and the endpoint's table of what clients may say.
    let places = ["crates/cdp/src/own.rs", "crates/endpoint/src/policy.rs"];
    only_in(&places, "names a method in text", |line| {
        line.split('"').skip(1).step_by(2).any(is_method)
    });
    // Without its type only tests send a command; a client's own passes through `Member::send`.
    let raw = ["crates/cdp/src/connection.rs"];
    only_in(&raw, "sends a command without its type", |line| {
        line.contains("call_raw(") || line.contains("post_raw(")
    });
}

/// Whether it looks like `Page.navigate`.
fn is_method(literal: &str) -> bool {
    let named = |word: &str, first: fn(&char) -> bool| {
        let letters = word.chars().all(|letter| letter.is_ascii_alphabetic());
        word.len() > 1 && letters && word.chars().next().is_some_and(|letter| first(&letter))
    };
    // Not the platform.
    literal != "Node.js"
        && literal.split_once('.').is_some_and(|(domain, method)| {
            named(domain, char::is_ascii_uppercase) && named(method, char::is_ascii_lowercase)
        })
}

#[test]
fn what_looks_like_a_method_is_found() {
    for method in ["Page.navigate", "IO.read", "DOMStorage.domStorageItem"] {
        assert!(is_method(method), "{method}");
    }
    for other in [
        "Node.js",
        "page.navigate",
        "Page",
        "Page.Frame",
        "A sentence. and more",
        "a.b",
    ] {
        assert!(!is_method(other), "{other}");
    }
}

#[test]
fn page_tools_never_write_to_the_document() {
    let commands = [
        "DOM.set",
        "DOM.remove",
        "DOM.moveTo",
        "DOM.copyTo",
        "CSS.set",
        "CSS.add",
        "Page.setDocumentContent",
    ];
    only_in(&[], "page tools never write to the DOM", |line| {
        commands
            .iter()
            .any(|command| line.contains(&format!("\"{command}")))
            || line.contains("protocol::css")
            || line.contains("SetDocumentContentParams")
    });
    // A person chooses files in a dialog of the browser, and no page can see who did it.
    let files = "SetFileInputFilesParams";
    let writes = |name: &str| {
        let verbs = [
            "Set",
            "Remove",
            "MoveTo",
            "CopyTo",
            "Undo",
            "Redo",
            "MarkUndoable",
        ];
        let wildcard = name == "*" || name.contains(" as ");
        wildcard || (name != files && verbs.iter().any(|verb| name.starts_with(verb)))
    };
    let found = imports_of("dom", writes);
    assert!(
        found.is_empty(),
        "page tools never write to the DOM:\n{}",
        found.join("\n")
    );
    only_in(
        &["crates/page/src/prompts/"],
        "gives files to pages",
        |line| line.contains(files),
    );
}

/// Names of a domain of the protocol, used by path or imported, that are `unwanted`.
fn imports_of(domain: &str, unwanted: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources(&["rs"]) {
        if !source.path.starts_with("crates/") {
            continue;
        }
        // An import may go over several lines.
        let code: Vec<&str> = source.code().map(|(_, line)| line.trim()).collect();
        let code = code.join(" ");
        // `protocol::{network, runtime}` and the like: then the types are named by path.
        for (at, _) in code.match_indices(&format!("{domain}::")) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_') {
                continue;
            }
            let rest = &code[at + domain.len() + 2..];
            let names = match rest.strip_prefix('{') {
                Some(list) => list.split('}').next().unwrap_or_default(),
                None => {
                    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '*');
                    &rest[..end.unwrap_or(rest.len())]
                }
            };
            let bad = names
                .split(',')
                .map(str::trim)
                .filter(|name| unwanted(name));
            found.extend(bad.map(|name| format!("{}: {domain}::{name}", source.path)));
        }
        // Under another name it would not be found.
        if code.contains(&format!("{domain} as ")) && code.contains("szk_cdp::protocol") {
            found.push(format!("{}: `{domain}` has another name", source.path));
        }
    }
    found
}

#[test]
fn only_the_stores_crate_builds_paths_in_the_store() {
    let names = [
        "state.json",
        "state.prev.json",
        "meta.json",
        "logins.json",
        "filled.sealed",
        "keeper.json",
        "keeper.log",
        "keeper.sock",
        "start.lock",
    ];
    only_in(
        &["crates/store/"],
        "builds a path under the store",
        |line| {
            let joins = [".join(", "PathBuf::from(", "Path::new(", "format!("]
                .iter()
                .any(|call| line.contains(call));
            joins
                && names.iter().any(|name| {
                    line.contains(&format!("\"{name}")) || line.contains(&format!("/{name}"))
                })
        },
    );
    only_in(
        &["crates/store/"],
        "builds a path under the store",
        |line| line.contains("root().join("),
    );
}

#[test]
fn only_the_pipes_descriptors_need_unsafe() {
    only_in(
        &["crates/runtime/src/launch/spawn.rs"],
        "`unsafe`",
        |line| {
            line.contains("unsafe {") || line.contains("unsafe fn") || line.contains("unsafe impl")
        },
    );
}
