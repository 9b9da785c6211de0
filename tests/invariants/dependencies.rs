//! Dependencies point one way.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// Which of our crates each one depends on, from the bottom up: these and no others.
const KNOWS: [(&str, &[&str]); 19] = [
    ("szk-text", &[]),
    ("szk-files", &[]),
    ("szk-tools", &[]),
    ("szk-config", &["szk-files"]),
    ("szk-cdp", &[]),
    ("szk-page", &["szk-cdp", "szk-text"]),
    ("szk-detectors", &[]),
    ("szk-recovery", &[]),
    ("szk-store", &["szk-files", "szk-config", "szk-recovery"]),
    ("szk-browsers", &["szk-files"]),
    ("szk-endpoint", &["szk-cdp", "szk-config", "szk-store"]),
    (
        "szk-runtime",
        &[
            "szk-files",
            "szk-browsers",
            "szk-cdp",
            "szk-endpoint",
            "szk-store",
            "szk-config",
            "szk-recovery",
        ],
    ),
    ("szk-secrets", &["szk-files", "szk-store", "szk-config"]),
    (
        "szk-wire",
        &["szk-tools", "szk-secrets", "szk-store", "szk-config"],
    ),
    (
        "szk-client",
        &[
            "szk-tools",
            "szk-wire",
            "szk-browsers",
            "szk-secrets",
            "szk-store",
            "szk-config",
        ],
    ),
    (
        "szk-keeper",
        &[
            "szk-files",
            "szk-endpoint",
            "szk-runtime",
            "szk-page",
            "szk-detectors",
            "szk-cdp",
            "szk-wire",
            "szk-tools",
            "szk-secrets",
            "szk-store",
            "szk-text",
            "szk-config",
        ],
    ),
    ("szk-mcp", &["szk-client", "szk-tools", "szk-text"]),
    (
        "szk-cli",
        &["szk-files", "szk-client", "szk-tools", "szk-text"],
    ),
    (
        "szk",
        &[
            "szk-cli",
            "szk-mcp",
            "szk-keeper",
            "szk-runtime",
            "szk-client",
            "szk-tools",
        ],
    ),
];

/// Libraries that belong to one crate, because nothing else does what they do.
const AT_HOME: [(&str, &str); 11] = [
    ("clap", "szk-cli"),
    ("rmcp", "szk-mcp"),
    ("chromiumoxide_cdp", "szk-cdp"),
    ("tokio-tungstenite", "szk-endpoint"),
    ("axum", "szk-keeper"),
    ("reflink-copy", "szk-store"),
    ("tar", "szk-store"),
    ("zstd", "szk-store"),
    ("rusqlite", "szk-browsers"),
    ("age", "szk-secrets"),
    ("secret-service", "szk-secrets"),
];

/// What each of our crates depends on, tests aside.
fn graph() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = MetadataCommand::new()
        .manifest_path(super::root().join("Cargo.toml"))
        .no_deps()
        .other_options(vec!["--offline".to_owned()])
        .exec()
        .expect("cargo can read the workspace");
    let packages = metadata.workspace_packages();
    packages
        .iter()
        .map(|package| {
            let normal = package
                .dependencies
                .iter()
                .filter(|dependency| dependency.kind == DependencyKind::Normal);
            (
                package.name.to_string(),
                normal.map(|dependency| dependency.name.clone()).collect(),
            )
        })
        .collect()
}

#[test]
fn each_crate_depends_on_those_listed_here() {
    let graph = graph();
    let listed: BTreeSet<&str> = KNOWS.iter().map(|(name, _)| *name).collect();
    let there: BTreeSet<&str> = graph.keys().map(String::as_str).collect();
    assert_eq!(
        there, listed,
        "a crate is new or gone: say here and in ARCHITECTURE.md what it may depend on"
    );
    for (name, listed) in KNOWS {
        let listed: BTreeSet<&str> = listed.iter().copied().collect();
        let used = graph[name].iter().map(String::as_str);
        let used: BTreeSet<&str> = used.filter(|known| known.starts_with("szk")).collect();
        let unlisted: Vec<_> = used.difference(&listed).collect();
        assert!(
            unlisted.is_empty(),
            "`{name}` must not depend on {unlisted:?}"
        );
        let unused: Vec<_> = listed.difference(&used).collect();
        assert!(
            unused.is_empty(),
            "`{name}` no longer depends on {unused:?}: correct this list"
        );
    }
}

#[test]
fn there_is_no_way_back() {
    // Given the table above, this follows from its order.
    let order: Vec<&str> = KNOWS.iter().map(|(name, _)| *name).collect();
    for (at, (name, listed)) in KNOWS.iter().enumerate() {
        for known in *listed {
            assert!(
                order[..at].contains(known),
                "`{known}` stands above `{name}`"
            );
        }
    }
}

#[test]
fn libraries_stay_where_they_are_at_home() {
    let graph = graph();
    for (library, home) in AT_HOME {
        let mut users = Vec::new();
        for (name, known) in &graph {
            if known.contains(library) {
                users.push(name.as_str());
            }
        }
        assert!(
            users.contains(&home),
            "`{home}` no longer uses `{library}`: correct this list"
        );
        assert_eq!(users, [home], "`{library}` belongs to `{home}` alone");
    }
}

#[test]
fn nothing_brings_openssl() {
    let lock = std::fs::read_to_string(super::root().join("Cargo.lock")).unwrap();
    for name in ["openssl-sys", "native-tls"] {
        assert!(
            !lock.contains(&format!("name = \"{name}\"")),
            "`{name}` needs headers that a fresh machine lacks"
        );
    }
}
