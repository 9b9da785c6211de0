//! One connection: requests are read and answered one by one until the browser hangs up.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::route;
use super::runs::Runs;

/// Longest request line or header line, and largest body, to read.
const LONGEST_LINE: u64 = 64 * 1024;
const LONGEST_BODY: u64 = 64 * 1024 * 1024;
/// A connection closes after this long without a request.
const IDLE: Duration = Duration::from_secs(60);

/// A request, with its headers exactly as sent.
#[derive(Debug, Default)]
pub(super) struct Request {
    pub(super) method: String,
    /// Path and query.
    pub(super) target: String,
    /// Names and values in the browser's order and spelling.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

/// What is sent back.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: &'static str,
    pub(super) kind: &'static str,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// The value of a header; empty if it was not sent.
    pub(super) fn header(&self, name: &str) -> &str {
        let found = self
            .headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value)
    }

    /// The path without the query, and the query.
    pub(super) fn parts(&self) -> (&str, &str) {
        self.target.split_once('?').unwrap_or((&self.target, ""))
    }

    /// A value of the query; empty if missing. Names and values are plain words here.
    pub(super) fn query(&self, name: &str) -> &str {
        let (_, query) = self.parts();
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs
            .find(|(known, _)| *known == name)
            .map_or("", |(_, value)| value)
    }
}

impl Response {
    pub(super) fn ok(kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: "200 OK",
            kind,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    pub(super) fn of(status: &'static str) -> Self {
        Self {
            status,
            ..Self::ok("text/plain", "")
        }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// Serves a connection to its end. An error ends it: the browser has hung up, and no one is left to
/// tell.
pub(super) fn serve(stream: TcpStream, runs: &Runs) {
    let _ = stream.set_nodelay(true);
    let _ = stream.set_read_timeout(Some(IDLE));
    let Ok(mut writer) = stream.try_clone() else {
        return;
    };
    let mut reader = BufReader::new(stream);
    while let Ok(Some(request)) = read(&mut reader) {
        let response = route::answer(&request, runs);
        if write(&mut writer, &request, &response).is_err() {
            return;
        }
    }
}

fn read(reader: &mut impl BufRead) -> io::Result<Option<Request>> {
    let first = line(reader)?;
    let mut words = first.split(' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else {
        return Ok(None);
    };
    let mut request = Request {
        method: method.to_owned(),
        target: target.to_owned(),
        ..Request::default()
    };
    loop {
        let header = line(reader)?;
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').ok_or(io::ErrorKind::InvalidData)?;
        request
            .headers
            .push((name.to_owned(), value.trim().to_owned()));
    }
    let length: u64 = request.header("content-length").parse().unwrap_or(0);
    reader
        .take(length.min(LONGEST_BODY))
        .read_to_end(&mut request.body)?;
    Ok(Some(request))
}

fn line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.take(LONGEST_LINE).read_line(&mut line)?;
    line.truncate(line.trim_end_matches(['\r', '\n']).len());
    Ok(line)
}

fn write(writer: &mut impl Write, request: &Request, response: &Response) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {}\r\n", response.status);
    let length = response.body.len().to_string();
    let fixed = [
        ("Content-Type", response.kind),
        ("Content-Length", length.as_str()),
        // Each visit must request everything.
        ("Cache-Control", "no-store"),
        // Frames without an origin report too.
        ("Access-Control-Allow-Origin", "*"),
    ];
    let own = response
        .headers
        .iter()
        .map(|(name, value)| (*name, value.as_str()));
    for (name, value) in fixed.into_iter().chain(own) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    writer.write_all(head.as_bytes())?;
    if request.method != "HEAD" {
        writer.write_all(&response.body)?;
    }
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_keep_their_order_and_spelling() {
        let mut text = "POST /a/b?x=1&y=2 HTTP/1.1\r\nHost: h:1\r\nsec-ch-ua: \"A\"\r\nContent-Length: 2\r\n\r\nhi".as_bytes();
        let request = read(&mut text).unwrap().unwrap();
        let names: Vec<&str> = request
            .headers
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, ["Host", "sec-ch-ua", "Content-Length"]);
        assert_eq!(request.parts().0, "/a/b");
        assert_eq!((request.query("y"), request.query("z")), ("2", ""));
        assert_eq!(request.body, b"hi");
        assert!(read(&mut text).unwrap().is_none());
    }
}
