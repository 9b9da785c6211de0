//! A profile that is large, and a session with many tabs.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;

use serde_json::{Value, json};

use crate::harness::{LoginSite, PATIENTLY, Signal, Site, TestEnv, wait_for, wait_until};

/// Too large to read within the time of a test.
const CACHE: u64 = 4 << 40;
/// A site's data. A copy of its sparse file must not fill the disk.
const KEPT: u64 = 2 << 30;

pub(super) fn of_a_profile_does_not_matter_to_listing_opening_and_cloning() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    env.open("work");
    login.log_in(&env, "work");
    env.close("work");
    let cache = env.in_profile("work", "profile/Default/Cache/Cache_Data");
    fs::create_dir_all(&cache).unwrap();
    File::create(cache.join("f_ffff00"))
        .unwrap()
        .set_len(CACHE)
        .unwrap();
    let kept = env.in_profile("work", "profile/Default/blob_storage/kept");
    fs::create_dir_all(kept.parent().unwrap()).unwrap();
    File::create(&kept).unwrap().set_len(KEPT).unwrap();
    assert!(env.row("work").is_some());
    env.open("work");
    assert_eq!(login.who(&env, "work"), login.jane());
    // A clone is deleted with its last client.
    let mut mcp = env.mcp();
    let opened = mcp.ok("session_open", json!({"session": "work", "clone": true}));
    let copy = opened["session"].as_str().unwrap();
    assert_eq!(login.who(&env, copy), login.jane());
    let blocks: u64 = copied(&env, copy);
    assert!(
        blocks * 512 < KEPT / 4,
        "{blocks} blocks are the clone's own"
    );
    env.close(copy);
    env.close("work");
}

/// Disk blocks of the large file in the copy, if it is there.
fn copied(env: &TestEnv, name: &str) -> u64 {
    let path = env.in_profile(name, "profile/Default/blob_storage/kept");
    fs::metadata(path).map_or(0, |meta| meta.blocks())
}

pub(super) fn many_tabs_come_back_after_a_crash() {
    let count: usize = std::env::var("SZK_DAMAGE_TABS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(20);
    let env = TestEnv::new();
    let site = Site::of("<!doctype html><title>tab</title>");
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let url = |number: usize| format!("{}?{number}", site.url("/"));
    for number in 0..count {
        let tab = if number == 0 { "t1" } else { "new" };
        mcp.ok(
            "browser_navigate",
            json!({"session": "work", "tab": tab, "url": url(number)}),
        );
    }
    let expected: BTreeSet<String> = (0..count).map(url).collect();
    let open = |row: &Value| -> Vec<String> {
        let tabs = row["tabs"].as_array().into_iter().flatten();
        tabs.map(|tab| tab["url"].as_str().unwrap().to_owned())
            .collect()
    };
    let before = open(&env.row("work").unwrap());
    assert_eq!(
        (before.len(), before.into_iter().collect::<BTreeSet<_>>()),
        (count, expected.clone())
    );
    let old = env.browser();
    old.signal(Signal::KILL);
    wait_until("Chromium is started again", PATIENTLY, || {
        env.browsers().iter().any(|browser| *browser != old)
    });
    // Each is a process that has to start.
    let limit = PATIENTLY * u32::try_from(count / 20).unwrap_or(1).max(1);
    wait_for("all tabs are back, each once", limit, || {
        let tabs = open(&env.row("work")?);
        (tabs.len() == count && tabs.into_iter().collect::<BTreeSet<_>>() == expected).then_some(())
    });
    env.close("work");
}
