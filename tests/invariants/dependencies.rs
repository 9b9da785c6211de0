//! Dependencies point one way.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// Which of our crates each one depends on, from the bottom up: these and no others.
const KNOWS: &[(&str, &[&str])] = &[
    ("szk-text", &[]),
    ("szk-files", &[]),
    ("szk-tools", &[]),
    ("szk-bindings", &["szk-tools"]),
    ("szk-config", &["szk-files"]),
    ("szk-cdp", &[]),
    ("szk-recipes", &[]),
    ("szk-screen", &[]),
    (
        "szk-page",
        &["szk-cdp", "szk-recipes", "szk-screen", "szk-text"],
    ),
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
            "szk-screen",
            "szk-store",
            "szk-config",
            "szk-recovery",
        ],
    ),
    (
        "szk-library",
        &["szk-cdp", "szk-config", "szk-page", "szk-runtime"],
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
            "szk-recipes",
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
    (
        "szk-agent",
        &["szk-client", "szk-files", "szk-text", "szk-tools"],
    ),
    ("szk-mcp", &["szk-client", "szk-tools"]),
    ("szk-server", &["szk-client", "szk-files", "szk-tools"]),
    (
        "szk-cli",
        &[
            "szk-agent",
            "szk-files",
            "szk-client",
            "szk-tools",
            "szk-text",
        ],
    ),
    (
        "szk",
        &[
            "szk-cli",
            "szk-mcp",
            "szk-server",
            "szk-client",
            "szk-keeper",
            "szk-tools",
        ],
    ),
];

/// Libraries that belong to one crate, because nothing else does what they do.
const AT_HOME: &[(&str, &str)] = &[
    ("clap", "szk-cli"),
    ("jsonschema", "szk-agent"),
    ("reqwest", "szk-agent"),
    ("rustls", "szk-agent"),
    ("tokio-rustls", "szk-server"),
    ("multer", "szk-server"),
    ("rmcp", "szk-mcp"),
    ("chromiumoxide_cdp", "szk-cdp"),
    ("x11rb", "szk-screen"),
    ("reflink-copy", "szk-store"),
    ("tar", "szk-store"),
    ("zstd", "szk-store"),
    ("rusqlite", "szk-browsers"),
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
        let used = graph[*name].iter().map(String::as_str);
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
            if known.contains(*library) {
                users.push(name.as_str());
            }
        }
        assert!(
            users.contains(home),
            "`{home}` no longer uses `{library}`: correct this list"
        );
        assert_eq!(users, [*home], "`{library}` belongs to `{home}` alone");
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

/// The libraries that Cargo.toml names for the workspace, without our own crates.
fn named() -> BTreeSet<String> {
    let manifest = std::fs::read_to_string(super::root().join("Cargo.toml")).unwrap();
    let section = manifest.split("[workspace.dependencies]\n").nth(1).unwrap();
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    let names = lines.filter_map(|line| Some(line.split_once(" = ")?.0.to_owned()));
    names.filter(|name| !name.starts_with("szk-")).collect()
}

/// The reasons at the end of deny.toml, by library.
fn reasons() -> Vec<(String, String)> {
    let rules = std::fs::read_to_string(super::root().join("deny.toml")).unwrap();
    let (_, list) = rules.split_once("# Why each library is here, ").unwrap();
    let lines = list.lines().filter_map(|line| line.strip_prefix("# "));
    let pairs = lines.filter_map(|line| line.split_once(": "));
    pairs
        .map(|(name, why)| (name.to_owned(), why.to_owned()))
        .collect()
}

#[test]
fn each_library_has_a_reason() {
    let reasons = reasons();
    assert!(reasons.is_sorted(), "the list in deny.toml is out of order");
    assert!(reasons.iter().all(|(_, why)| why.len() > 5), "{reasons:?}");
    let given: BTreeSet<String> = reasons.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(reasons.len(), given.len(), "a library is there twice");
    assert_eq!(
        given,
        named(),
        "deny.toml and Cargo.toml name other libraries"
    );
}

#[test]
fn each_library_is_used_by_a_crate() {
    let metadata = MetadataCommand::new()
        .manifest_path(super::root().join("Cargo.toml"))
        .no_deps()
        .other_options(vec!["--offline".to_owned()])
        .exec()
        .expect("cargo can read the workspace");
    let used: BTreeSet<String> = metadata
        .workspace_packages()
        .iter()
        .flat_map(|package| &package.dependencies)
        .map(|dependency| dependency.name.clone())
        .filter(|name| !name.starts_with("szk"))
        .collect();
    assert_eq!(
        used,
        named(),
        "versions stand in the root's Cargo.toml only"
    );
}
