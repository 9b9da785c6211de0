//! A secret with what it is for.

use szk_config::OriginPattern;

use crate::Secret;

/// A value, and the origins whose fields it may be put into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSecret {
    /// The value.
    pub secret: Secret,
    /// Where it may go; everywhere if there are none.
    pub origins: Vec<OriginPattern>,
}

impl StoredSecret {
    /// Whether it may be put into a field of a document of this origin.
    #[must_use]
    pub fn is_for(&self, origin: &str) -> bool {
        self.origins.is_empty() || self.origins.iter().any(|pattern| pattern.covers(origin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_where_it_is_for() {
        let kept = |origins: &[&str]| StoredSecret {
            secret: Secret::new("x".into()),
            origins: origins
                .iter()
                .map(|text| OriginPattern::read(text).unwrap())
                .collect(),
        };
        let check = |origins: &[&str], origin: &str, expected: bool| {
            assert_eq!(
                kept(origins).is_for(origin),
                expected,
                "{origins:?} {origin}"
            );
        };
        check(&[], "http://anywhere.example", true);
        check(&["https://shop.example"], "https://shop.example", true);
        check(&["https://shop.example"], "http://shop.example", false);
        check(
            &["https://shop.example"],
            "https://shop.example.evil.example",
            false,
        );
        check(
            &["a.example", "*.b.example"],
            "https://x.b.example:8443",
            true,
        );
        // That of a sandboxed frame, whatever its address.
        check(&["https://shop.example"], "null", false);
    }
}
