//! Cookies of the browsers installed on this machine, read from their own files.
//!
//! [`find`] lists the profiles, [`read`] reads one domain's cookies from one of them. We never open a
//! browser's file in place but a private copy, so a running browser notices nothing. What the
//! operating system keeps locked stays locked: [`Locked`] says why, and what the user can do. Nothing
//! here asks for consent; the caller has it.

mod chromium;
mod copy;
mod crypt;
mod error;
mod firefox;
mod places;
pub mod sqlite;
mod times;

pub use crypt::{Keys, Locked, System};
pub use error::ReadError;
pub use places::{Browser, Home, Source, Spec, SpecError, find, keyring_name};
pub use times::{Changed, changes};

use serde::Serialize;

/// A cookie, with the field names that Playwright and Puppeteer use.
#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cookie {
    /// Its name.
    pub name: String,
    /// Its value, a secret.
    pub value: String,
    /// Host, with a leading dot if subdomains get it too.
    pub domain: String,
    /// Path.
    pub path: String,
    /// Seconds since 1970; -1 for session cookies.
    pub expires: f64,
    /// Hidden from scripts.
    pub http_only: bool,
    /// Sent only over TLS.
    pub secure: bool,
    /// `None`, `Lax` or `Strict`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_site: Option<&'static str>,
    /// Site of the top-level page it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition_key: Option<Partition>,
}

/// The partition of a cookie.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Partition {
    /// Scheme and site, `https://top.test`.
    pub top_level_site: String,
    /// Whether a cross-site frame is in between.
    pub has_cross_site_ancestor: bool,
}

impl std::fmt::Debug for Cookie {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cookie({} of {})", self.name, self.domain)
    }
}

/// What was read from a browser.
#[derive(Debug, Default, PartialEq)]
pub struct Harvest {
    /// In the order of the file.
    pub cookies: Vec<Cookie>,
    /// How many could not be decrypted, by reason.
    pub locked: Vec<(Locked, usize)>,
}

/// Reads the cookies of a domain and its subdomains, or with `None` those of all domains.
///
/// # Errors
/// The files are unreadable or in an unknown format. Encrypted cookies are no error.
pub fn read(source: &Source, domain: Option<&str>, keys: &Keys) -> Result<Harvest, ReadError> {
    match source.browser {
        Browser::Firefox => firefox::read(source, domain),
        _ => chromium::read(source, domain, keys),
    }
}

/// Whether a cookie's host is the domain or below it.
fn is_within(host: &str, domain: Option<&str>) -> bool {
    let Some(domain) = domain else { return true };
    let clean = |text: &str| text.trim_start_matches('.').to_ascii_lowercase();
    let (host, domain) = (clean(host), clean(domain));
    host == domain
        || host
            .strip_suffix(&domain)
            .is_some_and(|rest| rest.ends_with('.'))
}

impl Harvest {
    fn lock(&mut self, why: Locked) {
        match self.locked.iter_mut().find(|(known, _)| *known == why) {
            Some((_, count)) => *count += 1,
            None => self.locked.push((why, 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_is_itself_and_what_is_below() {
        let check =
            |host, domain, expected| assert_eq!(is_within(host, domain), expected, "{host}");
        check(".example.org", Some("example.org"), true);
        check("EXAMPLE.org", Some(".Example.Org"), true);
        check("a.b.example.org", Some("example.org"), true);
        check("badexample.org", Some("example.org"), false);
        check("example.org.evil", Some("example.org"), false);
        check("org", Some("example.org"), false);
        check("anything", None, true);
    }

    #[test]
    fn a_cookie_is_shown_without_its_value() {
        let cookie = Cookie {
            name: "sid".into(),
            value: "geheim".into(),
            domain: "x.test".into(),
            path: "/".into(),
            expires: -1.0,
            http_only: true,
            secure: true,
            same_site: None,
            partition_key: None,
        };
        assert_eq!(format!("{cookie:?}"), "Cookie(sid of x.test)");
    }
}
