//! The page that judges input: `crates/detectors/pages/input.html`.

use crate::harness::{Answer, Plan, Site};

macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("../../crates/detectors/pages/", $name))
    };
}

/// The page, for whoever works it.
pub(crate) fn page() -> Site {
    scripts().page("/", file!("input.html")).serve()
}

/// What the page loads.
pub(crate) fn scripts() -> Plan {
    Site::plan()
        .script("/input/record.js", file!("input/record.js"))
        .script("/input/pointer.js", file!("input/pointer.js"))
        .script("/input/keys.js", file!("input/keys.js"))
        .script("/input/report.js", file!("input/report.js"))
        .on("/left", |_| Answer::status(204))
}
