//! Lists in pages.

use rmcp::model::{ErrorData, PaginatedRequestParams};

/// Entries of a page.
const PAGE: usize = 100;

/// Marks our cursors; the key of the last entry follows.
const AFTER: &str = "after:";

/// The requested page of a list, and the cursor of the next one. A key names the same place when entries
/// come and go in between.
///
/// # Errors
/// A cursor that is not ours.
pub(crate) fn page<T>(
    mut items: Vec<T>,
    key: impl Fn(&T) -> &str,
    request: Option<&PaginatedRequestParams>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    items.sort_by(|a, b| key(a).cmp(key(b)));
    if let Some(cursor) = given(request) {
        let after = cursor
            .strip_prefix(AFTER)
            .ok_or_else(|| unknown("take `nextCursor` of the last page"))?;
        items.retain(|item| key(item) > after);
    }
    let more = items.len() > PAGE;
    items.truncate(PAGE);
    let next = items
        .last()
        .filter(|_| more)
        .map(|last| format!("{AFTER}{}", key(last)));
    Ok((items, next))
}

/// Checks a request for a list that has only one page.
///
/// # Errors
/// It has a cursor.
pub(crate) fn whole(request: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match given(request) {
        Some(_) => Err(unknown("the list has one page")),
        None => Ok(()),
    }
}

/// An empty cursor is none.
fn given(request: Option<&PaginatedRequestParams>) -> Option<&str> {
    request?.cursor.as_deref().filter(|text| !text.is_empty())
}

fn unknown(why: &str) -> ErrorData {
    ErrorData::invalid_params(format!("unknown `cursor`: {why}"), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(cursor: &str) -> PaginatedRequestParams {
        PaginatedRequestParams::default().with_cursor(Some(cursor.to_owned()))
    }

    #[test]
    fn every_entry_is_on_one_page() {
        let all: Vec<String> = (0..250).map(|number| format!("{number:03}")).collect();
        let (mut found, mut cursor, mut pages) = (Vec::new(), String::new(), 0);
        loop {
            let mixed = all.iter().rev().cloned().collect();
            let request = asked(&cursor);
            let (page, next) = page(mixed, String::as_str, Some(&request)).unwrap();
            found.extend(page);
            pages += 1;
            match next {
                Some(next) => cursor = next,
                None => break,
            }
        }
        assert_eq!((found, pages), (all, 3));
    }

    #[test]
    fn a_cursor_of_somebody_else_is_refused() {
        let list = || vec!["a".to_owned()];
        assert!(page(list(), String::as_str, Some(&asked("x"))).is_err());
        assert!(whole(Some(&asked("after:a"))).is_err());
        assert!(whole(Some(&asked(""))).is_ok() && whole(None).is_ok());
    }
}
