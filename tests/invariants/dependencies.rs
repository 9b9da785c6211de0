//! Dependencies point one way.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// Who may know whom, from the bottom up.
const MAY_KNOW: [(&str, &[&str]); 17] = [
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
    (
        "szk-runtime",
        &[
            "szk-files",
            "szk-browsers",
            "szk-cdp",
            "szk-store",
            "szk-config",
            "szk-recovery",
        ],
    ),
    ("szk-secrets", &["szk-files", "szk-store", "szk-config"]),
    (
        "szk-client",
        &[
            "szk-files",
            "szk-tools",
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
            "szk-runtime",
            "szk-page",
            "szk-detectors",
            "szk-cdp",
            "szk-client",
            "szk-tools",
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
const AT_HOME: [(&str, &[&str]); 10] = [
    ("clap", &["szk-cli"]),
    ("rmcp", &["szk-mcp"]),
    ("chromiumoxide_cdp", &["szk-cdp"]),
    ("fs4", &["szk-store"]),
    ("reflink-copy", &["szk-store"]),
    ("tar", &["szk-store"]),
    ("zstd", &["szk-store"]),
    ("rusqlite", &["szk-browsers"]),
    ("age", &["szk-secrets"]),
    ("secret-service", &["szk-secrets"]),
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
fn each_crate_knows_only_those_below_it() {
    let graph = graph();
    let listed: BTreeSet<&str> = MAY_KNOW.iter().map(|(name, _)| *name).collect();
    let there: BTreeSet<&str> = graph.keys().map(String::as_str).collect();
    assert_eq!(
        there, listed,
        "a crate is new or gone: say here and in ARCHITECTURE.md whom it may know"
    );
    for (name, allowed) in MAY_KNOW {
        for known in graph[name].iter().filter(|known| known.starts_with("szk")) {
            assert!(
                allowed.contains(&known.as_str()),
                "`{name}` must not know `{known}`"
            );
        }
    }
}

#[test]
fn there_is_no_way_back() {
    // Given the table above, this follows from its order.
    let order: Vec<&str> = MAY_KNOW.iter().map(|(name, _)| *name).collect();
    for (at, (name, allowed)) in MAY_KNOW.iter().enumerate() {
        for known in *allowed {
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
    for (library, homes) in AT_HOME {
        for (name, known) in &graph {
            assert!(
                !known.contains(library) || homes.contains(&name.as_str()),
                "`{library}` belongs to {homes:?}, not `{name}`"
            );
        }
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
