//! Whether a reading comes from the process that kept the data all along.

/// The process that keeps a table for Chromium, as far as we know it. `P` tells processes apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watched<P> {
    process: Option<P>,
    /// It has died, and what was read before is not restored yet.
    lost: bool,
}

/// The process that was going to answer when a reading began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source<P>(Option<P>);

impl<P> Source<P> {
    /// Whether that process is known at all.
    pub fn is_known(&self) -> bool {
        self.0.is_some()
    }
}

impl<P> Default for Watched<P> {
    fn default() -> Self {
        Self {
            process: None,
            lost: false,
        }
    }
}

impl<P: Copy + PartialEq> Watched<P> {
    /// The process, if it is known.
    pub fn process(&self) -> Option<P> {
        self.process
    }

    /// Whether the data it kept is lost and not restored yet.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// Call this before a reading begins.
    pub fn source(&self) -> Source<P> {
        Source(self.process)
    }

    /// Call this when a reading has arrived: whether the process that was going to answer is still
    /// alive, so no other can have answered.
    pub fn believes(&mut self, source: Source<P>, lives: impl Fn(P) -> bool) -> bool {
        if self.process.is_some_and(|process| !lives(process)) {
            self.lost = true;
        }
        !self.lost && self.source() == source
    }

    /// It has died: readings do not count until [`Watched::replaced`].
    pub fn lost(&mut self) {
        self.lost = true;
    }

    /// This process exists. Does nothing while data is lost.
    pub fn found(&mut self, process: P) {
        if !self.lost && self.process.is_none() {
            self.process = Some(process);
        }
    }

    /// The lost data is restored, in this process.
    pub fn replaced(&mut self, process: Option<P>) {
        self.process = process;
        self.lost = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_process_that_was_there_all_along_counts() {
        let mut watched = Watched::default();
        let unknown = watched.source();
        assert!(watched.believes(unknown, |_| true));
        watched.found(1);
        // The reading began before anyone knew which process would answer.
        assert!(!watched.believes(unknown, |_| true));
        let one = watched.source();
        assert!(watched.believes(one, |_| true));
        assert!(!watched.believes(one, |_| false));
        // For good, even if its pid is reused.
        assert!(!watched.believes(one, |_| true) && watched.is_lost());
        watched.found(2);
        assert!(watched.is_lost());
        watched.replaced(Some(2));
        assert!(!watched.believes(one, |_| true));
        let two = watched.source();
        assert!(watched.believes(two, |_| true) && two.is_known());
    }
}
