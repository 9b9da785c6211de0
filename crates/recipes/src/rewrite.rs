//! Writes a recipe over its file: what stays the same keeps its form, its place and its comments.

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use crate::{Recipe, parse, write};

/// The recipe as a file, in place of one that says something else.
#[must_use]
pub fn rewrite(before: &str, recipe: &Recipe) -> String {
    let after = write(recipe);
    let (Ok(mut old), Ok(new)) = (before.parse(), after.parse::<DocumentMut>()) else {
        return after;
    };
    let document: &mut DocumentMut = &mut old;
    merge(document.as_table_mut(), new.as_table());
    let text = document.to_string();
    // Comments must not cost what the recipe says.
    match parse(&text, "") {
        Ok(read) if read == *recipe => text,
        _ => after,
    }
}

/// Makes a table say what another one says. What is usual needs no line of its own.
fn merge(old: &mut dyn TableLike, new: &dyn TableLike) {
    let gone = old.iter().map(|(key, _)| key.to_owned());
    let gone: Vec<String> = gone.filter(|key| !new.contains_key(key)).collect();
    for key in gone {
        old.remove(&key);
    }
    for (key, item) in new.iter() {
        match old.get_mut(key) {
            Some(known) => update(known, item),
            None if key == "type" && item.as_str() == Some("string") => {}
            None => {
                old.insert(key, item.clone());
            }
        }
    }
}

/// The same for a table on one line: what stands behind its last value stays at its end.
fn merge_inline(old: &mut InlineTable, new: &InlineTable) {
    fn last(table: &mut InlineTable) -> Option<&mut Value> {
        table.iter_mut().last().map(|(_, value)| value)
    }
    let end = last(old).and_then(|value| {
        let end = value.decor().suffix().cloned();
        value.decor_mut().set_suffix("");
        end
    });
    merge(old, new);
    if let (Some(end), Some(value)) = (end, last(old)) {
        value.decor_mut().set_suffix(end);
    }
}

fn update(old: &mut Item, new: &Item) {
    if same(old, new) {
        return;
    }
    if let (Some(Value::InlineTable(old)), Some(Value::InlineTable(new))) =
        (old.as_value_mut(), new.as_value())
    {
        return merge_inline(old, new);
    }
    if let (Item::ArrayOfTables(old), Item::ArrayOfTables(new)) = (&mut *old, new) {
        return steps(old, new);
    }
    if let (Some(old), Some(new)) = (old.as_table_like_mut(), new.as_table_like()) {
        return merge(old, new);
    }
    if let (Some(Value::Array(old)), Some(Value::Array(new))) = (old.as_value_mut(), new.as_value())
        && old.len() == new.len()
    {
        for (old, new) in old.iter_mut().zip(new.iter()) {
            match (old.as_inline_table_mut(), new.as_inline_table()) {
                (Some(old), Some(new)) => merge_inline(old, new),
                _ => replace(old, new),
            }
        }
        return;
    }
    match (old.as_value_mut(), new.as_value()) {
        (Some(old), Some(new)) => replace(old, new),
        _ => *old = new.clone(),
    }
}

/// Another value with what stands around the old one.
fn replace(old: &mut Value, new: &Value) {
    let around = old.decor().clone();
    *old = new.clone();
    *old.decor_mut() = around;
}

/// Steps keep their comments where they do the same to the same element.
fn steps(old: &mut ArrayOfTables, new: &ArrayOfTables) {
    let mut known: Vec<Option<Table>> = old.iter().cloned().map(Some).collect();
    let in_place = known.len() == new.len();
    let mut from = 0;
    let mut all = ArrayOfTables::new();
    for (at, step) in new.iter().enumerate() {
        let fits = |one: &Option<Table>| one.as_ref().is_some_and(|one| alike(one, step));
        let found = match in_place {
            true if known[at]
                .as_ref()
                .is_some_and(|one| word(one) == word(step)) =>
            {
                Some(at)
            }
            true => None,
            false => (from..known.len()).find(|at| fits(&known[*at])),
        };
        let kept = found.and_then(|at| known[at].take());
        if let Some(at) = found {
            from = at + 1;
        }
        let mut table = match kept {
            Some(mut kept) => {
                merge(&mut kept, step);
                kept
            }
            None => step.clone(),
        };
        // They stand in this order, wherever they stood.
        table.set_position(None);
        all.push(table);
    }
    *old = all;
}

