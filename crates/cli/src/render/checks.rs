//! The report of `szk doctor`.

use szk_tools::doctor::{Check, CheckStatus, DoctorReport};

use super::human;
use super::style::{BAD, FAINT, GOOD, STRONG, USABLE, WARN, paint};
use super::text::{pad, printable, printable_lines, width};

/// One line per check; under each problem, the command that fixes it.
pub(crate) fn report(report: &DoctorReport) -> String {
    let names = report.checks.iter().map(|check| width(&check.name));
    let column = names.max().unwrap_or(0);
    let lines: Vec<String> = report.checks.iter().map(|c| line(c, column)).collect();
    lines.join("\n")
}

/// The result in one line, for stderr.
pub(crate) fn verdict(report: &DoctorReport) -> String {
    let failed = report.count(CheckStatus::Fail);
    let warned = report.count(CheckStatus::Warn);
    match (failed, warned) {
        (0, 0) => paint(GOOD, "all is well"),
        (0, warned) => format!(
            "szk works; {}",
            human::count(warned, "thing could be better", "things could be better")
        ),
        (failed, _) => human::count(
            failed,
            "thing keeps szk from working",
            "things keep szk from working",
        ),
    }
}

fn line(check: &Check, column: usize) -> String {
    let (sign, style) = match check.status {
        CheckStatus::Ok => ("ok  ", GOOD),
        CheckStatus::Warn => ("warn", WARN),
        CheckStatus::Fail => ("FAIL", BAD),
    };
    let indent = " ".repeat(column + 8);
    let detail = printable_lines(&check.detail).replace('\n', &format!("\n{indent}"));
    let mut out = format!(
        "{}  {}  {detail}",
        paint(style, sign),
        paint(STRONG, &pad(&printable(&check.name), column)),
    );
    if let Some(fix) = &check.fix {
        let fix = paint(USABLE, &printable(fix));
        out.push_str(&format!("\n{indent}{} {fix}", paint(FAINT, "fix:")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_comes_with_its_mending() {
        let example = DoctorReport {
            checks: vec![
                Check::ok("store", "`/home/jane/sessions`, 3 profiles"),
                Check::warn("display", "none\nwindows cannot be shown"),
                Check::fail("chromium", "not found").fix("sudo apt-get install chromium"),
            ],
        };
        let text = format!("{}\n\n{}", report(&example), verdict(&example));
        insta::assert_snapshot!(anstream::adapter::strip_str(&text).to_string(), @r"
        ok    store     `/home/jane/sessions`, 3 profiles
        warn  display   none
                        windows cannot be shown
        FAIL  chromium  not found
                        fix: sudo apt-get install chromium

        1 thing keeps szk from working
        ");
    }
}
