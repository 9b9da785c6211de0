//! Handlers of `browser_*`.

mod document;
mod emulate;
mod labels;
mod navigate;
mod paper;
mod pdf;
mod run_code;
mod screenshot;
mod tabs;
mod world;

pub(crate) use emulate::{Emulations, emulate};
pub(crate) use labels::Labels;
pub(crate) use navigate::navigate;
pub(crate) use pdf::pdf;
pub(crate) use run_code::run_code;
pub(crate) use screenshot::screenshot;
pub(crate) use tabs::tabs;
pub(crate) use world::Worlds;

/// A URL as messages show it: without login, and not endless.
pub(crate) fn shown(url: &str) -> String {
    let without_login = match url.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            match rest[..end].rfind('@') {
                Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
                None => url.to_owned(),
            }
        }
        None => url.to_owned(),
    };
    if without_login.chars().count() <= 200 {
        return without_login;
    }
    let head: String = without_login.chars().take(199).collect();
    format!("{head}…")
}

#[cfg(test)]
mod tests {
    #[test]
    fn urls_are_shown_short_and_without_a_login() {
        assert_eq!(
            super::shown("https://a:b@c.example/d@e"),
            "https://c.example/d@e"
        );
        assert_eq!(
            super::shown("https://c.example/?q=a@b"),
            "https://c.example/?q=a@b"
        );
        assert_eq!(super::shown("about:blank"), "about:blank");
        assert!(
            super::shown(&format!("data:,{}", "x".repeat(9000)))
                .chars()
                .count()
                <= 200
        );
    }
}
