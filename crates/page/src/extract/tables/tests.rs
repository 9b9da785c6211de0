//! Tables of pages, and the Markdown of them.

use super::super::markdown::markdown;
use super::super::markdown::tests::check;

#[test]
fn cells_that_cover_several_slots_are_said_in_each() {
    check(
        "<table><tr><th>Land</th><th>City</th></tr><tr><td rowspan=2>PL</td><td>Lublin</td></tr><tr><td>Opole</td></tr></table>",
        "| Land | City |\n| ---- | ---- |\n| PL | Lublin |\n| PL | Opole |",
    );
    check(
        "<table><tr><th>A</th><th>B</th><th>C</th></tr><tr><td colspan=2>both</td><td>1</td></tr></table>",
        "| A | B | C |\n| - | - | - |\n| both | both | 1 |",
    );
    // A row that is short has blanks.
    check(
        "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>",
        "| A | B |\n| - | - |\n| 1 | 2 |\n| 3 |  |",
    );
}

#[test]
fn what_covers_all_columns_and_what_is_long_is_said_once() {
    check(
        "<table><tr><th>A</th><th>B</th></tr><tr><td colspan=9>Part</td></tr><tr><td>1</td><td>2</td></tr></table>",
        "| A | B |\n| - | - |\n| Part |  |\n| 1 | 2 |",
    );
    let long = "word ".repeat(40);
    let long = long.trim();
    check(
        &format!(
            "<table><tr><th>A</th><th>B</th></tr><tr><td rowspan=2>{long}</td><td>1</td></tr><tr><td>2</td></tr></table>"
        ),
        &format!("| A | B |\n| - | - |\n| {long} | 1 |\n|  | 2 |"),
    );
}

#[test]
fn headers_of_several_rows_are_one_row() {
    check(
        "<table><thead><tr><td rowspan=2>Name</td><td colspan=2>Price</td></tr><tr><td>min</td><td>max</td></tr></thead><tbody><tr><td>a</td><td>1</td><td>2</td></tr></tbody></table>",
        "| Name | Price min | Price max |\n| ---- | --------- | --------- |\n| a | 1 | 2 |",
    );
    check(
        "<table><tr><th colspan=2>Rivers</th></tr><tr><th>Name</th><th>km</th></tr><tr><td>Odra</td><td>854</td></tr></table>",
        "Rivers\n\n| Name | km |\n| ---- | -- |\n| Odra | 854 |",
    );
}

#[test]
fn a_caption_is_a_line_above() {
    check(
        "<p>Text</p><table><caption>Two <b>rivers</b></caption><tr><th>Name</th></tr><tr><td>Odra</td></tr></table>",
        "Text\n\nTwo **rivers**\n\n| Name |\n| ---- |\n| Odra |",
    );
}

#[test]
fn roles_make_a_table_too() {
    let row = |cells: &str| format!("<div role=row>{cells}</div>");
    let html = format!(
        "<div role=grid><p>Sorted by name</p><div role=rowgroup>{}</div><div role=rowgroup>{}{}</div></div>",
        row("<span role=columnheader>Name</span><span role=columnheader>km</span>"),
        row("<div><span role=gridcell>Odra</span></div><span role=gridcell>854</span>"),
        row("<span role=gridcell aria-colspan=2>none</span>"),
    );
    check(
        &html,
        "Sorted by name\n\n| Name | km |\n| ---- | -- |\n| Odra | 854 |\n| none |  |",
    );
}

#[test]
fn tables_in_tables_and_in_lists_stay_tables() {
    let inner = "<table><tr><th>A</th></tr><tr><td>1</td></tr></table>";
    check(
        &format!("<table><tr><td>Menu</td><td>Home</td><td>{inner}</td></tr></table>"),
        "Menu\n\nHome\n\n| A |\n| - |\n| 1 |",
    );
    let list = markdown(&format!("<ul><li>{inner}</li></ul>"));
    assert!(list.contains("| A |\n| - |\n| 1 |"), "{list}");
}