fn word(step: &Table) -> Option<&str> {
    step.get("do")?.as_str()
}

fn alike(one: &Table, other: &Table) -> bool {
    let same = |key: &str| match (one.get(key), other.get(key)) {
        (Some(one), Some(other)) => same(one, other),
        (None, None) => true,
        _ => false,
    };
    same("do") && same("on") && same("value")
}

/// Whether two items say the same, however they are written.
fn same(one: &Item, other: &Item) -> bool {
    if let (Some(one), Some(other)) = (one.as_table_like(), other.as_table_like()) {
        return one.len() == other.len()
            && one
                .iter()
                .all(|(key, item)| other.get(key).is_some_and(|other| same(item, other)));
    }
    if let (Item::ArrayOfTables(one), Item::ArrayOfTables(other)) = (one, other) {
        let same_tables = |(one, other): (&Table, &Table)| {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, item)| other.get(key).is_some_and(|other| same(item, other)))
        };
        return one.len() == other.len() && one.iter().zip(other.iter()).all(same_tables);
    }
    match (one.as_value(), other.as_value()) {
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            let item = |value: &Value| Item::Value(value.clone());
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other.iter())
                    .all(|(one, other)| same(&item(one), &item(other)))
        }
        (Some(Value::String(one)), Some(Value::String(other))) => one.value() == other.value(),
        (Some(Value::Integer(one)), Some(Value::Integer(other))) => one.value() == other.value(),
        (Some(Value::Boolean(one)), Some(Value::Boolean(other))) => one.value() == other.value(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# Ours.\n[recipe]\nname = 'a' # short\nsite = \"https://shop.example\"\n\n\
        # First of all.\n[[step]]\ndo = \"navigate\"\nvalue = \"/\"\n\n\
        # Then the button.\n[[step]]\ndo = \"click\" # once\non = { role = \"button\", name = \"Old\" } # its name changes\n\n\
        [[step]] # all rows\ndo = \"repeat\"\nuntil = { navigates = \"/x\" }\n\
        steps = [\n  { do = \"click\", on = { role = \"link\", name = \"Next\" } }, # goes on\n]\n";

    #[test]
    fn healing_keeps_comments_and_forms() {
        let mut recipe = parse(FILE, "").unwrap();
        assert_eq!(rewrite(FILE, &recipe), FILE);
        recipe.head.revision = 1;
        recipe.steps[1].on.as_mut().unwrap().name = "New".into();
        recipe.steps[2].steps[0].on.as_mut().unwrap().css = "#next".into();
        let text = rewrite(FILE, &recipe);
        for comment in [
            "# Ours.",
            "name = 'a' # short",
            "# Then the button.",
            "# its name changes",
            "# goes on",
            "# all rows",
        ] {
            assert!(text.contains(comment), "{comment}\n{text}");
        }
        let healed = "on = { role = \"button\", name = \"New\" } # its name changes\n";
        let inner = "{ role = \"link\", name = \"Next\", css = \"#next\" } }, # goes on\n";
        assert!(text.contains(healed) && text.contains(inner), "{text}");
        assert_eq!(parse(&text, "").unwrap(), recipe);
    }

    #[test]
    fn steps_that_stay_keep_their_comments() {
        let mut recipe = parse(FILE, "").unwrap();
        recipe.steps.remove(0);
        let text = rewrite(FILE, &recipe);
        assert!(
            text.contains("# Then the button.") && !text.contains("# First"),
            "{text}"
        );
        assert_eq!(parse(&text, "").unwrap(), recipe);
    }

    #[test]
    fn what_was_left_out_as_usual_stays_so() {
        let file = format!("{FILE}[params.order]\nabout = \"A number\" # any\n");
        let mut recipe = parse(&file, "").unwrap();
        recipe.head.revision = 1;
        let text = rewrite(&file, &recipe);
        assert!(
            text.ends_with("[params.order]\nabout = \"A number\" # any\n"),
            "{text}"
        );
        assert_eq!(text.lines().count(), file.lines().count() + 1, "{text}");
    }

    #[test]
    fn a_file_that_does_not_parse_is_written_anew() {
        let recipe = parse(FILE, "").unwrap();
        assert_eq!(rewrite("[", &recipe), write(&recipe));
    }
}
