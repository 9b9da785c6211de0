//! The moment when a state is being written.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};

/// A watch for the temporary file that becomes `state.json`.
pub(super) struct Saving(OwnedFd);

impl Saving {
    pub(super) fn watch(folder: &Path) -> Self {
        let watch = init(CreateFlags::CLOEXEC).expect("this system has inotify");
        add_watch(&watch, folder, WatchFlags::CREATE).expect("the profile is there");
        Self(watch)
    }

    /// Waits until the file is created. A page at work is saved every few seconds.
    pub(super) fn begins(self) {
        let limit = Timespec::try_from(Duration::from_secs(30)).expect("it is short");
        let mut watched = [PollFd::new(&self.0, PollFlags::IN)];
        let came = poll(&mut watched, Some(&limit)).expect("it can be waited for");
        assert_eq!(came, 1, "nothing was saved for {limit:?}");
    }
}
