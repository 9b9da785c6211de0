//! `config/defaults.toml` is the documentation, the defaults and the list of keys in one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::TestHome;
use crate::file::SourceFile;
use crate::keys::KEYS;
use crate::parse::{FileLayer, Parsed, parse};
use crate::{
    Config, EndpointAuth, EndpointContexts, EndpointIdentity, EndpointTabs, Headless, Origin,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Turns `# key = value` examples into keys; leaves prose alone.
fn uncommented(text: &str) -> String {
    let example = |line: &str| {
        let (name, _) = line.strip_prefix("# ")?.split_once(" = ")?;
        let key = name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        key.then(|| line.strip_prefix("# ").unwrap_or(line).to_owned())
    };
    let lines = text.lines();
    lines
        .map(|line| example(line).unwrap_or_else(|| line.to_owned()) + "\n")
        .collect()
}

fn read(path: &str, change: fn(&str) -> String) -> Parsed {
    let mut file = SourceFile::read(&root().join(path)).unwrap();
    file.text = change(&file.text);
    parse(file, FileLayer::Default)
}

#[test]
fn every_key_is_documented_and_every_documented_key_is_read() {
    let parsed = read("config/defaults.toml", uncommented);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let documented: BTreeSet<_> = parsed.entries.iter().map(|entry| entry.key.path).collect();
    let read: BTreeSet<_> = KEYS.iter().map(|key| key.path).collect();
    assert_eq!(documented, read);
}

#[test]
fn the_keys_stand_in_the_order_of_the_documentation() {
    let mut parsed = read("config/defaults.toml", uncommented);
    parsed
        .entries
        .sort_by_key(|entry| entry.at.as_ref().unwrap().span.start);
    let documented: Vec<_> = parsed.entries.iter().map(|entry| entry.key.path).collect();
    let read: Vec<_> = KEYS.iter().map(|key| key.path).collect();
    assert_eq!(documented, read);
}

/// A non-optional key of `Settings` without a default would silently become 0 or empty.
#[test]
fn a_key_without_default_is_optional() {
    let unset: Vec<_> = TestHome::new()
        .resolve()
        .explain()
        .into_iter()
        .filter(|row| row.value.is_none())
        .map(|row| row.key)
        .collect();
    insta::assert_debug_snapshot!(unset, @r#"
    [
        "store.path",
        "browser.chromium",
        "identity.user_agent",
        "identity.locale",
        "identity.timezone",
        "identity.viewport",
        "identity.screen",
        "identity.device_scale_factor",
        "identity.mobile",
        "identity.touch",
        "identity.orientation",
        "identity.proxy",
        "identity.geolocation",
        "endpoint.raw_port",
        "server.tls_cert",
        "server.tls_key",
        "agent.model",
        "agent.base_url",
        "agent.key",
        "agent.price_in",
        "agent.price_out",
        "agent.actions",
        "policy.allowed_origins",
        "policy.file_urls",
        "policy.read",
        "policy.write",
        "policy.programs",
    ]
    "#);
}

#[test]
fn the_defaults_are_these() {
    let settings = TestHome::new().resolve().settings;
    assert_eq!(settings.browser.headless, Headless::Auto);
    assert!(!settings.browser.xvfb);
    assert_eq!(settings.session.linger_minutes, 30.0);
    assert_eq!(settings.session.timeout_seconds, 30);
    assert_eq!(settings.session.max_open, 50);
    assert_eq!(settings.session.save_seconds, 2);
    assert_eq!(settings.session.dialog_seconds, 30);
    assert_eq!(settings.session.dialogs, crate::Dialogs::Ask);
    assert!(settings.session.restore_tabs);
    assert_eq!(settings.endpoint.auth, EndpointAuth::Token);
    assert!(settings.endpoint.shield && settings.endpoint.deny.is_empty());
    assert_eq!(settings.endpoint.identity, EndpointIdentity::Profile);
    assert_eq!(settings.endpoint.contexts, EndpointContexts::Client);
    assert_eq!(settings.endpoint.tabs, EndpointTabs::All);
    assert_eq!(settings.endpoint.max_clients, 64);
    let server = &settings.server;
    assert_eq!((server.max_sessions, server.memory_floor), (0, 0));
    assert_eq!((server.max_queue, server.request_timeout), (100, 3600));
    assert_eq!((server.requests_per_minute, server.idle), (0, 0));
    assert_eq!((server.client_idle, server.max_upload), (300, 256));
    assert_eq!(server.upload_quota, 4096);
    assert_eq!(settings.log.level, "info");
    assert_eq!(settings.log.format, crate::LogFormat::Text);
    assert_eq!(settings.audit.log, crate::AuditLog::All);
    let policy = &settings.policy;
    assert!(policy.downloads && policy.run_code && policy.main_world && policy.export_cookies);
    assert!(!policy.limits_origins() && policy.read.is_none() && policy.write.is_none());
    assert_eq!(policy.programs, None);
    assert_eq!(settings.identity.preset.as_deref(), Some("native"));
}

#[test]
fn the_projects_own_file_is_good_also_with_its_examples() {
    for change in [uncommented as fn(&str) -> String, str::to_owned] {
        let parsed = read("szk.config.toml", change);
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    }
}

#[test]
fn the_project_keeps_its_profiles_in_sessions() {
    let origin = Origin {
        cwd: root().join("crates").canonicalize().unwrap(),
        ..Origin::default()
    };
    let store = Config::load(&origin).unwrap().store_root();
    assert_eq!(store, root().canonicalize().unwrap().join("sessions"));
}
