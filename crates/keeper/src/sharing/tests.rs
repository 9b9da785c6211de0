//! Two clients at the keeper of a scripted browser.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use szk_cdp::testing::Answer;
use szk_tools::{Call, Code, Failure, Response};
use szk_wire::approvals::Approver;
use szk_wire::events::{EventLine, Happening};
use szk_wire::{Client, Found};

use crate::context::Keeper;
use crate::handle;
use crate::testing::{Scripted, browser, loads};

async fn scripted() -> Scripted {
    configured("").await
}

async fn configured(config: &str) -> Scripted {
    let document = json!({"url": "http://a/", "title": "A", "status": 200});
    let script = browser(document).answer_with(|call| {
        let session = call.session.as_deref()?;
        (call.method == "Page.navigate").then(|| match call.params["url"] == "http://bad/" {
            true => Answer::error(-32000, "Cannot navigate to invalid URL"),
            false => loads(session, "L"),
        })
    });
    let scripted = Scripted::configured(script, config).await;
    for name in ["a", "b"] {
        scripted.keeper.sharing.enter(&Client::named(name));
    }
    scripted
}

async fn call(
    keeper: &Arc<Keeper>,
    client: &str,
    operation: &str,
    input: Value,
) -> Result<Response, Failure> {
    let keeper = keeper.for_client(Client::named(client), Approver::Nobody);
    let call = Call::decode(operation, input).unwrap();
    handle::call(&keeper, call, Found::Open, &|_| {}).await
}

fn to(url: &str, tab: Option<&str>) -> Value {
    let mut input = json!({ "url": url });
    if let Some(tab) = tab {
        input["tab"] = tab.into();
    }
    input
}

#[tokio::test]
async fn a_failure_says_that_a_tab_was_opened_for_its_call() {
    let scripted = scripted().await;
    let keeper = &scripted.keeper;
    let going = call(keeper, "a", "browser_navigate", to("http://a/", None));
    going.await.unwrap();
    let opened = "(opened t2 for you, in a window of its own: a works in t1)";
    let failed = call(keeper, "b", "browser_navigate", to("http://bad/", None));
    let failure = failed.await.unwrap_err();
    assert_eq!(failure.code, Code::InvalidInput);
    assert!(failure.message.ends_with(opened), "{failure}");
    // Once: it has the tab from then on.
    let failed = call(keeper, "b", "browser_navigate", to("http://bad/", None));
    let failure = failed.await.unwrap_err();
    assert!(!failure.message.contains("opened"), "{failure}");
    // The same in a batch.
    keeper.sharing.enter(&Client::named("c"));
    let steps = json!({"steps": [{"tool": "browser_navigate", "input": to("http://bad/", None)}]});
    let failed = call(keeper, "c", "browser_batch", steps).await;
    let failure = failed.unwrap_err();
    assert!(failure.message.contains("(opened t3 for you"), "{failure}");
}

#[tokio::test]
async fn a_label_of_another_clients_tab_stays_there() {
    let scripted = scripted().await;
    let keeper = &scripted.keeper;
    let go = call(keeper, "a", "browser_navigate", to("http://a/", None));
    go.await.unwrap();
    let label = json!({"action": "label", "tab": "t1", "label": "shop"});
    call(keeper, "a", "browser_tabs", label).await.unwrap();
    let open = |label: &str| json!({"action": "open", "label": label});
    let refused = call(keeper, "b", "browser_tabs", open("shop")).await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code, Code::TabTaken, "{refused}");
    assert!(refused.message.contains("t1, which a uses"), "{refused}");
    assert!(scripted.calls("Target.createTarget").is_empty());
    call(keeper, "b", "browser_tabs", open("mine"))
        .await
        .unwrap();
    let label = json!({"action": "label", "tab": "t2", "label": "shop"});
    let refused = call(keeper, "b", "browser_tabs", label).await.unwrap_err();
    assert_eq!(refused.code, Code::TabTaken, "{refused}");
    let rows = call(keeper, "b", "browser_tabs", json!({})).await.unwrap();
    assert_eq!(rows.data["tabs"][0]["label"], "shop");
    assert_eq!(rows.data["tabs"][1]["label"], "mine");
}

#[tokio::test]
async fn the_second_client_gets_a_window_and_is_kept_out_of_the_firsts_tab() {
    let scripted = scripted().await;
    let keeper = &scripted.keeper;
    let go = async |client: &str, tab| {
        call(keeper, client, "browser_navigate", to("http://a/", tab)).await
    };
    assert_eq!(go("a", None).await.unwrap().data["tab"], "t1");
    let second = go("b", None).await.unwrap();
    assert_eq!(second.data["tab"], "t2");
    assert!(
        second
            .summary
            .contains("opened t2 for you, in a window of its own: a works in t1"),
        "{}",
        second.summary
    );
    let created = scripted.calls("Target.createTarget");
    assert_eq!(created.len(), 1);
    assert_eq!(created[0]["newWindow"], true);
    // Whoever acted last, each goes on in its own.
    assert_eq!(go("a", None).await.unwrap().data["tab"], "t1");
    assert_eq!(go("b", None).await.unwrap().data["tab"], "t2");

    let before = scripted.calls("Page.navigate").len();
    let refused = go("b", Some("t1")).await.unwrap_err();
    assert_eq!(refused.code, Code::TabTaken, "{refused}");
    assert_eq!(scripted.calls("Page.navigate").len(), before);
    let looked = call(keeper, "b", "browser_logs", json!({"tab": "t1"})).await;
    assert!(looked.is_ok(), "{looked:?}");

    let take = json!({"action": "focus", "tab": "t1", "take": true});
    let taken = call(keeper, "b", "browser_tabs", take).await.unwrap();
    assert!(
        taken.summary.contains("took t1 from a"),
        "{}",
        taken.summary
    );
    assert_eq!(go("b", None).await.unwrap().data["tab"], "t1");
    assert_eq!(go("a", None).await.unwrap().data["tab"], "t3");
}

