//! The pages, compiled in: the product serves them too.

/// How much of the suite to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suite {
    /// Every probe in every realm.
    Full,
    /// Every probe, in the page, a frame of another origin and a worker.
    FewRealms,
    /// Probes that take only a few seconds and are known to fail in a wrong set-up.
    Short,
}

impl Suite {
    /// The name that pages know it by.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::FewRealms => "few",
            Self::Short => "short",
        }
    }
}

/// Probes by subject, each in the file of that name in `pages/probes`, and whether the short suite
/// includes it.
macro_rules! probes {
    ($($subject:literal $short:literal,)*) => {
        &[$(($subject, $short, include_str!(concat!("../pages/probes/", $subject, ".js")))),*]
    };
}

const PROBES: &[(&str, bool, &str)] = probes![
    "navigator" true,
    "agreement" true,
    "client_hints" true,
    "screen" true,
    "permissions" true,
    "time" true,
    "webgl" true,
    "canvas" true,
    "state" true,
    "requests" false,
    "devices" false,
    "codecs" false,
    "speech" false,
    "audio" false,
    "fonts" false,
    "styles" false,
    "timing" false,
    "globals" false,
    "interfaces" false,
    "stacks" false,
    "storage" false,
    "engine" false,
    "native" true,
    "errors" true,
    "runtime" true,
    "traces" true,
    "public" true,
    "csp" true,
];

const COLLECT: &str = include_str!("../pages/collect.js");

/// Files to serve as they are: name, type, text.
const FILES: &[(&str, &str, &str)] = &[
    ("", HTML, include_str!("../pages/index.html")),
    ("page.html", HTML, include_str!("../pages/page.html")),
    ("realms.js", JS, include_str!("../pages/realms.js")),
    (
        "prerender.html",
        HTML,
        include_str!("../pages/prerender.html"),
    ),
    ("nest.js", JS, include_str!("../pages/nest.js")),
];

pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const JS: &str = "text/javascript; charset=utf-8";

/// The file of this name, with its type.
pub(crate) fn file(name: &str) -> Option<(&'static str, &'static str)> {
    FILES
        .iter()
        .find(|(known, _, _)| *known == name)
        .map(|(_, kind, text)| (*kind, *text))
}

/// One script with all probes of a suite, that runs them in the realm of this name and reports to
/// `base`. It leaves nothing behind in the realm's global object.
pub(crate) fn bundle(suite: Suite, realm: &str, kind: &str, base: &str) -> String {
    let constant =
        |name: &str, value: &str| format!("const {name} = {};\n", serde_json::json!(value));
    let mut script = String::from("(() => {\n'use strict';\n");
    for (name, value) in [("REALM", realm), ("KIND", kind), ("BASE", base)] {
        script.push_str(&constant(name, value));
    }
    script.push_str(COLLECT);
    for (_, short, text) in PROBES {
        if suite != Suite::Short || *short {
            // A block keeps each file's names private.
            script.push_str("{\n");
            script.push_str(text);
            script.push_str("}\n");
        }
    }
    script.push_str("collect();\n})();\n");
    script
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_probe_file_is_served() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/pages/probes");
        let there: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let listed = PROBES
            .iter()
            .map(|(name, ..)| format!("{name}.js"))
            .collect();
        assert_eq!(there, listed);
    }

    #[test]
    fn the_short_suite_is_part_of_the_full_one() {
        let [full, short] = [Suite::Full, Suite::Short]
            .map(|suite| bundle(suite, "main", "document", "http://127.0.0.1:1/x/").len());
        assert!(short <= full);
    }
}
