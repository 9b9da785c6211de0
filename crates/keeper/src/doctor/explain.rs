//! Explains what a difference means and what causes it.

use std::collections::BTreeMap;

use serde_json::Value;
use szk_config::{Resolved, Source};
use szk_detectors::{Allowed, Change, Difference, Outcome, Report};
use szk_tools::doctor::Check;

/// Settings that pages can detect, strongest suspect first.
const SUSPECTS: [(&str, &str); 9] = [
    ("stealth.scripts", "pages can detect an init script"),
    ("browser.args", "a further switch"),
    ("browser.extensions", "an extension"),
    (
        "identity.user_agent",
        "a user agent that is not the browser's own",
    ),
    ("identity.mobile", "the layout of a phone"),
    ("identity.touch", "touch as the primary pointer"),
    ("identity.geolocation", "a position"),
    ("identity.locale", "another language"),
    ("identity.timezone", "another time zone"),
];

/// Number of differences to show per check.
const SHOWN: usize = 3;
/// Number of characters to show of a value.
const WIDTH: usize = 60;

/// One check per kind of difference, or a single passed one if nothing differs. Differences with a known
/// reason share one line.
pub(super) fn differences(
    gold: &Report,
    found: &[Difference],
    known: &Allowed,
    resolved: &Resolved,
) -> Vec<Check> {
    let mut by_check: BTreeMap<&str, Vec<&Difference>> = BTreeMap::new();
    let unlisted = known.judge("", found).unlisted;
    let mut checks: Vec<Check> = reasons(found, known)
        .into_iter()
        .map(|(check, reason)| Check::ok("known", format!("{check}: {reason}")))
        .collect();
    for difference in &unlisted {
        if reports(gold, &difference.realm) {
            by_check
                .entry(&difference.check)
                .or_default()
                .push(difference);
        }
    }
    if by_check.is_empty() {
        let realms = gold
            .realms
            .keys()
            .filter(|realm| reports(gold, realm))
            .count();
        let observations = gold.outcomes();
        let other = if checks.is_empty() {
            ""
        } else {
            ", except for the following"
        };
        let good = Check::ok(
            "stealth",
            format!(
                "{observations} observations in {realms} realms match the same browser started by hand{other}"
            ),
        );
        checks.insert(0, good);
        return checks;
    }
    let cause = cause(resolved);
    let noticed = by_check.into_iter().map(|(check, found)| {
        let realms: Vec<&str> = found.iter().map(|found| found.realm.as_str()).collect();
        let mut lines = vec![format!("pages can detect it in: {}", realms.join(", "))];
        if let Some(first) = found.first() {
            lines.extend(first.changes.iter().take(SHOWN).map(change));
            if first.changes.len() > SHOWN {
                lines.push(format!("and {} more", first.changes.len() - SHOWN));
            }
        }
        lines.push(szk_detectors::explain(check).to_owned());
        lines.push(cause.clone());
        Check::warn(check, lines.join("\n")).fix("szk config explain")
    });
    noticed.chain(checks).collect()
}

/// Checks that differ for a known reason, each once.
fn reasons<'a>(found: &'a [Difference], known: &'a Allowed) -> BTreeMap<&'a str, &'a str> {
    let mut reasons = BTreeMap::new();
    for difference in found {
        for change in &difference.changes {
            if let Some(reason) = known.reason(difference, &change.path) {
                let check = difference.check.as_str();
                if difference.realm == "main" || !reasons.contains_key(check) {
                    reasons.insert(check, reason);
                }
            }
        }
    }
    reasons
}

/// Whether the browser that was started by hand reported anything there: a popup that it blocks is
/// blocked in both.
fn reports(gold: &Report, realm: &str) -> bool {
    gold.realms.get(realm).is_some_and(|checks| {
        checks
            .values()
            .any(|outcome| matches!(outcome, Outcome::Value(_)))
    })
}

fn change(change: &Change) -> String {
    let value = |value: &Option<Value>| match value {
        None => "nothing".to_owned(),
        Some(value) => {
            let text = value.to_string();
            match text.char_indices().nth(WIDTH) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        }
    };
    let place = if change.path.is_empty() {
        String::new()
    } else {
        format!("{}: ", change.path)
    };
    format!(
        "{place}by hand {}, here {}",
        value(&change.gold),
        value(&change.seen)
    )
}

/// The user's settings that it may come from.
fn cause(resolved: &Resolved) -> String {
    let suspects: Vec<String> = SUSPECTS
        .iter()
        .filter_map(|(key, what)| match resolved.source(key) {
            Source::Default => None,
            source => Some(format!("`{key}` ({what}, from {source})")),
        })
        .collect();
    if suspects.is_empty() {
        "nothing in your configuration explains it: please report it as a bug in szk".to_owned()
    } else {
        format!("likely cause: {}", suspects.join(", "))
    }
}

/// What distinguishes this machine from an ordinary one, whoever started the browser.
pub(super) fn limits(gold: &Report) -> Vec<Check> {
    let main = gold.realms.get("main");
    let says = |words: &[&str]| {
        main.into_iter()
            .flat_map(|checks| checks.iter())
            .filter(|(check, _)| check.to_lowercase().contains("webgl"))
            .any(|(_, outcome)| {
                let text = serde_json::to_string(outcome).unwrap_or_default();
                words.iter().any(|word| text.contains(word))
            })
    };
    let mut limits = Vec::new();
    if says(&["llvmpipe", "SwiftShader", "softpipe"]) {
        limits.push(Check::ok(
            "graphics",
            "software rendering, as on most servers: pages can see that, with a browser started by hand too, and only a graphics card changes it",
        ));
    }
    limits
}
