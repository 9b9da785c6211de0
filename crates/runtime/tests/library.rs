//! Profiles opened by a Rust program, without a keeper.

use std::collections::BTreeMap;

use szk_config::Origin;
use szk_runtime::library::{LaunchOptions, LibraryError, Szk};
use szk_runtime::session::{OpenError, Why};

/// A library with a store and environment of its own.
fn szk(dir: &tempfile::TempDir) -> Szk {
    let headless = ("SZK_HEADLESS".to_owned(), "true".to_owned());
    Szk::new(Origin {
        cwd: dir.path().to_owned(),
        user_file: None,
        data_dir: Some(dir.path().join("store")),
        env: BTreeMap::from([headless]),
    })
    .expect("no file is read")
}

#[tokio::test]
async fn a_profile_from_launch_to_deletion() {
    let dir = tempfile::tempdir().unwrap();
    let szk = szk(&dir);
    let session = szk.launch("work", LaunchOptions::default()).await.unwrap();
    assert_eq!(session.tabs().len(), 1);
    let again = szk.launch("work", LaunchOptions::default()).await.unwrap();
    let pid = |session: &szk_runtime::session::Session| session.tabs()[0].page.target_id.clone();
    assert_eq!(
        pid(&session),
        pid(&again),
        "an open one is given, not opened twice"
    );

    let endpoint = szk.connect("work").await.unwrap();
    assert!(
        endpoint.http_url.starts_with("http://127.0.0.1:"),
        "{endpoint:?}"
    );
    assert_eq!(szk.get_session("work").unwrap().name().as_str(), "work");
    let listed = szk.list_sessions().unwrap();
    assert!(listed[0].open_here && listed[0].live);
    assert!(matches!(
        szk.delete_stored_session("work"),
        Err(LibraryError::Lock(_))
    ));

    let closed = szk.close_session("work").await.unwrap();
    assert_eq!(
        (&closed.why, closed.saved),
        (&Why::Asked, true),
        "{closed:?}"
    );
    assert!(matches!(
        szk.get_session("work"),
        Err(LibraryError::NotFound { .. })
    ));
    let meta = szk
        .update_session_meta("work", |meta| meta.label = Some("mine".into()))
        .unwrap();
    assert_eq!(meta.label.as_deref(), Some("mine"));
    assert_eq!(
        szk.list_sessions().unwrap()[0].meta.as_ref().unwrap().label,
        meta.label
    );

    szk.delete_stored_session("work").unwrap();
    assert!(szk.list_sessions().unwrap().is_empty());
}

#[tokio::test]
async fn launches_at_once_share_a_session_and_its_end_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let szk = szk(&dir);
    let launch = || szk.launch("work", LaunchOptions::default());
    let (one, other) = tokio::join!(launch(), launch());
    let (one, other) = (one.unwrap(), other.unwrap());
    let target = |session: &szk_runtime::session::Session| session.tabs()[0].page.target_id.clone();
    assert_eq!(target(&one), target(&other));
    one.close(true, Why::Asked).await;
    assert!(szk.get_session("work").is_err());
    let next = launch().await.unwrap();
    assert_eq!(next.tabs().len(), 1);
    szk.close_all_sessions().await;
}

#[tokio::test]
async fn another_program_cannot_open_an_open_profile() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (szk(&dir), szk(&dir));
    one.launch("work", LaunchOptions::default()).await.unwrap();
    let refused = other.launch("work", LaunchOptions::default()).await;
    assert!(matches!(
        refused,
        Err(LibraryError::Open(OpenError::Lock(_)))
    ));
    one.close_all_sessions().await;
    other
        .launch("work", LaunchOptions::default())
        .await
        .unwrap();
    other.close_all_sessions().await;
}

#[test]
fn presets_are_listed_and_resolved() {
    let dir = tempfile::tempdir().unwrap();
    let szk = szk(&dir);
    assert!(szk.presets().iter().any(|preset| preset.name == "native"));
    let resolved = szk.resolve_preset("laptop").unwrap();
    assert!(resolved.settings.identity.viewport.is_some());
    let error = szk.resolve_preset("laptpo").unwrap_err().to_string();
    assert!(error.contains("laptop"), "{error}");
}
