//! Numbers for people.

use jiff::Timestamp;

/// A size on disk, in powers of 1000 like file managers.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = UNITS[0];
    for larger in &UNITS[1..] {
        // 999.95 would be printed as 1000.0.
        if value < 999.95 {
            break;
        }
        value /= 1000.0;
        unit = larger;
    }
    format!("{value:.1} {unit}")
}

/// How long ago `then` was; the date once that is more useful.
pub(crate) fn ago(now: Timestamp, then: Timestamp) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    match now.as_second() - then.as_second() {
        // The clocks of two machines that share a store may differ a little.
        ..MINUTE => String::from("now"),
        seconds @ MINUTE..HOUR => format!("{} min ago", seconds / MINUTE),
        seconds @ HOUR..DAY => format!("{} h ago", seconds / HOUR),
        seconds if seconds < 30 * DAY => format!("{} d ago", seconds / DAY),
        _ => then.strftime("%Y-%m-%d").to_string(),
    }
}

/// `count` with the right form of the noun.
pub(crate) fn count(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let check = |bytes, expected: &str| assert_eq!(size(bytes), expected);
        check(0, "0 B");
        check(999, "999 B");
        check(1000, "1.0 kB");
        check(999_949, "999.9 kB");
        check(999_999, "1.0 MB");
        check(12_345_678, "12.3 MB");
        check(u64::MAX, "18446744.1 TB");
    }

    #[test]
    fn times() {
        let now: Timestamp = "2026-03-10T12:00:00Z".parse().unwrap();
        let check = |then: &str, expected: &str| {
            assert_eq!(ago(now, then.parse().unwrap()), expected, "{then}");
        };
        check("2026-03-10T12:00:05Z", "now");
        check("2026-03-10T11:59:01Z", "now");
        check("2026-03-10T11:59:00Z", "1 min ago");
        check("2026-03-10T09:30:00Z", "2 h ago");
        check("2026-03-07T12:00:00Z", "3 d ago");
        check("2025-12-24T18:00:00Z", "2025-12-24");
    }
}
