//! Who answers which dialog, on a scripted browser. The clock is paused: it jumps when everybody waits.

use serde_json::{Value, json};
use szk_cdp::testing::Answer;
use szk_page::act::Answering;
use szk_page::event_log::{Kind, Query, What};
use szk_page::input::Pace;
use tokio::time::Instant;

use super::*;
use crate::testing::{PAGE, Scripted, TARGET, browser};

const CLOSE: &str = "Page.handleJavaScriptDialog";

async fn scripted(config: &str) -> Scripted {
    Scripted::configured(browser(json!({})), config).await
}

/// The answer to a dialog of a kind, and after how many milliseconds it is given.
async fn answered(scripted: &Scripted, kind: &str) -> (Value, u128) {
    let opened = Instant::now();
    scripted.opens_dialog(kind);
    let call = scripted.peer.call(CLOSE, 1).await.unwrap();
    (call.params, opened.elapsed().as_millis())
}

#[tokio::test(start_paused = true)]
async fn an_alert_is_accepted_once_it_could_have_been_read() {
    let scripted = scripted("").await;
    let (answer, after) = answered(&scripted, "alert").await;
    assert_eq!((answer, after), (json!({"accept": true}), 900));
}

#[tokio::test(start_paused = true)]
async fn a_question_is_held_and_dismissed_when_nobody_answers() {
    let scripted = scripted("[session]\ndialog_seconds = 7\n").await;
    scripted.opens_dialog("confirm");
    let prompt = scripted.open_dialog().await;
    let opened = Instant::now();
    let call = scripted.peer.call(CLOSE, 1).await.unwrap();
    assert_eq!(call.params, json!({"accept": false}));
    assert_eq!(opened.elapsed().as_secs(), 7);
    // The next call reports it, once.
    let mut changes = scripted.keeper.event_log.changes();
    let told = loop {
        changes.borrow_and_update();
        let told = scripted.keeper.slots.take_expired();
        if !told.is_empty() {
            break told;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("without an answer for 7 s"), "{told:?}");
    assert!(prompt.tab.is_some());
}

#[tokio::test(start_paused = true)]
async fn the_configuration_answers_all_questions_at_once() {
    for (dialogs, accept) in [("accept", true), ("dismiss", false)] {
        let scripted = scripted(&format!("[session]\ndialogs = \"{dialogs}\"\n")).await;
        let (answer, after) = answered(&scripted, "confirm").await;
        assert_eq!((answer, after), (json!({"accept": accept}), 0), "{dialogs}");
    }
}

/// It is closed while the answer is on its way.
#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_too_late_says_what_became_of_the_dialog() {
    for (accept, how) in [(false, "it was dismissed"), (true, "it was accepted")] {
        let closed = json!({"frameId": TARGET, "result": accept, "userInput": ""});
        let refused = Answer::error(-32602, "No dialog is showing").event(
            Some(PAGE),
            "Page.javascriptDialogClosed",
            closed,
        );
        let script = browser(json!({})).nth(CLOSE, 1, refused);
        let scripted = Scripted::on(script).await;
        scripted.opens_dialog("confirm");
        scripted.open_dialog().await;
        let failure = arm(&scripted.keeper, dialog(true)).await.unwrap_err();
        assert_eq!(failure.code, Code::NotFound, "{failure}");
        assert_eq!(failure.effect, Done::None, "{failure}");
        assert!(failure.message.contains(how), "{failure}");
    }
}

fn event(name: &str) -> ArmInput {
    serde_json::from_value(json!({"event": name})).unwrap()
}

