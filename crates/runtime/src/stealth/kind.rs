//! The kind of a target, as far as its setup depends on it.

/// Kinds with the same setup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A page, or anything else with a document and a screen of its own. Unknown kinds count as pages: a
    /// command that such a target refuses shows that it is not protected.
    Page,
    /// A frame in a process of its own, within a page.
    Frame,
    /// A worker with the scripts of a page: dedicated, shared or service.
    Worker,
    /// Chromium's own tab, which contains pages. It runs no scripts.
    Tab,
    /// A worklet, which knows neither user agent nor languages.
    Worklet,
}

impl Kind {
    /// The kind of a target that CDP calls `name`; `None` for those that only Chromium itself uses.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "browser" | "browser_ui" => None,
            "tab" => Some(Self::Tab),
            "iframe" => Some(Self::Frame),
            _ if name.contains("worklet") => Some(Self::Worklet),
            _ if name.contains("worker") => Some(Self::Worker),
            _ => Some(Self::Page),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_kinds_are_set_up_as_pages() {
        for (name, kind) in [
            ("page", Some(Kind::Page)),
            ("iframe", Some(Kind::Frame)),
            ("worker", Some(Kind::Worker)),
            ("shared_worker", Some(Kind::Worker)),
            ("service_worker", Some(Kind::Worker)),
            ("audio_worklet", Some(Kind::Worklet)),
            ("tab", Some(Kind::Tab)),
            ("browser", None),
            ("hologram", Some(Kind::Page)),
        ] {
            assert_eq!(Kind::of(name), kind, "{name}");
        }
    }
}
