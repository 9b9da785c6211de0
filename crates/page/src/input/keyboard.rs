//! What a hand does with the keyboard.

use szk_cdp::CallError;
use szk_cdp::protocol::input::{ImeSetCompositionParams, InsertTextParams};
use tokio::time::Instant;

use super::chord::{Chord, Main};
use super::device::{InputDevice, answered};
use super::event::{Ack, KeyEvent};
use super::keys::Key;
use super::strokes::{Part, Typed, in_order, parts, schedule};
use super::{Modifier, Pace, Person, strokes};

/// Events to send before waiting for a reply.
const AHEAD: usize = 64;

/// The key that input methods report for the keys they consume.
const PROCESS: Key = super::keys::key("", 229, 0);

impl InputDevice {
    /// Whether a text has characters that the layout lacks.
    #[must_use]
    pub fn lacks(&self, text: &str) -> bool {
        strokes::lacks(text, self.layout)
    }

    /// The same for the key of a chord.
    #[must_use]
    pub fn lacks_key(&self, chord: &Chord) -> bool {
        chord.on(self.layout).is_none()
    }

    /// Whether an input method enters what the layout lacks.
    #[must_use]
    pub fn composes(&self) -> bool {
        self.composes
    }

    /// Whether there is an input method for what the layout lacks: it writes into the field with the caret, which
    /// need not have the focus.
    pub fn compose_what_is_lacking(&mut self, composes: bool) {
        self.composes = composes;
    }

    /// Types a text into the focused element: key events for characters of the layout, an input method
    /// for the rest, if there is one. Returns the reply to the last event; `None` for an empty text.
    ///
    /// # Errors
    /// The tab or the browser is gone.
    pub async fn type_text(&mut self, text: &str) -> Result<Option<Ack>, CallError> {
        let mut last = None;
        for part in parts(text, self.layout, self.composes) {
            // Key events and input methods take different paths through the browser.
            if let Some(ack) = last.take() {
                answered(ack).await?;
            }
            last = match part {
                Part::Keys(keys) => self.strike(&keys).await?,
                Part::Composed(text) => Some(self.compose(&text).await?),
                Part::Inserted(text) => Some(self.insert(&text)),
            };
        }
        Ok(last)
    }

    /// Puts a text in at once, as pasting and input methods do: no key is pressed.
    pub fn insert(&mut self, text: &str) -> Ack {
        let params = InsertTextParams::new(text);
        Ack::Reply(self.connection.post(Some(&self.session), &params))
    }

    /// Presses a chord; returns the reply to its main key going up, before the modifiers do. `None` if
    /// the layout does not have the character.
    ///
    /// # Errors
    /// The tab or the browser is gone.
    pub async fn chord(&mut self, chord: &Chord) -> Result<Option<Ack>, CallError> {
        let Some((held, pressed)) = chord.on(self.layout) else {
            return match chord.main {
                Main::Character(character) => self.type_text(&character.to_string()).await,
                Main::Named { .. } => Ok(None),
            };
        };
        // One key after the other, not all at once.
        self.pause(Person::next_key).await;
        self.hold(&held).await;
        let event = |down: bool, modifiers: u8| KeyEvent {
            down,
            key: pressed.key.clone(),
            info: pressed.info,
            modifiers,
            text: if down {
                pressed.text.clone()
            } else {
                String::new()
            },
        };
        let modifiers = self.modifiers;
        drop(self.key(event(true, modifiers)));
        self.pause(Person::key).await;
        let ack = self.key(event(false, modifiers));
        self.let_go(&held).await;
        Ok(Some(ack))
    }

    /// A modifier going down or up.
    pub(super) fn modifier(&mut self, modifier: Modifier, down: bool) {
        if down {
            self.modifiers |= modifier.bit();
        } else {
            self.modifiers &= !modifier.bit();
        }
        let (key, info) = modifier.key();
        let modifiers = self.modifiers;
        drop(self.key(KeyEvent {
            down,
            key: key.to_owned(),
            info,
            modifiers,
            text: String::new(),
        }));
    }

    async fn strike(&mut self, keys: &[Typed]) -> Result<Option<Ack>, CallError> {
        let events = match self.pace() {
            Pace::Fast => in_order(keys)
                .into_iter()
                .map(|event| (None, event))
                .collect::<Vec<_>>(),
            Pace::Human => {
                let start = Instant::now();
                let (person, random) = self.chance();
                schedule(keys, &person.clone(), random)
                    .into_iter()
                    .map(|(at, event)| (Some(start + at), event))
                    .collect()
            }
        };
        let count = events.len();
        let mut last = None;
        for (index, (due, event)) in events.into_iter().enumerate() {
            if let Some(due) = due {
                self.wait_until(due).await;
            }
            let ack = self.key(event);
            if index + 1 == count {
                last = Some(ack);
            } else if (index + 1) % AHEAD == 0 {
                answered(ack).await?;
            }
        }
        Ok(last)
    }

    /// Acts like an input method: a consumed key, the text being composed, and the final text.
    async fn compose(&mut self, text: &str) -> Result<Ack, CallError> {
        let process = |down: bool| KeyEvent {
            down,
            key: "Process".to_owned(),
            info: PROCESS,
            modifiers: 0,
            text: String::new(),
        };
        drop(self.key(process(true)));
        self.pause(Person::key).await;
        let end = i64::try_from(text.encode_utf16().count()).unwrap_or(i64::MAX);
        let params = ImeSetCompositionParams::new(text, end, end);
        let shown = self.connection.post(Some(&self.session), &params);
        answered(Ack::Reply(shown)).await?;
        self.pause(Person::key).await;
        answered(self.insert(text)).await?;
        Ok(self.key(process(false)))
    }
}
