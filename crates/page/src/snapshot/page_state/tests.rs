use super::*;

fn told(report: &str) -> PageState {
    PageState::of(Mode::Full, Item::read_all(1, report))
}

#[track_caller]
fn check(old: &str, new: &str, near: Option<u32>, expected: &str) {
    let near = near.map(|number| Key { world: 1, number });
    let lines = told(old).changes(&told(new), &mut Refs::default(), near);
    assert_eq!(lines.join("\n"), expected);
}

#[test]
fn a_changed_node_is_one_line_under_what_it_is_in() {
    check(
        "0\tmain\t1\tr\t\t\t\t\n1\tbutton\t2\ti\tA\t\t\t\n1\tparagraph\t3\t\t\t\t\t\n2\ttext\t3\tt\tfour\t\t\t",
        "0\tmain\t1\tr\t\t\t\t\n1\tbutton\t2\ti\tA\tdisabled\t\t\n1\tparagraph\t3\t\t\t\t\t\n2\ttext\t3\tt\tfive\t\t\t\n1\tlink\t4\ti\tNext\t\t\t",
        None,
        "  - main\n~   - button \"A\" [e1] disabled\n~   - paragraph: five\n+   - link \"Next\" [e2]",
    );
    check("0\tlink\t1\ti\tA\t\t\t", "0\tlink\t1\ti\tA\t\t\t", None, "");
}

#[test]
fn a_node_put_in_place_of_another_is_a_new_one() {
    check(
        "0\tbutton\t1\ti\tA\t\t\t",
        "0\tbutton\t2\ti\tA\t\t\t",
        None,
        "- - button \"A\"\n+ - button \"A\" [e1]",
    );
    // Text is only what it says.
    check("0\ttext\t1\tt\tA\t\t\t", "0\ttext\t2\tt\tA\t\t\t", None, "");
}

#[test]
fn what_goes_away_together_is_one_line() {
    let links = |from: u32| -> String {
        (from..from + 12)
            .map(|nth| format!("0\tlink\t{nth}\ti\tDay {nth}\t\t\t\n"))
            .collect()
    };
    check(
        &format!("{}0\tbutton\t99\ti\tB\t\t\t", links(1)),
        "0\tbutton\t99\ti\tB\t\t\t",
        None,
        "- - (gone: 12 link: \"Day 1\" … \"Day 12\")",
    );
    let panel = "0\tdialog\t50\tr\tPick\t\t\t\n1\tlink\t51\ti\ta\t\t\t\n1\tlink\t52\ti\tb\t\t\t\n1\tlink\t53\ti\tc\t\t\t\n";
    check(
        &format!("{panel}0\tbutton\t99\ti\tB\t\t\t"),
        "0\tbutton\t99\ti\tB\t\t\t",
        None,
        "- - dialog \"Pick\", with 3 lines in it",
    );
}

#[test]
fn what_goes_away_here_and_there_is_one_line_before_what_came() {
    let rows = |from: u32, word: &str| -> String {
        (0..8)
            .map(|nth| {
                let (link, button) = (from + 2 * nth, from + 2 * nth + 1);
                format!(
                    "0\tlink\t{link}\ti\t{word} {nth}\t\t\t\n0\tbutton\t{button}\ti\tDelete\t\t\t\n"
                )
            })
            .collect()
    };
    let page = |from, word| format!("0\theading\t99\t\t{word}\t\t\t\n{}", rows(from, word));
    let now = told(&page(200, "New"));
    let lines = told(&page(100, "Old")).changes(&now, &mut Refs::default(), None);
    let gone = lines.iter().filter(|line| line.starts_with("- "));
    let gone: Vec<&String> = gone.collect();
    assert!(gone.len() == 1 && gone[0].contains("8 link"), "{lines:?}");
    assert_eq!(
        lines.iter().filter(|line| line.starts_with("+ ")).count(),
        16
    );
}

