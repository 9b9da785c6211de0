//! Each risky thing is done in one place.

use super::only_in;

#[test]
fn only_launch_starts_a_browser() {
    // A client starts keepers, `szk run` the user's program, a keeper the programs that a call wants
    // (under the process guard), and the search asks an executable for its version; nothing else
    // starts anything.
    let places = [
        "crates/runtime/src/launch/spawn.rs",
        "crates/runtime/src/find/",
        "crates/client/src/spawn.rs",
        "crates/cli/src/commands/run.rs",
        "crates/keeper/src/program/mod.rs",
        "crates/keeper/src/program/leash.rs",
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
        line.contains("\"Runtime.enable\"")
            || line.contains("runtime::EnableParams")
            || line.contains("runtime::Enable")
    });
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
    // A person chooses files in a dialog of the browser, and no page can see who did it.
    let files = "\"DOM.setFileInputFiles\"";
    only_in(&[], "page tools never write to the DOM", |line| {
        !line.contains(files)
            && commands
                .iter()
                .any(|command| line.contains(&format!("\"{command}")))
    });
    only_in(
        &[
            "crates/page/src/act/upload.rs",
            "crates/keeper/src/browser/arm/",
        ],
        "gives files to pages",
        |line| line.contains(files),
    );
}

#[test]
fn only_the_stores_crate_builds_paths_in_the_store() {
    let names = [
        "state.json",
        "state.prev.json",
        "meta.json",
        "logins.json",
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
