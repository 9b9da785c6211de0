//! The same rules for every kind of step: an answer is good for one call, once and in time, and no input
//! gives it.

use szk_page::act::Foreseen;
use szk_wire::events::EventLine;
use tokio::time::Instant;

use super::*;

const CLICK: &str = "browser_act";

/// A kind, a call that does it, and the same operation with something else in it.
fn cases(file: &str) -> Vec<(&'static str, &'static str, Value, Value)> {
    vec![
        (
            "code",
            "browser_run_code",
            json!({"code": "document.secretThing"}),
            json!({"code": "document.other"}),
        ),
        (
            "upload",
            "browser_arm",
            json!({"event": "chooser", "paths": [file]}),
            json!({"event": "chooser", "paths": [file, file]}),
        ),
        (
            "login",
            "workflow_login",
            json!({"username": "jane", "secret": "shop"}),
            json!({"username": "jane", "secret": "bank"}),
        ),
        (
            "submit",
            "workflow_fill_form",
            json!({"fields": [{"field": "Amount", "value": "1"}], "submit": true}),
            json!({"fields": [{"field": "Amount", "value": "100"}], "submit": true}),
        ),
        (
            "origin",
            "browser_navigate",
            json!({"url": "http://b.example/"}),
            json!({"url": "http://c.example/"}),
        ),
        (
            "close",
            "browser_tabs",
            json!({"action": "close", "tab": "t1"}),
            json!({"action": "close", "tab": "t2"}),
        ),
        ("close", "session_close", json!({}), json!({"force": true})),
    ]
}

async fn scripted(kind: &str) -> Scripted {
    let policy = format!("[policy]\napprove = [\"{kind}\"]\napprove_seconds = 60\n");
    Scripted::configured(browser(json!({})), &policy).await
}

async fn make(
    scripted: &Scripted,
    approver: Approver,
    operation: &str,
    input: &Value,
) -> Result<Value, Failure> {
    let call = Call::decode(operation, input.clone()).unwrap();
    let keeper = scripted.keeper.for_client(Client::named("a"), approver);
    let answer = handle::call(&keeper, call, Found::Open, &|_| {}).await;
    answer.map(|response| response.data)
}

/// How often something was begun that a person can see; readings of the keeper's own may come at any time.
fn begun(scripted: &Scripted) -> usize {
    let calls = scripted.peer.calls().into_iter();
    let begun = calls.filter(|call| {
        let method = call.method.as_str();
        method.starts_with("Input.")
            || method.contains("FileChooser")
            || ["Page.navigate", "Target.closeTarget", "Browser.close"].contains(&method)
            || call.params.to_string().contains("document.secretThing")
    });
    begun.count()
}

/// Nothing begins, and the answer holds nothing that a model could use.
async fn is_refused(scripted: &Scripted, approver: Approver, operation: &str, input: &Value) {
    let before = begun(scripted);
    let failure = make(scripted, approver, operation, input)
        .await
        .unwrap_err();
    assert_eq!(failure.code, Code::NeedsApproval, "{operation}: {failure}");
    assert_eq!(failure.effect, Done::None, "{operation}");
    assert_eq!(failure.approval, None, "{operation}");
    assert_eq!(begun(scripted), before, "{operation} began");
}

async fn token_for(scripted: &Scripted, operation: &str, input: &Value) -> Approver {
    let failure = make(scripted, Approver::Person, operation, input).await;
    let failure = failure.unwrap_err();
    assert_eq!(failure.code, Code::NeedsApproval, "{operation}: {failure}");
    let token = failure.approval.clone().unwrap().token;
    let shown = serde_json::to_string(&failure).unwrap();
    assert!(!shown.contains(&token), "a model reads the token: {shown}");
    let told = scripted.keeper.events.reader(Some(0)).ready();
    let tells = |told: &EventLine| matches!(told, EventLine::Event(event) if matches!(&event.what, Happening::ApprovalAsked { client, what } if client == "a" && failure.message.ends_with(what)));
    assert!(told.iter().any(tells), "{told:?}");
    Approver::Agreed(token)
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_good_for_one_call_of_its_kind_once_and_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.txt");
    std::fs::write(&file, "1").unwrap();
    for (kind, operation, input, other) in cases(&file.display().to_string()) {
        let scripted = scripted(kind).await;
        // Nobody can be asked: of a model that makes calls by itself, nothing is approved.
        is_refused(&scripted, Approver::Nobody, operation, &input).await;
        is_refused(
            &scripted,
            Approver::Agreed("1".repeat(64)),
            operation,
            &input,
        )
        .await;

        // The same operation with something else in it, and then it is used up.
        let agreed = token_for(&scripted, operation, &input).await;
        is_refused(&scripted, agreed.clone(), operation, &other).await;
        is_refused(&scripted, agreed, operation, &input).await;

        // Too late.
        let agreed = token_for(&scripted, operation, &input).await;
        tokio::time::advance(Duration::from_secs(61)).await;
        is_refused(&scripted, agreed, operation, &input).await;

        // In time: whatever comes of it in a scripted page, which may be nothing for long, it begins.
        let agreed = token_for(&scripted, operation, &input).await;
        let made = make(&scripted, agreed, operation, &input);
        let refused = match tokio::time::timeout(Duration::from_secs(600), made).await {
            Ok(Err(failure)) => failure.code == Code::NeedsApproval,
            Ok(Ok(_)) | Err(_) => false,
        };
        assert!(!refused, "{operation}");
    }
}

#[test]
fn no_input_approves_anything() {
    let call = json!({"code": "1", "approval": "1"});
    for (name, input) in [
        ("browser_run_code", call),
        (CLICK, json!({"kind": "click", "approved": true})),
    ] {
        let failure = Call::decode(name, input).unwrap_err();
        assert_eq!(failure.code, Code::InvalidInput, "{failure}");
    }
}

