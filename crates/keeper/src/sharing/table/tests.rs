//! Who gets which tab, and who is refused.

use super::*;

const HOLD: Duration = Duration::from_secs(60);

fn client(name: &str) -> Client {
    Client {
        id: name.to_owned(),
        name: format!("Agent {name}"),
        process: None,
        front: None,
        token: None,
    }
}

fn tab(number: u32) -> SharedTab {
    SharedTab {
        id: format!("t{number}"),
        target: format!("T{number}"),
        opener: None,
        program: None,
    }
}

fn open(count: u32) -> Vec<SharedTab> {
    (1..=count).map(tab).collect()
}

/// A table with these clients connected.
fn with(names: &[&str]) -> Table {
    let mut table = Table::new(HOLD);
    for name in names {
        table.enter(&client(name));
    }
    table
}

fn got(table: &mut Table, name: &str, open: &[SharedTab], current: &str) -> Option<String> {
    let own = table.own(&client(name), open);
    own.or_else(|| Some(table.claim(&client(name), open, current)?.0))
}

#[track_caller]
fn writes(table: &mut Table, name: &str, number: u32) {
    let written = table.write(&client(name), &tab(number), false);
    written.unwrap_or_else(|failure| panic!("{failure}"));
    table.wrote(&client(name), &format!("t{number}"));
}

#[tokio::test(start_paused = true)]
async fn a_client_keeps_its_tab_and_another_needs_one_of_its_own() {
    let mut table = with(&["a", "b"]);
    let one = open(1);
    assert_eq!(got(&mut table, "a", &one, "t1").as_deref(), Some("t1"));
    assert_eq!(got(&mut table, "b", &one, "t1"), None);
    let two = open(2);
    assert!(table.look(&client("b"), &tab(2), &two).is_some());
    assert_eq!(got(&mut table, "b", &two, "t2").as_deref(), Some("t2"));
    // Whichever tab was used last in the session.
    assert_eq!(got(&mut table, "a", &two, "t2").as_deref(), Some("t1"));
    // Looking at another's tab does not move there.
    assert!(table.look(&client("a"), &tab(2), &two).is_none());
    assert_eq!(got(&mut table, "a", &two, "t2").as_deref(), Some("t1"));
}

#[test]
fn a_tab_that_a_call_opened_for_itself_is_nobody_elses() {
    let mut table = with(&["a", "b"]);
    let two = open(2);
    assert!(table.look(&client("a"), &tab(1), &two).is_some());
    table.look(&client("a"), &tab(2), &two);
    table.keep_private("t2", true);
    assert_eq!(got(&mut table, "a", &two, "t2").as_deref(), Some("t1"));
    assert_eq!(got(&mut table, "b", &two, "t2"), None);
    table.keep_private("t2", false);
    table.look(&client("a"), &tab(2), &two);
    assert_eq!(got(&mut table, "a", &two, "t2").as_deref(), Some("t2"));
}

