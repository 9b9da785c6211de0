//! Tabs of a scripted browser.

use super::*;
use crate::testing::{Scripted, TARGET, browser, loads};
use serde_json::json;
use szk_cdp::testing::Script;

fn ready() -> Script {
    let document = json!({"url": "http://a/", "title": "A", "status": 200});
    browser(document).answer("Page.navigate", loads("page2", "L"))
}

fn doing(action: TabsAction) -> TabsInput {
    TabsInput {
        action: Some(action),
        ..TabsInput::default()
    }
}

async fn ids(scripted: &Scripted) -> Vec<String> {
    let listed = tabs(&scripted.keeper, &doing(TabsAction::List)).await;
    let output = listed.unwrap().read::<Tabs>().unwrap();
    output.tabs.into_iter().map(|row| row.id).collect()
}

#[tokio::test]
async fn titles_are_those_that_pages_have_now() {
    let info = json!({"targetId": TARGET, "type": "page", "url": "about:blank", "title": "New"});
    let script = ready().answer("Target.getTargets", json!({"targetInfos": [info]}));
    let scripted = Scripted::on(script).await;
    let listed = tabs(&scripted.keeper, &doing(TabsAction::List)).await;
    let output = listed.unwrap().read::<Tabs>().unwrap();
    assert_eq!(output.tabs[0].title, "New");
}

#[tokio::test]
async fn a_tab_is_opened_labelled_and_found_by_its_label() {
    let scripted = Scripted::on(ready()).await;
    let input = TabsInput {
        label: Some("shop".to_owned()),
        url: Some("http://a/".to_owned()),
        ..doing(TabsAction::Open)
    };
    let opened = tabs(&scripted.keeper, &input).await.unwrap();
    let output = opened.read::<Tabs>().unwrap();
    assert_eq!(output.tab.as_deref(), Some("t2"));
    let row = output.tabs.iter().find(|row| row.id == "t2").unwrap();
    assert_eq!((row.label.as_deref(), row.current), (Some("shop"), true));
    let input = TabsInput {
        tab: Some("shop".to_owned()),
        ..doing(TabsAction::Focus)
    };
    let focused = tabs(&scripted.keeper, &input).await.unwrap();
    assert_eq!(focused.read::<Tabs>().unwrap().tab.as_deref(), Some("t2"));
    let mut fronts = scripted.peer.calls();
    fronts.retain(|call| call.method == "Page.bringToFront");
    let front = fronts.pop();
    assert_eq!(front.unwrap().session.as_deref(), Some("page2"));
}

#[tokio::test]
async fn what_is_wrong_opens_nothing() {
    let scripted = Scripted::on(ready()).await;
    for wrong in [
        TabsInput {
            label: Some("t7".to_owned()),
            ..doing(TabsAction::Open)
        },
        TabsInput {
            url: Some("not an address".to_owned()),
            ..doing(TabsAction::Open)
        },
        TabsInput {
            tab: Some("t1".to_owned()),
            ..doing(TabsAction::Open)
        },
    ] {
        let failure = tabs(&scripted.keeper, &wrong).await.unwrap_err();
        assert_eq!(failure.code, Code::InvalidInput, "{failure}");
    }
    assert!(scripted.calls("Target.createTarget").is_empty());
}

#[tokio::test]
async fn the_last_tab_is_followed_by_a_blank_one() {
    let scripted = Scripted::on(ready()).await;
    let closed = tabs(&scripted.keeper, &doing(TabsAction::Close)).await;
    assert!(closed.unwrap().summary.starts_with("closed t1"));
    assert_eq!(ids(&scripted).await, ["t2"]);
    let methods = scripted.peer.methods();
    let first = |method: &str| methods.iter().position(|one| one == method).unwrap();
    // A browser without a tab would end.
    assert!(first("Target.createTarget") < first("Target.closeTarget"));
}

#[tokio::test]
async fn a_tab_that_is_not_there_names_those_that_are() {
    let scripted = Scripted::on(ready()).await;
    let input = TabsInput {
        tab: Some("t9".to_owned()),
        ..doing(TabsAction::Close)
    };
    let failure = tabs(&scripted.keeper, &input).await.unwrap_err();
    assert_eq!(failure.code, Code::NotFound);
    assert!(failure.hint.unwrap().contains("t1"));
}

#[tokio::test]
async fn a_label_that_moves_or_goes_is_told_of() {
    let scripted = Scripted::on(ready()).await;
    let label = async |tab: &str, label: &str| {
        let input = TabsInput {
            tab: Some(tab.to_owned()),
            label: Some(label.to_owned()),
            ..doing(TabsAction::Label)
        };
        let told = tabs(&scripted.keeper, &input).await.unwrap().summary;
        told.lines().next().unwrap_or_default().to_owned()
    };
    let open = tabs(&scripted.keeper, &doing(TabsAction::Open)).await;
    open.unwrap();
    assert_eq!(label("t1", "").await, "t1 had no label");
    assert_eq!(label("t1", "shop").await, "t1 is `shop`");
    assert_eq!(label("t1", "shop").await, "t1 is `shop`");
    assert_eq!(label("t2", "shop").await, "t2 is `shop`; t1 no longer is");
    assert_eq!(label("t2", "").await, "t2 has no label now; it was `shop`");
}
