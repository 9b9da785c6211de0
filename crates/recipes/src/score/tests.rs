//! Candidates as pages change them.

use proptest::prelude::*;

use super::*;

fn button(name: &str) -> Identity {
    Identity {
        role: "button".into(),
        name: name.into(),
        text: name.into(),
        css: format!("#{}", name.to_lowercase()),
        within: "main".into(),
        lang: "en".into(),
        nth: 1,
        of: 1,
        ..Identity::default()
    }
}

#[track_caller]
fn check(wanted: &Identity, candidates: &[Identity], expected: Option<usize>) {
    let choice = choose(wanted, candidates, &[]);
    let found = match choice {
        Choice::Found(index) => Some(index),
        _ => None,
    };
    assert_eq!(found, expected, "{choice:?}");
}

#[test]
fn handles_may_change_and_words_may_grow() {
    let wanted = button("Search");
    let renamed = Identity {
        css: "main > div:nth-of-type(3) > button".into(),
        ..button("Search")
    };
    check(&wanted, &[button("Delete"), renamed], Some(1));
    let reworded = Identity {
        css: wanted.css.clone(),
        ..button("Search orders")
    };
    check(&wanted, &[button("Delete"), reworded], Some(1));
    check(&wanted, &[button("Delete"), button("Cancel")], None);
}

#[test]
fn another_control_with_the_same_handles_is_refused() {
    let wanted = Identity {
        test_id: "save".into(),
        ..button("Save")
    };
    let delete = Identity {
        name: "Delete".into(),
        text: "Delete".into(),
        ..wanted.clone()
    };
    check(&wanted, std::slice::from_ref(&delete), None);
    let link = Identity {
        role: "link".into(),
        ..wanted.clone()
    };
    check(&wanted, &[link], None);
    // Its words are what counts, wherever they are now.
    check(&wanted, &[delete, button("Save")], Some(1));
}

#[test]
fn the_same_icon_under_another_name_is_refused() {
    let named = |name: &str| Identity {
        text: "I".into(),
        css: "div > button:nth-of-type(2)".into(),
        ..button(name)
    };
    check(&named("Italic"), &[named("Remove everything")], None);
    check(&named("Italic"), &[named("Italic")], Some(0));
}

#[test]
fn one_of_two_equals_is_doubtful() {
    let wanted = button("Buy");
    let twin = |nth: u32| Identity {
        nth,
        of: 2,
        ..button("Buy")
    };
    assert!(matches!(
        choose(&wanted, &[twin(1), twin(2)], &[]),
        Choice::Doubtful(all) if all.len() == 2
    ));
}

#[test]
fn equals_that_are_in_each_other_are_told_apart_by_that() {
    let level = |nth: u32, of: u32| Identity {
        css: "#list > div".into(),
        nth,
        of,
        ..button("inject")
    };
    let page = [level(1, 2), level(2, 2)];
    let chosen = |wanted: &Identity, page: &[Identity], inside: &[Option<usize>]| match choose(
        wanted, page, inside,
    ) {
        Choice::Found(index) => Some(index),
        _ => None,
    };
    assert_eq!(chosen(&page[0], &page, &[None, Some(0)]), Some(0));
    assert_eq!(chosen(&page[1], &page, &[None, Some(0)]), Some(1));
    // Beside each other, nothing but their position tells them apart.
    assert_eq!(chosen(&page[0], &page, &[None, None]), None);
    // Nor is it known which level is meant once there are more or fewer.
    let three = [level(1, 3), level(2, 3), level(3, 3)];
    assert_eq!(chosen(&page[0], &three, &[None, Some(0), Some(1)]), None);
    let two_pairs = [level(1, 4), level(2, 4), level(3, 4), level(4, 4)];
    let inside = [None, Some(0), None, Some(2)];
    assert_eq!(chosen(&two_pairs[0], &two_pairs, &inside), None);
    // Something else may stand between them.
    let between = [level(1, 2), button("Other"), level(2, 2)];
    assert_eq!(
        chosen(&page[0], &between, &[None, Some(0), Some(1)]),
        Some(0)
    );
}

