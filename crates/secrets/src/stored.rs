//! A secret and the origins it is bound to.

use szk_config::OriginPattern;

use crate::Secret;

/// A value, and the origins whose fields it may be filled into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSecret {
    /// The value.
    pub secret: Secret,
    /// Where it may be used; empty for everywhere.
    pub origins: Vec<OriginPattern>,
}

impl StoredSecret {
    /// Whether it may be filled into a field of a document of this origin.
    #[must_use]
    pub fn is_for(&self, origin: &str) -> bool {
        self.origins.is_empty() || self.origins.iter().any(|pattern| pattern.covers(origin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_may_be_used_only_on_its_origins() {
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
        // A sandboxed frame has this origin, whatever its address.
        check(&["https://shop.example"], "null", false);
    }
}