#[test]
fn what_the_caller_filled_is_not_news() {
    let page = |name: &str, age: &str, on: &str, size: [&str; 2]| {
        format!(
            "0\ttextbox\t1\ti\tName\t\t{name}\t\n0\tspinbutton\t2\ti\tAge\t{age}\t\n0\tcheckbox\t3\ti\tTerms\t{on}\t\t\n0\tcombobox\t4\ti\tSize\t\t\t\n1\toption\t5\t\tS\t{}\t\t\n1\toption\t6\t\tL\t{}\t\t",
            size[0], size[1]
        )
    };
    let mut before = told(&page("", "\t", "", ["selected", ""]));
    let now = told(&page("Ann", "invalid\t150", "checked", ["", "selected"]));
    let filled = (1..=4).map(|number| Key { world: 1, number }).collect();
    before.knows(&filled, &now);
    let lines = before.changes(&now, &mut Refs::default(), None);
    assert_eq!(lines, ["~ - spinbutton \"Age\" [e1] invalid: 150"]);
}

#[test]
fn alerts_come_first_then_what_is_near() {
    let page = |a: &str, b: &str, c: &str| {
        format!(
            "0\tbutton\t1\ti\t{a}\t\t\t\n0\tlink\t2\ti\tx\t\t\t\n0\tbutton\t3\ti\t{b}\t\t\t\n0\tlink\t4\ti\ty\t\t\t\n0\talert\t5\t\t\t\t\t\n1\ttext\t5\tt\t{c}\t\t\t"
        )
    };
    check(
        &page("A", "B", "fine"),
        &page("A2", "B2", "wrong"),
        Some(3),
        "~ - alert: wrong\n~ - button \"B2\" [e2]\n~ - button \"A2\" [e1]",
    );
}

#[test]
fn what_only_moved_is_counted() {
    check(
        "0\tlink\t1\ti\ta\t\t\t\n0\tlink\t2\ti\tb\t\t\t\n0\tlink\t3\ti\tc\t\t\t",
        "0\tlink\t3\ti\tc\t\t\t\n0\tlink\t1\ti\ta\t\t\t\n0\tlink\t2\ti\tb\t\t\t",
        None,
        "(1 line moved)",
    );
}

#[test]
fn what_is_around_two_changes_is_said_once() {
    let lines = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| (*line).to_owned())
            .collect::<Vec<_>>()
    };
    let told = lines(&[
        "~ - combobox \"State\" [e1] expanded",
        "  - combobox \"State\" [e1] expanded",
        "+   - option \"Ohio\" [e2]",
        "  - combobox \"State\" [e1] expanded",
        "~   - text: Choose",
        "  - form",
        "+   - button \"Send\" [e3]",
        "  - combobox \"State\" [e1] expanded",
        "-   - text: All",
        "(1 line moved)",
    ]);
    let expected = [&told[..1], &told[2..3], &told[4..]].concat();
    assert_eq!(once(told), expected);
}

#[test]
fn the_place_of_what_has_no_name_is_no_change() {
    check(
        "0\tbutton\t1\ti\t\tnear=Milk nth=1/2\t\t",
        "0\tbutton\t1\ti\t\tnear=2\u{a0}Milk nth=1/3\t\t",
        None,
        "",
    );
    check(
        "0\tbutton\t1\ti\t\tnear=Milk\t\t",
        "0\tbutton\t1\ti\t\tdisabled near=Milk\t\t",
        None,
        "~ - button [e1] disabled near=\"Milk\"",
    );
}

/// Which text stands near controls depends on how much there is: only what is said to somebody counts.
#[test]
fn of_a_page_whose_controls_alone_are_compared_text_counts_where_it_alerts() {
    let read = |report: &str| PageState::of(Mode::Interactive, Item::read_all(1, report));
    let page = |near: &str, said: &str| {
        format!(
            "0\ttext\t1\tt\t{near}\t\t\t\n0\talert\t2\tr\t\t\t\t\n1\ttext\t2\tt\t{said}\t\t\t\n1\tbutton\t3\ti\tGo\t\t\t"
        )
    };
    let (old, new) = (page("Item 1", "fine"), page("Item 2", "wrong"));
    let lines = read(&old).changes(&read(&new), &mut Refs::default(), None);
    assert_eq!(lines.join("\n"), "  - alert\n~   - text: wrong");
}
