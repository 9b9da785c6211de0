//! Which copy to trust when the last reading and Chromium's files differ.

/// Milliseconds since 1970.
pub type Millis = i64;

/// How much newer than the last confirmed reading Chromium's files may be. Beyond this, another
/// program has used the profile, or szk could not save anything for a while.
pub const GAP: Millis = 60_000;

/// Which copy to trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// The profile has no such files: restore the whole reading.
    Nothing,
    /// Chromium exited cleanly and wrote everything. Fill in only what it never keeps.
    Files,
    /// Chromium exited without writing everything, and the reading was confirmed until a moment
    /// before: the reading wins key by key, and deleted keys stay deleted.
    Reading,
    /// Something happened after the reading. For each key the later change wins; if that is unknown,
    /// the files win. Fill in what the files lack, and remove nothing on a guess.
    Later,
}

impl Truth {
    /// What to trust for a restored table until it is read again: the browser may have more than we
    /// put into it.
    #[must_use]
    pub fn until_read(self) -> Self {
        match self {
            Self::Nothing | Self::Reading => Self::Reading,
            Self::Files | Self::Later => self,
        }
    }

    /// The same for a table that was not read since, for which `unread` applies.
    #[must_use]
    pub fn unless(self, unread: Option<Self>) -> Self {
        match (self, unread) {
            (Self::Reading | Self::Later, Some(Self::Files)) => Self::Files,
            (Self::Reading, Some(Self::Later)) => Self::Later,
            _ => self,
        }
    }
}

/// What is known about a profile before its browser starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Evidence {
    /// When Chromium last wrote such files; `None` if there are none.
    pub files: Option<Millis>,
    /// When the reading was last [confirmed](confirmed); `None` if szk did not write it.
    pub confirmed: Option<Millis>,
    /// The keeper outlived the browser, and its last reading was less than [`GAP`] old by a clock that
    /// never jumps.
    pub watched: bool,
    /// Chromium was seen to exit cleanly after the reading.
    pub sealed: bool,
}

/// The time to record when a reading is confirmed: `now`, or that of Chromium's files if they seem to
/// be from the future because the clock was set back.
#[must_use]
pub fn confirmed(now: Millis, files: Option<Millis>) -> Millis {
    files.map_or(now, |files| files.max(now))
}

/// Decides from what is known before the browser starts.
#[must_use]
pub fn truth(evidence: Evidence) -> Truth {
    match (evidence.files, evidence.confirmed) {
        (None, _) => Truth::Nothing,
        (Some(_), None) => Truth::Later,
        (Some(_), Some(_)) if evidence.sealed => Truth::Files,
        (Some(_), Some(_)) if evidence.watched => Truth::Reading,
        (Some(files), Some(confirmed)) if files.saturating_sub(confirmed) > GAP => Truth::Later,
        (Some(_), Some(_)) => Truth::Reading,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(files: Option<Millis>, confirmed: Option<Millis>, sealed: bool, expected: Truth) {
        let evidence = Evidence {
            files,
            confirmed,
            sealed,
            watched: false,
        };
        assert_eq!(truth(evidence), expected, "{evidence:?}");
    }

    #[test]
    fn each_end_has_its_truth() {
        check(None, None, false, Truth::Nothing);
        check(None, Some(5), true, Truth::Nothing);
        check(Some(5), None, false, Truth::Later);
        check(Some(5), None, true, Truth::Later);
        check(Some(9_000_000), Some(5), true, Truth::Files);
        check(Some(5), Some(9_000_000), false, Truth::Reading);
        check(Some(GAP), Some(0), false, Truth::Reading);
        check(Some(GAP + 1), Some(0), false, Truth::Later);
    }

    #[test]
    fn what_was_not_read_again_keeps_its_truth() {
        use Truth::{Files, Later, Nothing, Reading};
        for (restored, ended, right) in [
            (Files, Reading, Files),
            (Files, Later, Files),
            (Later, Reading, Later),
            (Nothing, Reading, Reading),
            (Reading, Later, Later),
            (Later, Nothing, Nothing),
        ] {
            assert_eq!(ended.unless(Some(restored.until_read())), right);
            assert_eq!(ended.unless(None), ended);
        }
    }

    #[test]
    fn clocks_that_jump_mislead_nobody() {
        // Set back: the files are from the future, and were when the reading was confirmed.
        let files = Some(9_000_000);
        check(files, Some(confirmed(5, files)), false, Truth::Reading);
        assert_eq!(confirmed(5, None), 5);
        // Set forward between the reading and the exit.
        let evidence = Evidence {
            files,
            confirmed: Some(5),
            watched: true,
            sealed: false,
        };
        assert_eq!(truth(evidence), Truth::Reading);
    }
}
