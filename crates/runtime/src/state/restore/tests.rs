//! What is written into a browser whose tabs fail.

use serde_json::json;
use szk_cdp::testing::{Answer, Script};

use super::*;

/// Not a command, but what the browser does once it has answered `Page.navigate`.
const COMMIT: &str = "commit";
/// Nor this: a browser that never answers `Page.navigate`.
const STUCK: &str = "stuck";
const CREATE: &str = "Target.createTarget";

/// The tabs that were opened for one site, and what came of it, in a browser whose first renderers die
/// when a command reaches them.
async fn restored(dying: usize, command: &str) -> (usize, Vec<Warning>) {
    let command = command.to_owned();
    let mut opened = 0;
    let script = Script::new()
        .answer("Page.navigate", json!({"frameId": "F", "loaderId": "L"}))
        .answer_with(move |call| match call.method.as_str() {
            CREATE => {
                opened += 1;
                Some(Answer::ok(json!({"targetId": format!("T-{opened}")})))
            }
            "Target.attachToTarget" => {
                let session = opened.to_string();
                let info = json!({"targetId": format!("T-{opened}"), "type": "page", "title": "",
                    "url": "", "attached": true, "canAccessOpener": false});
                let told =
                    json!({"sessionId": session, "targetInfo": info, "waitingForDebugger": false});
                let attached = Answer::silence().event(None, "Target.attachedToTarget", told);
                Some(attached.and(Answer::ok(json!({"sessionId": session}))))
            }
            method if method == command && opened <= dying => {
                let crash =
                    json!({"targetId": format!("T-{opened}"), "status": "killed", "errorCode": 9});
                Some(Answer::silence().event(None, "Target.targetCrashed", crash))
            }
            "Page.navigate" if command == STUCK && opened <= dying => Some(Answer::silence()),
            // Its document never comes, and Chromium reports no crash.
            "Page.createIsolatedWorld" if command == COMMIT && opened <= dying => {
                let failed = json!({"requestId": "L", "timestamp": 1, "type": "Document",
                    "errorText": "net::ERR_ABORTED", "canceled": true});
                let session = opened.to_string();
                Some(Answer::silence().event(Some(&session), "Network.loadingFailed", failed))
            }
            "Page.createIsolatedWorld" => Some(Answer::error(-32000, "another trouble")),
            _ => None,
        });
    let (connection, _events, peer) = script.start();
    let saved = StorageState {
        origins: vec![OriginState {
            origin: "https://a.example".to_owned(),
            local_storage: vec![Item {
                name: "k".into(),
                value: "v".into(),
            }],
            ..OriginState::default()
        }],
        ..StorageState::default()
    };
    let warnings = restore_origins(&connection, &saved, Truth::Nothing).await;
    let opened = |method: &&String| *method == CREATE;
    (peer.methods().iter().filter(opened).count(), warnings)
}

#[test]
fn only_what_was_written_counts() {
    let saved: OriginState = serde_json::from_value(json!({
        "origin": "https://a.example",
        "localStorage": [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}],
        "indexedDB": [{"name": "d", "version": 1, "stores": []}],
    }))
    .unwrap();
    let mut taken = Counts::default();
    let lost = |items, databases| Lost { items, databases };
    let mut check = |lost: Lost, expected: (usize, usize, usize)| {
        taken.add(&saved, lost);
        let seen = (taken.origins, taken.local_storage, taken.databases);
        assert_eq!(seen, expected);
    };
    check(lost(1, 0), (1, 1, 1));
    check(lost(2, 1), (1, 1, 1));
    check(Lost::default(), (2, 3, 2));
}

#[tokio::test(start_paused = true)]
async fn a_site_whose_renderer_dies_is_restored_again_in_another() {
    for command in ["Network.enable", "Page.createIsolatedWorld", COMMIT] {
        let began = tokio::time::Instant::now();
        let (tabs, warnings) = restored(2, command).await;
        assert_eq!(tabs, 3, "{command}");
        assert!(
            warnings[0].reason.contains("another trouble"),
            "{command}: {warnings:?}"
        );
        let (tabs, warnings) = restored(9, command).await;
        assert_eq!(
            (tabs, warnings.len()),
            (TRIES, 1),
            "{command}: not for ever"
        );
        assert!(
            began.elapsed() < LIMIT,
            "{command}: nobody waited for a dead one"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_site_whose_document_does_not_come_is_restored_in_another_tab() {
    let (tabs, warnings) = restored(1, STUCK).await;
    assert_eq!(tabs, 2);
    assert!(
        warnings[0].reason.contains("another trouble"),
        "{warnings:?}"
    );
    let (tabs, warnings) = restored(9, STUCK).await;
    assert_eq!((tabs, warnings.len()), (TRIES, 1), "not for ever");
    assert!(warnings[0].reason.contains("did not come"), "{warnings:?}");
}
