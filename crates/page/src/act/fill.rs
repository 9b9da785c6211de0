//! Writes into fields.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::ActError;
use super::actor::Actor;
use super::aim::Wants;
use super::target::Located;
use crate::input::{Button, Chord, Pace};

/// Longest text to type character by character at the fast pace; a longer one is inserted at once.
const TYPED: usize = 2000;
/// What an act needs for the rest, when a text is typed at a person's pace.
const REST: Duration = Duration::from_secs(3);
/// The most arrow keys to press to move a slider.
const ARROWS: f64 = 60.0;

#[derive(serde::Deserialize)]
struct Range {
    min: f64,
    max: f64,
    step: f64,
    value: f64,
}

impl Range {
    /// Whether the slider can take this value.
    fn takes(&self, wanted: f64) -> bool {
        let steps = match self.step > 0.0 {
            true => (wanted - self.min) / self.step,
            false => 0.0,
        };
        (self.min..=self.max).contains(&wanted) && (steps - steps.round()).abs() < 1e-6
    }

    fn words(&self) -> String {
        let steps = match self.step > 0.0 {
            true => format!(" in steps of {}", self.step),
            false => String::new(),
        };
        format!("takes a number from {} to {}{steps}", self.min, self.max)
    }
}

/// What the focused element takes.
#[derive(serde::Deserialize)]
struct FocusTakes {
    /// It can be edited.
    text: bool,
    /// Its number: what has the focus may be inside of it.
    inside: Option<u32>,
    /// It holds another document.
    frame: bool,
}