fn dialog(accept: bool) -> ArmInput {
    ArmInput {
        accept: Some(accept),
        ..event("dialog")
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_ready_is_used_once() {
    let scripted = scripted("").await;
    let input = ArmInput {
        text: Some("yes".to_owned()),
        ..dialog(true)
    };
    let armed = arm(&scripted.keeper, input).await.unwrap();
    assert!(!armed.read::<Arm>().unwrap().answered);
    let (answer, after) = answered(&scripted, "prompt").await;
    assert_eq!(answer, json!({"accept": true, "promptText": "yes"}));
    assert_eq!(after, 0);
    // The next one is a question again.
    let opened = Instant::now();
    scripted.opens_dialog("prompt");
    let call = scripted.peer.call(CLOSE, 2).await.unwrap();
    assert_eq!(call.params, json!({"accept": false}));
    assert_eq!(opened.elapsed().as_secs(), 30);
}

/// OK gives what the field holds; an empty text is given by saying so.
#[tokio::test(start_paused = true)]
async fn a_prompt_that_is_accepted_without_a_text_has_its_own() {
    let armed = async |text: Option<&str>| {
        let scripted = scripted("").await;
        let input = ArmInput {
            text: text.map(str::to_owned),
            ..dialog(true)
        };
        arm(&scripted.keeper, input).await.unwrap();
        scripted.opens_prompt("def");
        scripted.peer.call(CLOSE, 1).await.unwrap().params
    };
    let given = |text: &str| json!({"accept": true, "promptText": text});
    assert_eq!(armed(None).await, given("def"));
    assert_eq!(armed(Some("")).await, given(""));
    // What an act says of its own dialogs, and what is configured.
    let acting = scripted("").await;
    let answering = Answering {
        accept: Some(true),
        ..Answering::default()
    };
    let _act = acting
        .keeper
        .slots
        .during(TARGET, underway(answering, Pace::Fast));
    let configured = scripted("[session]\ndialogs = \"accept\"\n").await;
    for scripted in [&acting, &configured] {
        scripted.opens_prompt("def");
        let call = scripted.peer.call(CLOSE, 1).await.unwrap();
        assert_eq!(call.params, given("def"));
    }
}

#[tokio::test]
async fn a_download_is_armed_for_only_where_a_file_can_be() {
    let scripted = scripted("").await;
    let folder = tempfile::tempdir().unwrap();
    let at = |path: std::path::PathBuf| ArmInput {
        path: Some(path),
        ..event("download")
    };
    for (path, code) in [
        ("/nope/x/y.pdf".into(), Code::InvalidInput),
        (folder.path().to_owned(), Code::InvalidInput),
        ("y.pdf".into(), Code::InvalidInput),
    ] {
        let failure = arm(&scripted.keeper, at(path)).await.unwrap_err();
        assert_eq!(failure.code, code, "{failure}");
        assert!(
            !scripted.keeper.slots.holds(TARGET, ArmEvent::Download),
            "{failure}"
        );
    }
    arm(&scripted.keeper, at(folder.path().join("y.pdf")))
        .await
        .unwrap();
}

/// The notices and the last log entry after a download to this file, for which this answer was armed.
async fn downloaded(
    input: ArmInput,
    file: &Path,
    spoiled: impl FnOnce(),
) -> (String, szk_page::event_log::Download) {
    let scripted = scripted("").await;
    arm(&scripted.keeper, input).await.unwrap();
    spoiled();
    let begins =
        json!({"frameId": TARGET, "guid": "G", "url": "http://a/f", "suggestedFilename": "f"});
    let done = json!({"guid": "G", "receivedBytes": 4, "state": "completed", "filePath": file});
    // It is complete before anybody could refuse it.
    let peer = &scripted.peer;
    peer.event(Some(PAGE), "Page.downloadWillBegin", begins);
    peer.event(None, "Browser.downloadProgress", done);
    let mut changes = scripted.keeper.event_log.changes();
    loop {
        changes.borrow_and_update();
        let told = scripted.keeper.slots.take_expired();
        if let [told] = &told[..] {
            let found = scripted.keeper.event_log.read(&Query {
                kind: Some(Kind::Downloads),
                ..Query::default()
            });
            let Some(What::Download(last)) = found.entries.last().map(|entry| entry.what.clone())
            else {
                panic!("{found:?}");
            };
            return (told.clone(), last);
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_refused_download_that_was_faster_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f");
    std::fs::write(&file, "data").unwrap();
    let refused = ArmInput {
        accept: Some(false),
        ..event("download")
    };
    let (told, last) = downloaded(refused, &file, || ()).await;
    assert!(told.contains("its file was removed"), "{told}");
    assert_eq!((last.state.as_str(), last.path), ("canceled", None));
    assert!(!file.exists());
}

#[tokio::test]
async fn a_download_that_cannot_be_moved_is_told_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f");
    std::fs::write(&file, "data").unwrap();
    let gone = folder.path().join("gone");
    std::fs::create_dir(&gone).unwrap();
    let saved = ArmInput {
        path: Some(gone.join("f")),
        ..event("download")
    };
    let (told, _) = downloaded(saved, &file, || std::fs::remove_dir(&gone).unwrap()).await;
    assert!(told.contains("cannot be written"), "{told}");
    assert!(told.contains(&file.display().to_string()), "{told}");
    assert!(file.exists());
}

#[tokio::test]
async fn a_download_is_saved_beside_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f");
    std::fs::write(&file, "data").unwrap();
    let (taken, free) = (folder.path().join("a.pdf"), folder.path().join("a (1).pdf"));
    let saved = ArmInput {
        path: Some(taken.clone()),
        ..event("download")
    };
    // Somebody else was faster.
    let spoiled = || std::fs::write(&taken, "theirs").unwrap();
    let (told, last) = downloaded(saved, &file, spoiled).await;
    assert!(
        told.contains("a (1).pdf") && told.contains("already"),
        "{told}"
    );
    assert_eq!(last.path, Some(free.display().to_string()));
    assert_eq!(std::fs::read_to_string(&taken).unwrap(), "theirs");
    assert_eq!(std::fs::read_to_string(&free).unwrap(), "data");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_too_old_is_no_answer() {
    let scripted = scripted("").await;
    let input = ArmInput {
        seconds: Some(1),
        ..dialog(true)
    };
    arm(&scripted.keeper, input).await.unwrap();
    tokio::time::advance(Duration::from_secs(2)).await;
    let (answer, _) = answered(&scripted, "confirm").await;
    assert_eq!(answer, json!({"accept": false}));
}

#[tokio::test(start_paused = true)]
async fn a_dialog_that_is_open_is_answered_now() {
    let scripted = scripted("").await;
    scripted.opens_dialog("confirm");
    let prompt = scripted.open_dialog().await;
    let mut changes = scripted.keeper.event_log.changes();
    let held = || {
        let mut pending = scripted.keeper.event_log.pending().into_iter();
        pending.any(|one| one.id == prompt.id && one.held)
    };
    while !held() {
        changes.changed().await.unwrap();
    }
    let armed = arm(&scripted.keeper, dialog(true)).await.unwrap();
    assert!(armed.read::<Arm>().unwrap().answered);
    assert_eq!(scripted.calls(CLOSE), [json!({"accept": true})]);
}

#[tokio::test(start_paused = true)]
async fn an_act_answers_its_own_dialogs_before_anything_that_is_ready() {
    let scripted = scripted("").await;
    arm(&scripted.keeper, dialog(true)).await.unwrap();
    let answering = Answering {
        accept: Some(false),
        text: None,
        alone: false,
    };
    let act = underway(answering, Pace::Fast);
    let _act = scripted.keeper.slots.during(TARGET, act);
    let (answer, after) = answered(&scripted, "confirm").await;
    assert_eq!((answer, after), (json!({"accept": false}), 0));
}

fn underway(answering: Answering, pace: Pace) -> Underway {
    Underway {
        answering,
        uploads: false,
        pace,
    }
}

#[tokio::test(start_paused = true)]
async fn at_a_persons_pace_a_question_is_read_before_it_is_answered() {
    let scripted = scripted("").await;
    arm(&scripted.keeper, dialog(true)).await.unwrap();
    let act = underway(Answering::default(), Pace::Human);
    let _act = scripted.keeper.slots.during(TARGET, act);
    let (answer, after) = answered(&scripted, "confirm").await;
    assert_eq!((answer, after), (json!({"accept": true}), 900));
    // What a call says of its own dialogs, too.
    let answering = Answering {
        accept: Some(false),
        ..Answering::default()
    };
    let act = underway(answering, Pace::Human);
    let _act = scripted.keeper.slots.during(TARGET, act);
    let opened = Instant::now();
    scripted.opens_dialog("confirm");
    let call = scripted.peer.call(CLOSE, 2).await.unwrap();
    assert_eq!(call.params, json!({"accept": false}));
    assert_eq!(opened.elapsed().as_millis(), 900);
}

#[tokio::test(start_paused = true)]
async fn whoever_leaves_a_page_means_it() {
    let scripted = scripted("").await;
    let _leaving = scripted.keeper.slots.leaving(TARGET);
    let (answer, after) = answered(&scripted, "beforeunload").await;
    assert_eq!((answer, after), (json!({"accept": true}), 0));
    // A question of a document that is on its way out holds up the next one.
    let _departing = scripted.keeper.slots.departing(TARGET);
    scripted.opens_dialog("confirm");
    let call = scripted.peer.call(CLOSE, 2).await.unwrap();
    assert_eq!(call.params, json!({"accept": false}));
}

#[tokio::test]
async fn fields_of_another_event_are_a_mistake() {
    let scripted = scripted("").await;
    let input = ArmInput {
        paths: Some(vec!["/a".into()]),
        ..dialog(true)
    };
    let failure = arm(&scripted.keeper, input).await.unwrap_err();
    assert_eq!(failure.code, Code::InvalidInput);
    assert!(
        arm(&scripted.keeper, event("chooser")).await.is_err(),
        "no `paths`"
    );
}
