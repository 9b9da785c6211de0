//! For tests of how even something is in time: other tests run beside them.

use rustix::process::{getpriority_process, setpriority_process};

/// Far before the rest, but behind what the kernel does.
const FIRST: i32 = -15;

/// While it is held, what its thread starts gets the processor before the programs of other tests.
///
/// That takes the rights of root. Without them nothing changes: on an idle machine nothing has to.
pub(crate) struct Priority {
    before: Option<i32>,
}

impl Priority {
    pub(crate) fn first() -> Self {
        // On Linux this is the priority of the calling thread, and its children inherit it.
        let before = getpriority_process(None).ok();
        let changed = setpriority_process(None, FIRST).is_ok();
        Self {
            before: before.filter(|_| changed),
        }
    }
}

impl Drop for Priority {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            // The thread may run another test next.
            let _ = setpriority_process(None, before);
        }
    }
}
