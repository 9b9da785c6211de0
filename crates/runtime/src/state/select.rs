//! Selects a part of a state, and counts its content.

use jiff::Timestamp;
use serde::Serialize;
use url::Url;

use super::schema::StorageState;

/// Counts of everything; safe to show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All.
    pub cookies: usize,
    /// Of these, the ones that end with the browser.
    pub session_cookies: usize,
    /// Origins with any storage.
    pub origins: usize,
    /// Entries in localStorage.
    pub local_storage: usize,
    /// Databases.
    pub databases: usize,
    /// Entries in sessionStorage.
    pub session_storage: usize,
    /// Open pages.
    pub tabs: usize,
}

impl StorageState {
    /// Counts everything.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let extras = self.szk.as_ref();
        Counts {
            cookies: self.cookies.len(),
            session_cookies: self
                .cookies
                .iter()
                .filter(|cookie| cookie.is_session())
                .count(),
            origins: self
                .origins
                .iter()
                .filter(|origin| !origin.is_empty())
                .count(),
            local_storage: self
                .origins
                .iter()
                .map(|origin| origin.local_storage.len())
                .sum(),
            databases: self
                .origins
                .iter()
                .map(|origin| origin.indexed_db.as_ref().map_or(0, Vec::len))
                .sum(),
            session_storage: extras.map_or(0, |extras| {
                extras
                    .session_storage
                    .iter()
                    .map(|area| area.items.len())
                    .sum()
            }),
            tabs: extras.map_or(0, |extras| extras.tabs.len()),
        }
    }

    /// Takes out the cookies that have expired, which no browser would keep; returns how many.
    pub fn drop_expired(&mut self, now: Timestamp) -> usize {
        let (now, all) = (now.as_duration().as_secs_f64(), self.cookies.len());
        self.cookies
            .retain(|cookie| cookie.is_session() || cookie.expires > now);
        all - self.cookies.len()
    }

    /// The part that belongs to these domains and their subdomains, including cookies that they get from
    /// parent domains. Leaves out unknown keys, because they may belong to any domain.
    #[must_use]
    pub fn only(&self, domains: &[impl AsRef<str>]) -> Self {
        let hosts: Vec<String> = domains
            .iter()
            .map(|domain| domain.as_ref().trim_start_matches('.').to_ascii_lowercase())
            .collect();
        let belongs = |host: &str| hosts.iter().any(|wanted| is_at_or_below(host, wanted));
        let gets = |domain: &str| match domain.strip_prefix('.') {
            Some(above) => {
                belongs(above) || hosts.iter().any(|wanted| is_at_or_below(wanted, above))
            }
            None => belongs(domain),
        };
        let mut part = self.clone();
        part.other.clear();
        part.cookies.retain(|cookie| gets(&cookie.domain));
        part.origins
            .retain(|origin| belongs(&host_of(&origin.origin)));
        if let Some(extras) = &mut part.szk {
            // Adjust the indices of tabs.
            let kept: Vec<usize> = extras
                .tabs
                .iter()
                .enumerate()
                .filter(|(_, tab)| belongs(&host_of(&tab.url)))
                .map(|(index, _)| index)
                .collect();
            extras
                .session_storage
                .retain_mut(|area| match kept.binary_search(&area.tab) {
                    Ok(index) if belongs(&host_of(&area.origin)) => {
                        area.tab = index;
                        true
                    }
                    _ => false,
                });
            extras.tabs = kept
                .into_iter()
                .map(|index| extras.tabs[index].clone())
                .collect();
        }
        part
    }
}

fn is_at_or_below(host: &str, domain: &str) -> bool {
    host == domain
        || host
            .strip_suffix(domain)
            .is_some_and(|rest| rest.ends_with('.'))
}

/// The host of a URL or origin; empty if there is none.
fn host_of(url: &str) -> String {
    let url = Url::parse(url).ok();
    url.and_then(|url| url.host_str().map(str::to_owned))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::load::load;
    use super::*;

    fn state() -> StorageState {
        let cookie = |domain: &str| format!(r#"{{"name":"a","value":"1","domain":"{domain}"}}"#);
        let cookies = [
            ".x.test",
            "x.test",
            "www.x.test",
            ".www.x.test",
            "notx.test",
            ".test",
        ]
        .map(cookie)
        .join(",");
        let text = format!(
            r#"{{"cookies":[{cookies}],"origins":[{{"origin":"https://x.test:8443","localStorage":[{{"name":"a","value":"1"}}]}},{{"origin":"http://y.test","localStorage":[]}}],
            "szk":{{"version":1,"saved":"2026-01-01T00:00:00Z","tabs":[{{"url":"https://y.test/"}},{{"url":"https://www.x.test/p"}}],
            "sessionStorage":[{{"tab":0,"origin":"https://y.test","items":[]}},{{"tab":1,"origin":"https://www.x.test","items":[{{"name":"k","value":"v"}}]}}]}},"credentials":[]}}"#
        );
        load(text.as_bytes()).unwrap().state
    }

    fn check(domains: &[&str], cookies: &[&str], origins: usize, tabs: usize) {
        let part = state().only(domains);
        let seen: Vec<_> = part
            .cookies
            .iter()
            .map(|cookie| cookie.domain.as_str())
            .collect();
        assert_eq!(seen, cookies, "{domains:?}");
        let counts = part.counts();
        assert_eq!(
            (part.origins.len(), counts.tabs),
            (origins, tabs),
            "{domains:?}"
        );
        assert!(part.other.is_empty());
    }

    #[test]
    fn what_has_expired_is_taken_out() {
        let text = r#"{"cookies":[{"name":"session","value":"1","domain":"x.test","expires":-1},
            {"name":"over","value":"1","domain":"x.test","expires":999},
            {"name":"lasting","value":"1","domain":"x.test","expires":1001.5}],"origins":[]}"#;
        let mut state = load(text.as_bytes()).unwrap().state;
        let now = Timestamp::from_second(1000).unwrap();
        assert_eq!(state.drop_expired(now), 1);
        let left: Vec<_> = state.cookies.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(left, ["session", "lasting"]);
    }

    #[test]
    fn a_domain_includes_subdomains_and_cookies_of_parents() {
        check(
            &["x.test"],
            &[".x.test", "x.test", "www.x.test", ".www.x.test", ".test"],
            1,
            1,
        );
        check(
            &[".X.test"],
            &[".x.test", "x.test", "www.x.test", ".www.x.test", ".test"],
            1,
            1,
        );
        check(
            &["www.x.test"],
            &[".x.test", "www.x.test", ".www.x.test", ".test"],
            0,
            1,
        );
        check(&["y.test", "notx.test"], &["notx.test", ".test"], 1, 1);
        check(&["nowhere"], &[], 0, 0);
    }

    #[test]
    fn session_storage_follows_its_tab() {
        let extras = state().only(&["x.test"]).szk.unwrap();
        assert_eq!(
            (extras.tabs[0].url.as_str(), extras.session_storage[0].tab),
            ("https://www.x.test/p", 0)
        );
    }

    #[test]
    fn everything_is_counted() {
        let expected = Counts {
            cookies: 6,
            session_cookies: 6,
            origins: 1,
            local_storage: 1,
            databases: 0,
            session_storage: 1,
            tabs: 2,
        };
        assert_eq!(state().counts(), expected);
    }
}