/// What an element does by itself is known only once it is found: a token covers what the person has read.
#[tokio::test(start_paused = true)]
async fn a_form_or_link_that_changes_after_the_question_is_asked_about_again() {
    let click = json!({"kind": "click", "selector": "button"});
    for kind in ["submit", "origin"] {
        let scripted = scripted(kind).await;
        let known = |to: &str| {
            let to = Some(to.to_owned());
            let (submits, leads) = match kind {
                "submit" => (to, None),
                _ => (None, to),
            };
            Foreseen {
                submits,
                leads,
                name: "Send".to_owned(),
                unseen: false,
            }
        };
        let press = async |approver: Approver, to: &str| {
            let keeper = scripted.keeper.for_client(Client::named("a"), approver);
            let call = Call::decode(CLICK, click.clone()).unwrap();
            let minute = Duration::from_secs(60);
            check(&keeper, &call, minute).await.unwrap();
            foreseen(
                &keeper,
                "http://a.example/",
                known(to),
                Instant::now() + minute,
            )
            .await
        };
        let token = |asked: Result<(), Failure>, to: &str| {
            let failure = asked.unwrap_err();
            assert_eq!(failure.code, Code::NeedsApproval, "{failure}");
            assert!(failure.message.contains(to), "{failure}");
            Approver::Agreed(failure.approval.unwrap().token)
        };
        let (one, two) = ("http://b.example/1", "http://c.example/2");
        let agreed = token(press(Approver::Person, one).await, one);
        assert!(press(agreed, one).await.is_ok());

        // Meanwhile it has become another: the person has not read about that one.
        let agreed = token(press(Approver::Person, one).await, one);
        let both = token(press(agreed, two).await, two);
        assert!(press(both, two).await.is_ok());

        let late = token(press(Approver::Person, one).await, one);
        tokio::time::advance(Duration::from_secs(61)).await;
        let failure = press(late, one).await.unwrap_err();
        assert!(failure.approval.is_none(), "{failure}");
        let failure = press(Approver::Nobody, one).await.unwrap_err();
        assert!(failure.approval.is_none(), "{failure}");
    }
}

/// A call that may download files of these names.
fn downloading(names: &[&str]) -> OneCall {
    OneCall {
        digest: Vec::new(),
        at: String::new(),
        agreed: Vec::new(),
        good: true,
        allowed: names.iter().map(|name| (*name).to_owned()).collect(),
    }
}

#[tokio::test(start_paused = true)]
async fn a_download_is_permitted_by_name_once_and_for_a_while() {
    let scripted = scripted("download").await;
    let keeper = scripted
        .keeper
        .for_client(Client::named("a"), Approver::Nobody);
    let (running, tab) = keeper.peek(None).unwrap();
    let begin = |names: &[&str]| {
        *keeper.asked.lock() = Some(downloading(names));
        Watching::begin(&keeper, &running.supervisor, &tab)
    };
    let may = |name: &str| keeper.permits.allow(TARGET, name);
    assert_eq!(
        may("a.txt"),
        None,
        "no call is running in that tab, so it is not a call's download"
    );
    let watching = begin(&["a.txt"]);
    assert_eq!(may("b.txt"), Some(false));
    assert_eq!(may("a.txt"), Some(true));
    assert_eq!(may("a.txt"), Some(false), "once");
    drop(watching);
    assert_eq!(
        may("a.txt"),
        Some(false),
        "what the act began may come later"
    );
    tokio::time::advance(Duration::from_secs(11)).await;
    assert_eq!(may("a.txt"), None);
    // What began without an approval fails the call, whatever it did.
    let failure = begin(&[]).end(vec!["b.txt".to_owned()]).await.unwrap_err();
    assert_eq!(failure.code, Code::NeedsApproval, "{failure}");
    assert!(failure.message.contains("b.txt"), "{failure}");
}

#[tokio::test(start_paused = true)]
async fn calls_in_one_tab_have_permits_of_their_own() {
    let scripted = scripted("download").await;
    let keeper = scripted
        .keeper
        .for_client(Client::named("a"), Approver::Nobody);
    let (running, tab) = keeper.peek(None).unwrap();
    let begin = |names: &[&str]| {
        *keeper.asked.lock() = Some(downloading(names));
        Watching::begin(&keeper, &running.supervisor, &tab)
    };
    let may = |name: &str| keeper.permits.allow(TARGET, name);
    let (act, navigation) = (begin(&["a.txt", "c.txt"]), begin(&["b.txt"]));
    assert_eq!(
        may("a.txt"),
        Some(true),
        "the later call has not replaced it"
    );
    drop(navigation);
    tokio::time::advance(Duration::from_secs(11)).await;
    assert_eq!(
        may("b.txt"),
        Some(false),
        "that call is over, the other goes on"
    );
    assert_eq!(
        may("c.txt"),
        Some(true),
        "the end of the other has not dated it"
    );
    drop(act);
    tokio::time::advance(Duration::from_secs(11)).await;
    assert_eq!(may("c.txt"), None);
}

#[tokio::test(start_paused = true)]
async fn a_question_in_the_live_view_without_an_answer_is_a_no() {
    let people = People::default();
    let open = people.watch();
    let ask = || people.ask("a".into(), "delete all".into(), Duration::from_secs(60));
    assert_eq!(ask().await, None);
    assert!(open.borrow().is_empty(), "it is taken back");
    // An answer to an old question, and a second one, count for nothing.
    people.answer(1, true);
    let answers = async {
        people.answer(2, false);
        people.answer(2, true);
    };
    let (answer, ()) = tokio::join!(ask(), answers);
    assert_eq!(answer, Some(false));
}
