//! Queries of the event log.

use regex::Regex;

use super::entry::{Entry, Kind, What};

/// A query of the event log.
#[derive(Debug, Clone)]
pub struct Query {
    /// Only this kind.
    pub kind: Option<Kind>,
    /// Only this tab, by its id.
    pub tab: Option<String>,
    /// Only entries that changed after this number.
    pub since: Option<u64>,
    /// Only this type of request or level of message.
    pub r#type: Option<String>,
    /// Only entries with this in their text or address.
    pub text: Option<Regex>,
    /// Only requests with such a response.
    pub statuses: Option<Statuses>,
    /// At most this many.
    pub limit: usize,
}

/// Outcomes of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statuses {
    /// Failed without a response.
    Failed,
    /// Not finished yet.
    Pending,
    /// From one status to another.
    Range(u16, u16),
}

/// The result.
#[derive(Debug, Clone)]
pub struct Found {
    /// The entries, in the order of their last changes.
    pub entries: Vec<Entry>,
    /// How many more match.
    pub more: usize,
    /// The cursor to continue with.
    pub next: u64,
    /// Whether something was dropped since the cursor.
    pub missed: bool,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            kind: None,
            tab: None,
            since: None,
            r#type: None,
            text: None,
            statuses: None,
            limit: usize::MAX,
        }
    }
}

impl Query {
    pub(super) fn fits(&self, entry: &Entry) -> bool {
        // The browser's advice is not an error, but asking for its type still finds it.
        let counts = self.kind != Some(Kind::Errors) || self.r#type.is_some();
        (counts || entry.what.is_wrong())
            && self.since.is_none_or(|since| entry.seq > since)
            && self
                .tab
                .as_ref()
                .is_none_or(|tab| entry.tab.as_ref() == Some(tab))
            && self
                .r#type
                .as_ref()
                .is_none_or(|wanted| entry.what.is_of(wanted))
            && self.text.as_ref().is_none_or(|text| entry.what.says(text))
            && self
                .statuses
                .is_none_or(|wanted| entry.what.answered(wanted))
    }
}

impl Statuses {
    /// `404`, `4xx`, `200-299`, `failed`, `pending`.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let number = |text: &str| {
            text.trim()
                .parse::<u16>()
                .ok()
                .filter(|n| (100..=999).contains(n))
        };
        match text {
            "failed" => return Some(Self::Failed),
            "pending" => return Some(Self::Pending),
            _ => {}
        }
        if let Some(class) = text.strip_suffix("xx") {
            let class = class
                .parse::<u16>()
                .ok()
                .filter(|class| (1..=9).contains(class))?;
            return Some(Self::Range(class * 100, class * 100 + 99));
        }
        match text.split_once('-') {
            Some((from, to)) => Some(Self::Range(number(from)?, number(to)?)),
            None => number(text).map(|one| Self::Range(one, one)),
        }
    }
}

impl What {
    /// Whether something did, or may, go wrong.
    fn is_wrong(&self) -> bool {
        !matches!(self, Self::Error(one) if matches!(one.level.as_str(), "verbose" | "info"))
    }

    fn is_of(&self, wanted: &str) -> bool {
        let own = match self {
            Self::Console(one) => &one.level,
            Self::Network(one) => &one.r#type,
            Self::Error(one) => &one.source,
            Self::Dialog(one) => &one.r#type,
            Self::Download(one) => &one.state,
            Self::Act(one) => &one.act,
        };
        own.eq_ignore_ascii_case(wanted)
    }

    fn says(&self, text: &Regex) -> bool {
        match self {
            Self::Console(one) => text.is_match(&one.text) || text.is_match(&one.url),
            Self::Network(one) => text.is_match(&one.url),
            Self::Error(one) => text.is_match(&one.text) || text.is_match(&one.url),
            Self::Dialog(one) => text.is_match(&one.message),
            Self::Download(one) => text.is_match(&one.name) || text.is_match(&one.url),
            Self::Act(one) => {
                let on = one.on.iter().flat_map(|on| on.texts());
                let value = one.value.iter().chain([&one.page]);
                on.map(|(_, text)| text)
                    .chain(value)
                    .any(|own| text.is_match(own))
            }
        }
    }

    fn answered(&self, wanted: Statuses) -> bool {
        let Self::Network(request) = self else {
            return false;
        };
        match wanted {
            Statuses::Failed => request.failed.is_some(),
            Statuses::Pending => !request.done,
            Statuses::Range(from, to) => request
                .status
                .is_some_and(|status| (from..=to).contains(&status)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses() {
        let check = |text, expected| assert_eq!(Statuses::read(text), expected, "{text}");
        check("404", Some(Statuses::Range(404, 404)));
        check("4xx", Some(Statuses::Range(400, 499)));
        check("200-204", Some(Statuses::Range(200, 204)));
        check("failed", Some(Statuses::Failed));
        for wrong in ["", "x", "0xx", "20", "200-", "-1"] {
            check(wrong, None);
        }
    }
}
