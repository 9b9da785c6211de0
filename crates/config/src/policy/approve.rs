//! What a person has to approve.

use serde::{Deserialize, Serialize};

use super::bounds::any;
use super::{Address, Bounds, Leads, OriginPattern};

/// A kind of step that waits for a person, if `[policy] approve` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NeedsApproval {
    /// Running code: JavaScript, programs and tests.
    Code,
    /// Giving local files to a page.
    Upload,
    /// Signing in.
    Login,
    /// Submitting a form.
    Submit,
    /// Downloading a file.
    Download,
    /// Going to another origin.
    Origin,
    /// Closing a tab or a session, deleting a profile.
    Close,
}

impl NeedsApproval {
    /// The word in the configuration.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Upload => "upload",
            Self::Login => "login",
            Self::Submit => "submit",
            Self::Download => "download",
            Self::Origin => "origin",
            Self::Close => "close",
        }
    }
}

impl Bounds {
    /// Whether this kind of step waits for a person.
    #[must_use]
    pub fn asks(&self, kind: NeedsApproval) -> bool {
        self.policy().approve.contains(&kind)
    }

    /// Whether going from one address to another means another origin, which `allowed_origins` does not
    /// name. What a page makes itself, and an empty page, are nobody else's.
    #[must_use]
    pub fn leaves(&self, from: &str, to: &str) -> bool {
        let to = Address::read(to);
        let own = match to.leads {
            Leads::Blank | Leads::Code | Leads::Data | Leads::Internal { .. } => return false,
            Leads::Origin | Leads::File(_) => to.url.as_ref().map(origin),
            Leads::Nobody | Leads::Foreign | Leads::Unreadable => None,
        };
        let here = Address::read(from).url.as_ref().map(origin);
        let allowed = || self.policy().allowed_origins.iter().flatten();
        let named = || to.url.as_ref().is_some_and(|url| any(allowed(), url));
        own.is_none() || (own != here && !named())
    }
}

/// Whether a document at this address is within the origins of a task. Documents that a page
/// makes itself, and empty ones, are.
#[must_use]
pub fn stays_within(origins: &[OriginPattern], url: &str) -> bool {
    let address = Address::read(url);
    match address.leads {
        Leads::Blank | Leads::Code | Leads::Data => true,
        Leads::Origin | Leads::File(_) => address.url.as_ref().is_some_and(|url| any(origins, url)),
        Leads::Internal { .. } | Leads::Nobody | Leads::Foreign | Leads::Unreadable => false,
    }
}

/// Scheme, host and port.
fn origin(url: &url::Url) -> (String, Option<String>, Option<u16>) {
    let host = url.host_str().map(str::to_owned);
    (url.scheme().to_owned(), host, url.port_or_known_default())
}

#[cfg(test)]
mod tests {
    use super::super::Policy;
    use super::*;

    #[test]
    fn another_origin_is_one_that_is_not_allowed_by_name() {
        let bounds = Bounds::new(
            Policy {
                allowed_origins: Some(vec![OriginPattern::read("named.example").unwrap()]),
                ..Policy::open()
            },
            Vec::new(),
        );
        let check = |from: &str, to: &str, expected: bool| {
            assert_eq!(bounds.leaves(from, to), expected, "{from} to {to}");
        };
        check("https://a.example/1", "https://a.example/2?x", false);
        check("https://a.example/1", "https://a.example:443/", false);
        check("https://a.example/1", "https://a.example:444/", true);
        check("https://a.example/1", "http://a.example/", true);
        check("https://a.example/1", "https://b.example/", true);
        check("https://a.example/1", "https://named.example/", false);
        check("https://a.example/1", "blob:https://a.example/1", false);
        check("https://a.example/1", "blob:https://b.example/1", true);
        check(
            "https://a.example/1",
            "view-source:https://b.example/",
            true,
        );
        check("https://a.example/1", "about:blank", false);
        check("https://a.example/1", "file:///etc/passwd", true);
        check("file:///a", "file:///b", false);
        check("https://a.example/1", "mailto:a@b.example", true);
        check("about:blank", "https://a.example/", true);
        check("", "https://a.example/", true);
    }

    #[test]
    fn a_task_stays_within_its_origins() {
        let origins =
            ["a.example", "http://localhost:8080"].map(|text| OriginPattern::read(text).unwrap());
        let check = |url: &str, expected: bool| {
            assert_eq!(stays_within(&origins, url), expected, "{url}");
        };
        check("https://a.example/1", true);
        check("http://a.example:81/", true);
        check("http://localhost:8080/x", true);
        check("blob:https://a.example/1", true);
        check("about:blank", true);
        check("", true);
        for url in [
            "http://localhost:8081/x",
            "https://b.example/",
            "https://a.example.b.example/",
            "https://a.example@b.example/",
            "blob:https://b.example/1",
            "view-source:https://b.example/",
            "file:///etc/passwd",
            "chrome://settings",
            "mailto:a@b.example",
            "not an address",
        ] {
            check(url, false);
        }
    }
}