impl Actor<'_> {
    /// Adds text at the caret.
    pub(super) async fn type_into(
        &mut self,
        located: Option<Located>,
        text: &str,
    ) -> Result<(), ActError> {
        match &located {
            Some(located) => {
                let before = self.attend(located).await?;
                if before.checked.is_some() && before.sort != "other" {
                    return Err(unsuited(&before.name, "does not take text"));
                }
                let editable = matches!(before.sort.as_str(), "text" | "editable");
                let wants = Wants {
                    editable,
                    any: false,
                };
                self.first_look = Some((located.id, Box::new(before.clone())));
                let look = self.enter(located, wants).await?;
                if editable {
                    self.remember(located, text).await?;
                }
                // The click put the caret somewhere; people who append go to the end first.
                if editable && !before.focused && !look.empty && before.kind != "number" {
                    self.strike("Control+End").await?;
                }
            }
            None => {
                self.in_focus().await?;
                if let Some(located) = self.located.clone().filter(|_| self.did.target.is_some())
                    && matches!(
                        self.look(&located).await?.sort.as_str(),
                        "text" | "editable"
                    )
                {
                    self.remember(&located, text).await?;
                }
            }
        }
        self.read_back = true;
        self.type_here(text).await
    }

    /// Remembers what a field holds, to check afterwards whether it took the text.
    async fn remember(&mut self, located: &Located, text: &str) -> Result<(), ActError> {
        let asked = [json!(located.id)];
        located.world().ask::<Value>("before", &asked).await?;
        self.typed = Some(text.to_owned());
        Ok(())
    }

    pub(super) async fn type_here(&mut self, text: &str) -> Result<(), ActError> {
        let long = self.too_long(text);
        if long || self.device.lacks(text) {
            self.mind_the_focus().await;
        }
        // Only a field takes a text at once.
        if long && !self.device.composes() && self.device.pace() == Pace::Human {
            let seconds = (self.device.typing(text.chars().count()) + REST).as_secs();
            let target = self.did.target.clone();
            return Err(unsuited(
                &target.unwrap_or_else(|| "the page".to_owned()),
                &format!("can only be typed into: give the call {seconds} s to do that"),
            ));
        }
        let long = long && self.device.composes();
        self.begin();
        if self.device.pace() == Pace::Human && long {
            let seconds = (self.device.typing(text.chars().count()) + REST).as_secs();
            self.did.notes.push(format!(
                "inserted at once, which pages can tell from typing; typing it would take {seconds} s, so raise `timeout_ms` to have it typed"
            ));
        }
        let ack = match long {
            true => Some(self.device.insert(text)),
            false => self.device.type_text(text).await?,
        };
        if ack.is_some() {
            self.ack = ack;
        }
        Ok(())
    }

    /// Uses an input method only if what has the focus can be edited: it would write where the caret was last. Where
    /// that cannot be told, it is used.
    pub(super) async fn mind_the_focus(&mut self) {
        let takes = self.focus_takes_text().await.unwrap_or(true);
        self.device.compose_what_is_lacking(takes);
    }

    /// Whether the focused element, in whatever frame or tree, can be edited.
    async fn focus_takes_text(&self) -> Result<bool, ActError> {
        let mut level = self.scene.page().await?;
        loop {
            let focus: FocusTakes = level.world.ask("focus_takes", &[]).await?;
            let Some(at) = focus.inside.filter(|_| !focus.text) else {
                return Ok(focus.text);
            };
            if focus.frame {
                match self.scene.inside(&level, at).await? {
                    Some(inner) => level = inner,
                    None => return Ok(true),
                }
            } else if !level.world.unseal(at).await? {
                return Ok(false);
            }
        }
    }

    /// Makes a field contain exactly this text.
    pub(super) async fn fill(&mut self, located: &Located, text: &str) -> Result<(), ActError> {
        let look = self.attend(located).await?;
        self.did.target = Some(look.name.clone());
        match (look.sort.as_str(), look.kind.as_str()) {
            ("text", kind @ ("date" | "time" | "datetime-local" | "month" | "week")) => {
                return self.date(located, kind, text).await;
            }
            ("text" | "editable", _) => {}
            ("select", _) => return self.select(located, &[text.to_owned()]).await,
            ("range", _) => return self.slide(located, text).await,
            ("color", _) => return self.set(located, text, "a colour has no keys").await,
            ("checkbox" | "radio", _) => {
                let on = match text.trim().to_lowercase().as_str() {
                    "true" | "on" | "yes" | "1" => true,
                    "false" | "off" | "no" | "0" => false,
                    _ => return Err(unsuited(&look.name, "takes `true` or `false`")),
                };
                return self.check(located, on).await;
            }
            ("file", _) => return Err(unsuited(&look.name, "takes files: use `upload`")),
            _ => return Err(unsuited(&look.name, "does not take text")),
        }
        let wants = Wants {
            editable: true,
            any: false,
        };
        self.first_look = Some((located.id, Box::new(look)));
        let look = self.enter(located, wants).await?;
        self.begin();
        self.read_back = true;
        let line = look.sort == "text" && !look.kind.starts_with("textarea");
        let text = match line {
            true => self.on_one_line(text),
            false => text.to_owned(),
        };
        self.expected = Some(text.clone());
        if !look.empty {
            // In an editable region, only this part is meant.
            let part = look.sort == "editable"
                && located
                    .world()
                    .ask::<bool>("encompass", &[json!(located.id)])
                    .await?;
            if !part {
                self.strike("Control+A").await?;
            }
            if text.is_empty() {
                self.strike("Delete").await?;
            }
        }
        self.type_here(&text).await
    }

    /// The text as a single-line field takes it: Enter would submit the form.
    fn on_one_line(&mut self, text: &str) -> String {
        let line = text.replace(['\r', '\n'], "");
        if line.len() < text.trim_end_matches(['\r', '\n']).len() {
            let note = "the field has only one line: line breaks were removed";
            self.did.notes.push(note.to_owned());
        }
        line
    }

    /// Presses a key that is known to exist.
    pub(super) async fn strike(&mut self, chord: &str) -> Result<(), ActError> {
        if let Ok(chord) = chord.parse::<Chord>() {
            self.begin();
            self.ack = self.device.chord(&chord).await?;
        }
        Ok(())
    }

    /// Waits for the reply to the last input, but not forever.
    pub(super) async fn answered(&mut self) {
        if let Some(ack) = self.ack.take() {
            let _ = tokio::time::timeout(Duration::from_secs(2), ack).await;
        }
    }

    /// Sets a value by script, for fields that neither keys nor clicks can set.
    pub(super) async fn set(
        &mut self,
        located: &Located,
        value: &str,
        why: &str,
    ) -> Result<(), ActError> {
        self.answered().await;
        self.watch(located).await?;
        self.begin();
        located
            .world()
            .ask::<Value>("set", &[json!(located.id), json!(value)])
            .await?;
        self.did.notes.push(format!(
            "set by a script, whose events pages can detect: {why}"
        ));
        self.expected = Some(value.to_owned());
        self.read_back = true;
        Ok(())
    }

    /// Moves a slider: near the value with the mouse, the rest with arrow keys.
    async fn slide(&mut self, located: &Located, text: &str) -> Result<(), ActError> {
        let Ok(wanted) = text.trim().parse::<f64>() else {
            let name = self.did.target.clone().unwrap_or_default();
            return Err(unsuited(&name, "takes a number"));
        };
        let range: Range = self.range(located).await?;
        if !range.takes(wanted) {
            let name = self.did.target.clone().unwrap_or_default();
            return Err(unsuited(&name, &range.words()));
        }
        let step = if range.step > 0.0 { range.step } else { 1.0 };
        let aim = self.point_at(located, Wants::default()).await?;
        self.begin();
        if ((wanted - range.value) / step).abs() > ARROWS {
            let look = aim.look.r#box;
            let share = (wanted - range.min) / (range.max - range.min).max(f64::MIN_POSITIVE);
            // The centre of the knob travels from half its width to half its width before the end.
            let knob = look.height.min(16.0);
            let x = look.x + knob / 2.0 + (look.width - knob) * share;
            let shift = x - (look.x + look.width / 2.0);
            let middle = f64::from(aim.at.0);
            self.device
                .move_to((middle + shift).round() as i32, aim.at.1)
                .await?;
            self.ack = Some(self.device.click(Button::Left, 1).await);
            self.answered().await;
            self.landed(located).await?;
        } else {
            self.focus_on(located).await?;
        }
        let now: Range = self.range(located).await?;
        let steps = ((wanted - now.value) / step).round();
        let key = if steps > 0.0 {
            "ArrowRight"
        } else {
            "ArrowLeft"
        };
        for _ in 0..steps.abs().min(1000.0) as u32 {
            self.strike(key).await?;
        }
        self.answered().await;
        let now: Range = self.range(located).await?;
        let value = format!("{wanted}");
        if (now.value - wanted).abs() > 1e-9 {
            return self
                .set(located, &value, "its keys gave another value")
                .await;
        }
        self.expected = Some(value);
        self.read_back = true;
        Ok(())
    }

    async fn range(&self, located: &Located) -> Result<Range, ActError> {
        located.world().ask("range", &[json!(located.id)]).await
    }

    /// Whether a text is too long to be typed: at a person's pace the call's time decides.
    fn too_long(&self, text: &str) -> bool {
        let characters = text.chars().count();
        match self.device.pace() {
            Pace::Fast => characters > TYPED,
            Pace::Human => Instant::now() + self.device.typing(characters) + REST > self.deadline,
        }
    }
}

pub(super) fn unsuited(target: &str, why: &str) -> ActError {
    ActError::Unsuited {
        target: target.to_owned(),
        why: why.to_owned(),
    }
}
