//! Forwards signals to a program that runs in our place.

use rustix::process::{Pid, Signal as Number, kill_process};
use rustix::termios::tcgetpgrp;
use tokio::process::Child;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that someone may send to us but mean for the program.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: Signal,
    quit: Signal,
    terminate: Signal,
    hangup: Signal,
    user1: Signal,
    user2: Signal,
}

/// A signal that arrived.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrived {
    number: Number,
    /// The terminal sends it to the program as well, on a key press.
    from_keys: bool,
}

impl Signals {
    /// Starts listening; from now on these signals no longer end this process.
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
    /// Forwards it to `child`. Ctrl-C and Ctrl-\ already reach every process of the terminal's
    /// foreground group; sending them twice would look like an impatient person.
    pub(crate) fn pass_on(self, child: &Child) {
        if self.from_keys && in_foreground() {
            return;
        }
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok());
        if let Some(pid) = pid.and_then(Pid::from_raw) {
            // It has just exited, which is what we are waiting for anyway.
            let _ = kill_process(pid, self.number);
        }
    }
}

/// Whether the terminal's keys reach us.
fn in_foreground() -> bool {
    let own = szk_client::own_group().and_then(|own| i32::try_from(own).ok());
    tcgetpgrp(std::io::stdin()).is_ok_and(|group| own == Some(group.as_raw_nonzero().get()))
}