#[tokio::test]
async fn clients_that_begin_at_once_get_a_tab_each() {
    let scripted = scripted().await;
    let names: Vec<String> = (0..8).map(|number| format!("c{number}")).collect();
    let begun = names.iter().map(|name| {
        scripted.keeper.sharing.enter(&Client::named(name));
        call(
            &scripted.keeper,
            name,
            "browser_navigate",
            to("http://a/", None),
        )
    });
    let done = futures_util::future::join_all(begun).await;
    let tabs: std::collections::BTreeSet<String> = done
        .into_iter()
        .map(|done| done.unwrap().data["tab"].to_string())
        .collect();
    assert_eq!(tabs.len(), names.len(), "{tabs:?}");
}

#[tokio::test]
async fn the_steps_of_a_batch_are_its_clients() {
    let scripted = scripted().await;
    let keeper = &scripted.keeper;
    let steps = json!([{"tool": "browser_navigate", "input": {"url": "http://a/"}}]);
    let batch = json!({ "steps": steps });
    let first = call(keeper, "a", "browser_batch", batch.clone()).await;
    assert_eq!(first.unwrap().data["steps"][0]["data"]["tab"], "t1");
    let second = call(keeper, "b", "browser_batch", batch).await;
    assert_eq!(second.unwrap().data["steps"][0]["data"]["tab"], "t2");
    let named = json!({"tab": "t1", "steps": steps});
    let refused = call(keeper, "b", "browser_batch", named).await;
    assert_eq!(refused.unwrap_err().code, Code::TabTaken);
}

#[tokio::test(start_paused = true)]
async fn a_tab_is_held_for_as_long_as_the_configuration_says() {
    let scripted = configured("[session]\nhold_seconds = 5\n").await;
    let keeper = &scripted.keeper;
    let go = async |client: &str| {
        call(
            keeper,
            client,
            "browser_navigate",
            to("http://a/", Some("t1")),
        )
        .await
    };
    go("a").await.unwrap();
    let refused = go("b").await.unwrap_err();
    assert_eq!(refused.code, Code::TabTaken, "{refused}");
    assert!(refused.message.contains("free in"), "{refused}");
    tokio::time::advance(Duration::from_secs(6)).await;
    go("b").await.unwrap();
    assert_eq!(go("a").await.unwrap_err().code, Code::TabTaken);
}

#[tokio::test]
async fn closing_beneath_others_is_refused() {
    let scripted = scripted().await;
    let keeper = &scripted.keeper;
    let refused = call(keeper, "a", "session_close", json!({})).await;
    let refused = refused.unwrap_err();
    assert_eq!(
        (refused.code, refused.retryable),
        (Code::SessionBusy, false)
    );
    assert!(refused.message.ends_with("is in use by b"), "{refused}");
    let told = keeper.events.reader(Some(0)).ready();
    let closing = |told: &EventLine| match told {
        EventLine::Event(event) => matches!(event.what, Happening::Closing { .. }),
        EventLine::Missed(_) => false,
    };
    assert!(!told.iter().any(closing));
    // Alone it may; the scripted browser does not end, so only the beginning is awaited.
    keeper.sharing.leave(&Client::named("b"));
    let mut reader = keeper.events.reader(Some(0));
    let begins = async { while !reader.next().await.iter().any(closing) {} };
    tokio::select! {
        closed = call(keeper, "a", "session_close", json!({})) => panic!("{closed:?}"),
        () = begins => {}
    }
}

#[tokio::test]
async fn a_tab_is_listed_with_whoever_has_it() {
    let scripted = scripted().await;
    let keeper = &scripted.keeper;
    for client in ["a", "b"] {
        let went = call(keeper, client, "browser_navigate", to("http://a/", None)).await;
        went.unwrap();
    }
    let listed = call(keeper, "a", "browser_tabs", json!({})).await.unwrap();
    let rows = &listed.data["tabs"];
    let row = |at: usize| {
        let row = &rows[at];
        (
            row["current"].clone(),
            row["yours"].clone(),
            row["client"].clone(),
        )
    };
    assert_eq!(row(0), (json!(true), json!(true), Value::Null));
    assert_eq!(row(1), (json!(false), Value::Null, json!("b")));
    assert!(
        listed.summary.contains("- t2 (used by b)"),
        "{}",
        listed.summary
    );
}
