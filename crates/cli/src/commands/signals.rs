//! Signals for a program that runs in our place.

use rustix::process::{Pid, Signal as Number, getpgrp, kill_process};
use rustix::termios::tcgetpgrp;
use tokio::process::Child;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals somebody may send us and mean the program.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: Signal,
    quit: Signal,
    terminate: Signal,
    hangup: Signal,
    user1: Signal,
    user2: Signal,
}

/// One signal that arrived.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrived {
    number: Number,
    /// The terminal's keys send it to the program as well.
    from_keys: bool,
}

impl Signals {
    /// Listens from now on; from now on they no longer end this process.
    pub(crate) fn listen() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            user1: signal(SignalKind::user_defined1())?,
            user2: signal(SignalKind::user_defined2())?,
        })
    }

    /// The next one.
    pub(crate) async fn next(&mut self) -> Arrived {
        let (number, from_keys) = tokio::select! {
            _ = self.interrupt.recv() => (Number::INT, true),
            _ = self.quit.recv() => (Number::QUIT, true),
            _ = self.terminate.recv() => (Number::TERM, false),
            _ = self.hangup.recv() => (Number::HUP, false),
            _ = self.user1.recv() => (Number::USR1, false),
            _ = self.user2.recv() => (Number::USR2, false),
        };
        Arrived { number, from_keys }
    }
}

impl Arrived {
    /// Sends it on to `child`. Ctrl-C and Ctrl-\ reach every process of the terminal's foreground
    /// group by themselves; twice would look like an impatient person.
    pub(crate) fn pass_on(self, child: &Child) {
        if self.from_keys && in_foreground() {
            return;
        }
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok());
        if let Some(pid) = pid.and_then(Pid::from_raw) {
            // Gone in this moment: its end is what we are waiting for anyway.
            let _ = kill_process(pid, self.number);
        }
    }
}

/// Whether the terminal's keys mean us.
fn in_foreground() -> bool {
    tcgetpgrp(std::io::stdin()).is_ok_and(|group| group == getpgrp())
}