#[test]
fn what_says_nothing_is_known_by_what_is_around_it() {
    let icon = |around: &str, css: &str| Identity {
        role: "button".into(),
        around: around.into(),
        css: css.into(),
        nth: 1,
        of: 1,
        ..Identity::default()
    };
    let wanted = icon("Welcome to the new release", "div:nth-of-type(8) > button");
    let moved = icon("Welcome to the new release", "div:nth-of-type(7) > button");
    let other = icon("Delete all flows?", "div:nth-of-type(9) > button");
    check(&wanted, &[other.clone(), moved], Some(1));
    check(&wanted, std::slice::from_ref(&other), None);
    // In its place, but in something else.
    let replaced = icon("Delete all flows?", "div:nth-of-type(8) > button");
    check(&wanted, &[replaced], None);
    let counts = icon(
        "Welcome to the new release 7",
        "div:nth-of-type(8) > button",
    );
    check(&wanted, &[counts, other], Some(0));
}

#[test]
fn an_id_tells_what_says_nothing_from_others_that_say_nothing() {
    let place = |css: &str, nth: u32, of: u32| Identity {
        role: "generic".into(),
        css: css.into(),
        nth,
        of,
        ..Identity::default()
    };
    let wanted = place("#chart", 3, 180);
    let other = place("#separator", 7, 12);
    check(&wanted, &[other.clone(), place("#chart", 2, 12)], Some(1));
    check(&wanted, &[other], None);
    // A place in something with an id is a place still.
    let wanted = place("#chart > div", 3, 180);
    check(&wanted, &[place("#chart > div", 2, 12)], None);
}

#[test]
fn rows_are_told_apart_by_what_they_say() {
    let row = |text: &str, nth: u32, of: u32| Identity {
        row: text.into(),
        css: format!("tr:nth-of-type({nth}) > button"),
        nth,
        of,
        ..button("Delete")
    };
    let wanted = row("1002 Ada 7 EUR", 2, 3);
    let moved = [
        row("1002 Ada 7 EUR", 1, 3),
        row("1001 Bob 9 EUR", 2, 3),
        row("1003 Eve 5 EUR", 3, 3),
    ];
    check(&wanted, &moved, Some(0));
    check(&wanted, &moved[1..], None);
}

#[test]
fn a_translated_page_needs_a_handle() {
    let wanted = Identity {
        field: "q".into(),
        kind: "search".into(),
        role: "searchbox".into(),
        ..button("Order number")
    };
    let german = Identity {
        name: "Bestellnummer".into(),
        text: String::new(),
        lang: "de".into(),
        ..wanted.clone()
    };
    check(&wanted, std::slice::from_ref(&german), Some(0));
    let other = Identity {
        field: "card".into(),
        ..german.clone()
    };
    check(&wanted, &[other], None);
    // In the same language it is another field.
    let english = Identity {
        name: "Credit card".into(),
        lang: "en".into(),
        ..german
    };
    check(&wanted, &[english], None);
}

#[test]
fn passwords_go_into_password_fields_only() {
    let field = |kind: &str| Identity {
        role: "textbox".into(),
        kind: kind.into(),
        ..button("Password")
    };
    check(&field("password"), &[field("text")], None);
    check(&field("text"), &[field("password")], None);
}

fn word() -> impl Strategy<Value = String> {
    "[a-z]{3,9}"
}

proptest! {
    #[test]
    fn the_element_itself_is_found_among_others(name in word(), others in prop::collection::vec(word(), 0..12)) {
        let wanted = button(&name);
        let mut page: Vec<Identity> = others.iter().filter(|other| **other != name).map(|other| button(other)).collect();
        let place = page.len() / 2;
        page.insert(place, wanted.clone());
        prop_assert_eq!(choose(&wanted, &page, &[]), Choice::Found(place));
    }

    #[test]
    fn what_says_something_else_is_never_chosen(name in word(), others in prop::collection::vec(word(), 1..12)) {
        let wanted = button(&name);
        // Others that have everything of it but its words.
        let page: Vec<Identity> = others.iter().filter(|other| **other != name).map(|other| Identity {
            name: other.clone(), text: other.clone(), ..wanted.clone()
        }).collect();
        prop_assert!(!matches!(choose(&wanted, &page, &[]), Choice::Found(_)));
    }

    #[test]
    fn scores_are_shares(a in word(), b in word(), css in word()) {
        let found = Identity { css, ..button(&b) };
        let value = score(&button(&a), &found);
        prop_assert!((0.0..=1.0).contains(&value));
        prop_assert!((score(&found, &found) - 1.0).abs() < 1e-9);
    }
}
