//! A page of a profile that this process opens, in a real browser.

#[path = "../../../examples/rust/page.rs"]
#[allow(dead_code, reason = "its `main` is for people")]
mod example;

use std::collections::BTreeMap;

use szk_library::{LaunchOptions, Mode, Origin, Page, PageError, Szk};

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

const PAGE: &str = "data:text/html,<title>Example</title><h1>One</h1>\
    <input id=name><button onclick=\"document.querySelector('p').textContent = 'pressed by ' + document.querySelector('input').value\">Press</button><p>nothing</p>";

#[tokio::test]
async fn a_page_is_read_and_acted_in() {
    let dir = tempfile::tempdir().unwrap();
    let szk = szk(&dir);
    let told = example::run(&szk, PAGE).await.unwrap();
    assert!(told.starts_with("Example\n"), "{told}");
    assert!(told.contains("button \"Press\""), "{told}");
    assert!(
        told.contains("pressed by") && told.ends_with("1 headings"),
        "{told}"
    );

    let session = szk.launch("work", LaunchOptions::default()).await.unwrap();
    let mut page = Page::open(&session).await.unwrap();
    assert_eq!(page.navigate(PAGE).await.unwrap().title, "Example");
    page.fill("#name", "me").await.unwrap();
    let snapshot = page.snapshot(Mode::Minimal).await.unwrap();
    let button = snapshot
        .lines()
        .find(|line| line.contains("Press"))
        .unwrap();
    let words = button.split(|c: char| !c.is_ascii_alphanumeric());
    let is_ref = |word: &&str| {
        let digits = word.strip_prefix('e').unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut refs = words.filter(is_ref);
    let reference = refs
        .next()
        .unwrap_or_else(|| panic!("{snapshot}"))
        .to_owned();
    page.click(&reference).await.unwrap();
    assert!(page.markdown().await.unwrap().contains("pressed by me"));
    let missing = page.click("#none").await.unwrap_err();
    assert!(
        matches!(missing, PageError::Act { begun: false, .. }),
        "{missing:?}"
    );
    let refused = page.navigate("http://127.0.0.1:1/").await.unwrap_err();
    assert!(
        matches!(refused, PageError::NotLoaded { .. }),
        "{refused:?}"
    );
    let denied = page.navigate("file:///etc/passwd").await.unwrap_err();
    assert!(matches!(denied, PageError::Denied(_)), "{denied:?}");
    page.close().await.unwrap();
    szk.close_session("work").await;
}
