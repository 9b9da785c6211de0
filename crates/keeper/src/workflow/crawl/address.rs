//! Addresses of a site: which belong to it, and which are the same page.

use regex::Regex;
use szk_config::OriginPattern;
use szk_tools::Failure;
use url::Url;

/// Longest address that is followed.
const LONGEST: usize = 2000;
/// Parameters that only say where a visitor came from.
const TRACKING: [&str; 6] = ["gclid", "fbclid", "msclkid", "mc_cid", "mc_eid", "igshid"];
/// Parameters that number visitors.
const VISITORS: [&str; 3] = ["phpsessid", "jsessionid", "aspsessionid"];
/// Endings of files that are no pages.
const FILES: [&str; 44] = [
    "7z", "avi", "avif", "bin", "bmp", "bz2", "css", "csv", "deb", "dmg", "doc", "docx", "eot",
    "epub", "exe", "gif", "gz", "ico", "iso", "jpeg", "jpg", "js", "m4a", "mov", "mp3", "mp4",
    "msi", "ogg", "pdf", "png", "ppt", "pptx", "rar", "rpm", "svg", "tar", "tgz", "ttf", "wav",
    "webm", "webp", "woff2", "xlsx", "zip",
];

/// The hosts that a crawl stays on.
#[derive(Debug, Clone)]
pub(super) struct Site {
    host: String,
    port: Option<u16>,
    below: bool,
}

impl Site {
    /// That of an address. `www.` makes no difference.
    pub(super) fn of(url: &Url, below: bool) -> Self {
        let host = url.host_str().unwrap_or_default();
        Self {
            host: bare(host).to_owned(),
            port: url.port(),
            below,
        }
    }

    pub(super) fn has(&self, url: &Url) -> bool {
        let host = bare(url.host_str().unwrap_or_default());
        let below = host.strip_suffix(&self.host);
        let below = below.is_some_and(|rest| rest.is_empty() || self.below && rest.ends_with('.'));
        matches!(url.scheme(), "http" | "https") && url.port() == self.port && below
    }

    /// The same for the browser, which stops redirects that leave it.
    pub(super) fn origins(&self) -> Result<Vec<OriginPattern>, Failure> {
        let mut hosts = vec![self.host.clone()];
        let is_name =
            !self.host.starts_with('[') && self.host.parse::<std::net::Ipv4Addr>().is_err();
        if is_name && self.below {
            hosts.push(format!("*.{}", self.host));
        } else if is_name {
            hosts.push(format!("www.{}", self.host));
        }
        let port = self.port.map(|port| format!(":{port}")).unwrap_or_default();
        let patterns = hosts
            .iter()
            .map(|host| OriginPattern::read(&format!("{host}{port}")));
        let patterns = patterns.collect::<Result<_, _>>();
        patterns.map_err(|error| Failure::invalid(error.to_string()))
    }
}

fn bare(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

/// The address to visit: without fragment, login, and what only tells visitors apart.
pub(super) fn normal(url: &str) -> Option<Url> {
    let mut url = Url::parse(url).ok()?;
    if url.as_str().len() > LONGEST || url.cannot_be_a_base() {
        return None;
    }
    url.set_fragment(None);
    // These fail only for addresses without a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    let path = url.path().to_owned();
    if let Some(at) = path.to_ascii_lowercase().find(";jsessionid=") {
        url.set_path(&path[..at]);
    }
    let kept = |name: &str| {
        let name = name.to_ascii_lowercase();
        !name.starts_with("utm_") && !TRACKING.contains(&&*name) && !VISITORS.contains(&&*name)
    };
    let query = url.query().unwrap_or_default().to_owned();
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs: Vec<&str> = pairs
        .filter(|pair| kept(pair.split('=').next().unwrap_or_default()))
        .collect();
    url.set_query((!pairs.is_empty()).then(|| pairs.join("&")).as_deref());
    Some(url)
}

/// The same for all addresses of one page: whatever its scheme, `www.`, order of parameters, and writing.
pub(super) fn key(url: &Url) -> String {
    let mut pairs: Vec<_> = url.query_pairs().collect();
    pairs.sort();
    let host = bare(url.host_str().unwrap_or_default());
    let port = url
        .port()
        .map(|port| format!(":{port}"))
        .unwrap_or_default();
    let segments = url.path_segments().into_iter().flatten();
    let path: Vec<String> = segments.map(decoded).collect();
    format!("{host}{port}/{}?{pairs:?}", path.join("/"))
}

/// `%41` is `A`, and `%2f` `%2F`.
fn decoded(segment: &str) -> String {
    let mut text = String::new();
    let mut rest = segment;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        let code = rest
            .get(at + 1..at + 3)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        let Some(code) = code else {
            text.push('%');
            rest = &rest[at + 1..];
            continue;
        };
        match char::from(code) {
            plain if plain.is_ascii_alphanumeric() || "-._~".contains(plain) => text.push(plain),
            _ => text.push_str(&rest[at..at + 3].to_ascii_uppercase()),
        }
        rest = &rest[at + 3..];
    }
    text + rest
}

/// What an address is like: its path without numbers and the names of its parameters. Those of a calendar
/// are all alike.
pub(super) fn shape(url: &Url) -> String {
    let mut names: Vec<String> = url
        .query_pairs()
        .map(|(name, _)| name.into_owned())
        .collect();
    names.sort();
    let mut path = String::new();
    for character in url.path().chars() {
        let character = if character.is_ascii_digit() {
            '0'
        } else {
            character
        };
        if !(character == '0' && path.ends_with('0')) {
            path.push(character);
        }
    }
    format!("{path}?{names:?}")
}

/// Whether a path repeats itself, as relative links that go wrong make it do: `/a/b/a/b/a/b`.
pub(super) fn repeats(url: &Url) -> bool {
    let segments: Vec<&str> = url.path_segments().into_iter().flatten().collect();
    (1..=3).any(|length| {
        segments.windows(length * 3).any(|part| {
            let (first, rest) = part.split_at(length);
            !first.iter().all(|one| one.is_empty()) && rest.chunks(length).all(|next| next == first)
        })
    })
}

/// Whether an address names a file that is no page.
pub(super) fn is_file(url: &Url) -> bool {
    let last = url
        .path_segments()
        .and_then(|mut all| all.next_back())
        .unwrap_or_default();
    let ending = last
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| FILES.contains(&&*ending))
}

/// A pattern of addresses: `*` stands for anything; without a host it is about path and query.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    regex: Regex,
    whole: bool,
}

impl Pattern {
    pub(super) fn read(text: &str) -> Result<Self, Failure> {
        let parts: Vec<String> = text.split('*').map(regex::escape).collect();
        let regex = Regex::new(&format!("^{}$", parts.join(".*")));
        let regex = regex.map_err(|_| Failure::invalid("a pattern is too long"))?;
        let whole = text.contains("://");
        if !whole && !text.starts_with(['/', '*']) {
            return Err(Failure::invalid(format!(
                "`{}` is not a pattern of addresses",
                szk_text::line(text, 100)
            ))
            .hint("give path and query with `*`, such as `/docs/*`"));
        }
        Ok(Self { regex, whole })
    }

    pub(super) fn fits(&self, url: &Url) -> bool {
        if self.whole {
            return self.regex.is_match(url.as_str());
        }
        self.regex.is_match(&url[url::Position::BeforePath..])
    }
}
