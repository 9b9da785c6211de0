//! A cURL command as browsers copy it ("Copy as cURL"), or a bare `Cookie` header.

use url::Url;

use super::{ImportError, Imported};
use crate::state::schema::Cookie;
use crate::state::warning::Warning;

/// Reads the cookies that a request would send. They are for the host of the request only, and session
/// cookies, because a header says nothing else. For a bare header `domain` is the host.
///
/// # Errors
/// [`ImportError::Other`] if it is neither, or has no host.
pub fn from_curl(text: &str, domain: Option<&str>) -> Result<Imported, ImportError> {
    let other = |expected| ImportError::Other { expected };
    if let Some(cookies) = header(text.trim()) {
        let host = domain.ok_or(other("a header with a `domain` it is for"))?;
        return Ok(read(cookies, host, true));
    }
    let words = words(text);
    if !is_curl(words.first().map_or("", String::as_str)) {
        return Err(other("a cURL command"));
    }
    let mut cookies = Vec::new();
    let mut url = None;
    let mut rest = words.into_iter().skip(1);
    while let Some(word) = rest.next() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) if option.starts_with("--") => {
                (option.to_owned(), Some(value.to_owned()))
            }
            _ => (word.clone(), None),
        };
        let mut value = || value.clone().or_else(|| rest.next()).unwrap_or_default();
        match option.as_str() {
            "-H" | "--header" => cookies.extend(header(&value()).map(str::to_owned)),
            "-b" | "--cookie" => {
                // Without `=` it is the name of a file.
                let value = value();
                cookies.extend(value.contains('=').then_some(value));
            }
            "--url" => url = Some(value()),
            _ if TAKES_A_VALUE.contains(&option.as_str()) => drop(value()),
            _ if !word.starts_with('-') => url = Some(word),
            _ => {}
        }
    }
    let url = url.unwrap_or_default();
    // curl itself reads an address without a scheme this way.
    let url = match url.contains("://") {
        true => Url::parse(&url),
        false => Url::parse(&format!("http://{url}")),
    };
    let Some((scheme, host)) = url
        .as_ref()
        .ok()
        .and_then(|url| Some((url.scheme(), url.host_str()?)))
    else {
        return Err(other("a cURL command with an address"));
    };
    if cookies.is_empty() {
        return Err(other("a cURL command with cookies"));
    }
    Ok(read(&cookies.join("; "), host, scheme == "https"))
}

/// Whether a text looks like one of the two.
#[must_use]
pub fn looks_like(text: &str) -> bool {
    let text = text.trim_start();
    header(text).is_some() || is_curl(text.split_whitespace().next().unwrap_or_default())
}

/// Options of curl that take the next word as their value; browsers write these.
const TAKES_A_VALUE: [&str; 14] = [
    "-X",
    "--request",
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-urlencode",
    "-A",
    "--user-agent",
    "-e",
    "--referer",
    "-u",
    "--user",
    "-o",
];

fn is_curl(word: &str) -> bool {
    word == "curl" || word == "curl.exe"
}

fn header(text: &str) -> Option<&str> {
    let (name, value) = text.split_once(':')?;
    name.trim()
        .eq_ignore_ascii_case("cookie")
        .then(|| value.trim())
}

fn read(text: &str, host: &str, secure: bool) -> Imported {
    let mut imported = Imported::default();
    for (index, pair) in text.split(';').map(str::trim).enumerate() {
        match pair.split_once('=') {
            Some((name, value)) if !name.is_empty() => imported.cookies.push(Cookie {
                name: name.to_owned(),
                value: value.to_owned(),
                domain: host.to_owned(),
                path: "/".to_owned(),
                expires: -1.0,
                http_only: false,
                secure,
                same_site: None,
                partition_key: None,
                has_cross_site_ancestor: None,
                priority: None,
                source_scheme: None,
                source_port: None,
            }),
            _ if pair.is_empty() => {}
            _ => imported.warnings.push(Warning::new(
                format!("cookie {}", index + 1),
                "it has no name",
            )),
        }
    }
    imported
}

