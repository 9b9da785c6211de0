//! Mouse and keyboard of an X server, as a person's hands move them: through its XTEST extension, whose events
//! programs cannot tell from those of devices.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use super::Display;

/// Milliseconds between two reports of the mouse.
const REPORT: u32 = 8;

const KEY: u8 = 2;
const BUTTON: u8 = 4;
const MOTION: u8 = 6;

/// A mouse and a keyboard. What they do is queued: the server itself keeps the times between events, so nobody
/// here sleeps, and [`Hands::done`] waits until all has happened.
pub(crate) struct Hands {
    x: UnixStream,
    /// The extension's number.
    xtest: u8,
    /// The key that types a keysym, and whether with Shift.
    keys: HashMap<u32, (u8, bool)>,
    at: (i32, i32),
}

impl Hands {
    pub(crate) fn on(display: &Display) -> Self {
        let name = display.name().trim_start_matches(':');
        let mut x = UnixStream::connect(format!("/tmp/.X11-unix/X{name}")).expect("it listens");
        // Set-up: version 11.0, no authentication, this kind of machine's byte order (little-endian).
        send(&mut x, &[b'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        let head: [u8; 8] = read(&mut x, 8).try_into().expect("eight");
        assert_eq!(head[0], 1, "the X server lets us in");
        let setup = read(
            &mut x,
            usize::from(u16::from_le_bytes([head[6], head[7]])) * 4,
        );
        let (first, last) = (setup[26], setup[27]);
        // QueryExtension.
        send(&mut x, &[98, 0, 4, 0, 5, 0, 0, 0]);
        send(&mut x, b"XTEST\0\0\0");
        let reply = read(&mut x, 32);
        assert_eq!(reply[8], 1, "Xvfb has the extension");
        let xtest = reply[9];
        // GetKeyboardMapping.
        send(&mut x, &[101, 0, 2, 0, first, last - first + 1, 0, 0]);
        let reply = read(&mut x, 32);
        let width = usize::from(reply[1]);
        let syms = read(&mut x, word(&reply[4..8]) as usize * 4);
        let mut keys = HashMap::new();
        for (key, syms) in (first..=last).zip(syms.chunks(width * 4)) {
            for (shift, sym) in [false, true].into_iter().zip(syms.chunks(4)) {
                keys.entry(word(sym)).or_insert((key, shift));
            }
        }
        let at = (0, 0);
        Self { x, xtest, keys, at }
    }

    /// An event after this many milliseconds.
    fn fake(&mut self, kind: u8, detail: u8, after: u32) {
        let mut request = vec![self.xtest, 2, 9, 0, kind, detail, 0, 0];
        request.extend(after.to_le_bytes());
        request.extend([0; 12]);
        for place in [self.at.0, self.at.1] {
            request.extend(i16::try_from(place).expect("on the screen").to_le_bytes());
        }
        request.extend([0; 8]);
        send(&mut self.x, &request);
    }

    /// Moves the pointer in a bow: slow, fast, slow.
    pub(crate) fn go(&mut self, to: (i32, i32)) {
        let from = self.at;
        let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
        let reports = (dx.hypot(dy) / 9.0) as u32 + 24;
        for nth in 1..=reports {
            let t = f64::from(nth) / f64::from(reports);
            let way = t * t * t * (10.0 + t * (6.0 * t - 15.0));
            let bow = 0.05 * (std::f64::consts::PI * way).sin();
            let place = |from: i32, along: f64, aside: f64| {
                f64::from(from) + (along * way + aside * bow).round()
            };
            let next = (place(from.0, dx, -dy) as i32, place(from.1, dy, dx) as i32);
            if next != self.at {
                self.at = next;
                self.fake(MOTION, 0, REPORT);
            }
        }
    }

    /// Presses a button (1 left, 3 right, 4 and 5 the wheel) after a while, and lets it go after another.
    pub(crate) fn press(&mut self, button: u8, after: u32, dwell: u32) {
        self.fake(BUTTON, button, after);
        self.fake(BUTTON + 1, button, dwell);
    }

    /// Goes from one place to another with the left button down.
    pub(crate) fn drag(&mut self, from: (i32, i32), to: (i32, i32)) {
        self.go(from);
        self.fake(BUTTON, 1, 120);
        self.go(to);
        self.fake(BUTTON + 1, 1, 150);
    }

    /// Presses a key by its keysym.
    pub(crate) fn key(&mut self, sym: u32, after: u32, dwell: u32) {
        const SHIFT: u32 = 0xffe1;
        let (key, shift) = self.keys[&sym];
        let (held, _) = self.keys[&SHIFT];
        if shift {
            self.fake(KEY, held, after / 2);
        }
        self.fake(KEY, key, after - after / 2);
        self.fake(KEY + 1, key, dwell);
        if shift {
            self.fake(KEY + 1, held, dwell / 3);
        }
    }

    /// Types characters of Latin 1, no two of them alike in time.
    pub(crate) fn write(&mut self, text: &str) {
        for (index, character) in (0_u32..).zip(text.chars()) {
            let (after, dwell) = (70 + index * 53 % 90, 55 + index * 37 % 50);
            self.key(character.into(), after, dwell);
        }
    }

    /// Waits until everything has happened.
    pub(crate) fn done(&mut self) {
        // GetInputFocus, only for its answer.
        send(&mut self.x, &[43, 0, 1, 0]);
        // Every client hears that another keyboard types now; errors begin with 0, answers with 1.
        while let said @ (0 | 2..) = read(&mut self.x, 32)[0] {
            assert_ne!(said, 0, "the X server takes every request");
        }
    }
}

fn send(x: &mut UnixStream, bytes: &[u8]) {
    x.write_all(bytes).expect("the X server reads");
}

fn read(x: &mut UnixStream, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    x.read_exact(&mut bytes).expect("the X server answers");
    bytes
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes.try_into().expect("four"))
}
