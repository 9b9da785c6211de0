//! Cookies in the formats of other tools.

mod curl;
mod json;
mod netscape;

pub use curl::{from_curl, looks_like as is_curl};
pub use json::from_json;
pub use netscape::{from_netscape, to_netscape};

use super::schema::Cookie;
use super::warning::Warning;

/// The cookies that were read, and what was left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// In the order of the file.
    pub cookies: Vec<Cookie>,
    /// One per unreadable entry, without values.
    pub warnings: Vec<Warning>,
}

/// Nothing in it could be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It has another format.
    #[error("not {expected}")]
    Other {
        /// The expected format.
        expected: &'static str,
    },
}

/// The domain of a cookie that subdomains get too; IP addresses have none.
fn with_dot(domain: &str) -> String {
    let is_address = domain.parse::<std::net::IpAddr>().is_ok() || domain.starts_with('[');
    if domain.starts_with('.') || is_address {
        domain.to_owned()
    } else {
        format!(".{domain}")
    }
}