/// Splits into words like a shell: three kinds of quotes, and escapes. Windows' own command line escapes
/// with `^`.
fn words(text: &str) -> Vec<String> {
    let windows = text.contains("^\"");
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '^' if windows => {
                // At the end of a line it joins the lines.
                match chars.next() {
                    Some('\n' | '\r') | None => {}
                    Some('"') => quoted(&mut chars, '"', true, word.get_or_insert_default()),
                    Some(c) => word.get_or_insert_default().push(c),
                }
            }
            '\\' => match chars.next() {
                Some('\n' | '\r') | None => {}
                Some(c) => word.get_or_insert_default().push(c),
            },
            '$' if chars.peek() == Some(&'\'') => {
                chars.next();
                ansi(&mut chars, word.get_or_insert_default());
            }
            '\'' => word
                .get_or_insert_default()
                .extend(chars.by_ref().take_while(|c| *c != '\'')),
            '"' => quoted(&mut chars, '"', false, word.get_or_insert_default()),
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

fn quoted(chars: &mut impl Iterator<Item = char>, end: char, windows: bool, word: &mut String) {
    while let Some(c) = chars.next() {
        match c {
            '^' if windows => match chars.next() {
                Some(c) if c == end => return,
                Some(c) => word.push(c),
                None => return,
            },
            '\\' => word.extend(chars.next()),
            c if c == end => return,
            c => word.push(c),
        }
    }
}

/// `$'…'`: the escapes that browsers write.
fn ansi(chars: &mut impl Iterator<Item = char>, word: &mut String) {
    while let Some(c) = chars.next() {
        match c {
            '\'' => return,
            '\\' => match chars.next() {
                Some('n') => word.push('\n'),
                Some('t') => word.push('\t'),
                Some('r') => word.push('\r'),
                Some('u') => {
                    let digits: String = chars.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&digits, 16).ok();
                    word.extend(code.and_then(char::from_u32));
                }
                other => word.extend(other),
            },
            c => word.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `name=value@domain`, `s` where it is secure.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let imported = from_curl(text, None).unwrap();
        let seen: Vec<String> = imported
            .cookies
            .iter()
            .map(|c| {
                format!(
                    "{}={}@{}{}",
                    c.name,
                    c.value,
                    c.domain,
                    if c.secure { " s" } else { "" }
                )
            })
            .collect();
        assert_eq!(seen, expected);
        assert!(looks_like(text));
    }

    #[test]
    fn commands_that_browsers_copy_are_read() {
        check(
            "curl 'https://x.test/a?b=c' \\\n  -H 'accept: */*' \\\n  -b 'sid=1; theme=dark=er' \\\n  --data-raw 'https://no.test' --compressed",
            &["sid=1@x.test s", "theme=dark=er@x.test s"],
        );
        check(
            "curl \"http://X.test:8080/\" -H \"Cookie: a=\\\"q\\\"; b=\"",
            &["a=\"q\"@x.test", "b=@x.test"],
        );
        check(
            "curl $'https://x.test/' -H $'cookie: a=it\\'s\\u0021'",
            &["a=it's!@x.test s"],
        );
        check(
            "curl ^\"https://x.test/^\" ^\n  -b ^\"a=1^%^2; b=2^\"",
            &["a=1%2@x.test s", "b=2@x.test s"],
        );
        check(
            "curl --cookie=a=1 --url https://u:p@x.test",
            &["a=1@x.test s"],
        );
    }

    #[test]
    fn a_bare_header_needs_a_domain() {
        let imported = from_curl("Cookie: a=1; b", Some("x.test")).unwrap();
        assert_eq!(imported.cookies[0].domain, "x.test");
        assert_eq!(imported.warnings.len(), 1);
        assert!(from_curl("cookie: a=1", None).is_err());
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "wget x",
            "curl",
            "curl https://x.test",
            "curl -b a=1",
            "curl -b jar.txt https://x.test",
        ] {
            assert!(from_curl(text, Some("x.test")).is_err(), "{text}");
        }
        assert!(!looks_like("# Netscape HTTP Cookie File") && !looks_like("x.test\tTRUE\t/"));
    }
}
