//! A value that never prints itself.

use std::fmt;

use zeroize::Zeroizing;

/// A secret's value. Its memory is wiped when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes ownership of a value.
    #[must_use]
    pub fn new(value: String) -> Self {
        Self(Zeroizing::new(value))
    }

    /// The value, to fill into its field and for nothing else.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_not_shown() {
        let secret = Secret::new("geheim".into());
        assert_eq!(
            format!("{secret:?} {:?}", Some(&secret)),
            "Secret Some(Secret)"
        );
        assert_eq!(secret.reveal(), "geheim");
    }
}