#[tokio::test(start_paused = true)]
async fn a_held_tab_is_refused_until_it_is_free_or_taken() {
    let mut table = with(&["a", "b"]);
    writes(&mut table, "a", 1);
    let refused = table.write(&client("b"), &tab(1), false).unwrap_err();
    assert_eq!(refused.code, Code::TabTaken);
    assert!(
        refused.message.starts_with("Agent a has worked in t1"),
        "{refused}"
    );
    assert!(refused.hint.unwrap().contains("`take` true"));
    tokio::time::advance(HOLD + Duration::from_secs(1)).await;
    writes(&mut table, "b", 1);
    let taken = table.write(&client("a"), &tab(1), true).unwrap().unwrap();
    assert_eq!(taken.from.as_deref(), Some("Agent b"));
    let lost = table.still(&client("b"), &tab(1)).unwrap_err();
    assert_eq!((lost.code, lost.effect), (Code::TabTaken, Done::Unknown));
    assert!(table.still(&client("a"), &tab(1)).is_ok());
    // While it runs, it holds the tab however long it takes.
    tokio::time::advance(HOLD * 10).await;
    assert!(table.write(&client("b"), &tab(1), false).is_err());
    // Who lost its tab has none.
    assert_eq!(got(&mut table, "b", &open(1), "t1"), None);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_gives_its_tabs_up() {
    let mut table = with(&["a", "b"]);
    writes(&mut table, "a", 1);
    table.leave(&client("a"));
    assert_eq!(got(&mut table, "b", &open(1), "t1").as_deref(), Some("t1"));
    assert_eq!(table.others(&client("b")), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_token_that_comes_back_finds_its_tab_unless_another_needed_it() {
    let mut table = with(&["token-a", "b"]);
    writes(&mut table, "token-a", 1);
    tokio::time::advance(HOLD + Duration::from_secs(1)).await;
    table.leave(&client("token-a"));
    assert_eq!(table.others(&client("b")), Vec::<String>::new());
    assert_eq!(table.owner(&tab(1), &open(2)), None);
    let found = got(&mut table, "token-a", &open(2), "t2");
    assert_eq!(found.as_deref(), Some("t1"));
    assert_eq!(got(&mut table, "b", &open(2), "t1").as_deref(), Some("t1"));
    assert_eq!(table.own(&client("token-a"), &open(2)), None);
}

#[tokio::test(start_paused = true)]
async fn a_client_of_single_calls_has_a_tab_as_long_as_it_holds_it() {
    let mut table = with(&["a"]);
    writes(&mut table, "terminal", 1);
    assert_eq!(got(&mut table, "a", &open(1), "t1"), None);
    assert_eq!(table.others(&client("a")), ["Agent terminal"]);
    assert_eq!(table.present().len(), 1);
    tokio::time::advance(HOLD + Duration::from_secs(1)).await;
    // It still finds its own tab, until somebody else needs one.
    assert_eq!(
        got(&mut table, "terminal", &open(2), "t2").as_deref(),
        Some("t1")
    );
    assert_eq!(got(&mut table, "a", &open(1), "t1").as_deref(), Some("t1"));
}

#[tokio::test(start_paused = true)]
async fn a_client_whose_process_is_gone_holds_nothing() {
    let mut table = with(&["a"]);
    let mut gone = client("terminal");
    gone.process = Some(szk_wire::Process {
        pid: std::process::id(),
        started: Some(1),
    });
    table.write(&gone, &tab(1), false).unwrap();
    table.wrote(&gone, "t1");
    assert!(table.write(&client("a"), &tab(1), false).is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_popup_belongs_to_whoever_has_its_opener_and_a_programs_page_to_the_program() {
    let mut table = with(&["a", "b"]);
    let mut tabs = open(3);
    tabs[1].opener = Some("T1".to_owned());
    tabs[2].program = Some("Playwright (endpoint)".to_owned());
    writes(&mut table, "a", 1);
    assert_eq!(got(&mut table, "b", &tabs, "t2"), None);
    assert_eq!(got(&mut table, "b", &tabs, "t3"), None);
    assert_eq!(table.owner(&tabs[1], &tabs).as_deref(), Some("Agent a"));
    assert_eq!(
        table.owner(&tabs[2], &tabs).as_deref(),
        Some("Playwright (endpoint)")
    );
}

#[tokio::test(start_paused = true)]
async fn a_closed_tab_is_followed_by_another_of_the_same_client() {
    let mut table = with(&["a", "b"]);
    for number in 1..=3 {
        writes(&mut table, "a", number);
    }
    writes(&mut table, "b", 4);
    let without_the_third = [tab(1), tab(2), tab(4)];
    let found = got(&mut table, "a", &without_the_third, "t4");
    assert_eq!(found.as_deref(), Some("t2"));
}

#[tokio::test(start_paused = true)]
async fn clients_that_come_and_go_leave_nothing_behind() {
    let mut table = with(&[]);
    for number in 0..1000 {
        writes(&mut table, &format!("c{number}"), number);
    }
    let _ = table.own(&client("a"), &open(1));
    assert!(table.tabs.len() <= 1 && table.clients.len() <= 1);
}
