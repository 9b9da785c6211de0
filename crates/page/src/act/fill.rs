//! Writing into fields.

use serde_json::{Value, json};

use super::ActError;
use super::actor::Actor;
use super::aim::Wants;
use super::target::Place;
use crate::input::{Button, Chord, Pace};

/// Characters that are typed one by one; a longer text is put in at once, as if it was pasted.
const TYPED: [(Pace, usize); 2] = [(Pace::Fast, 2000), (Pace::Human, 100)];
/// The most arrow keys that are pressed to move a slider.
const ARROWS: f64 = 60.0;

#[derive(serde::Deserialize)]
struct Range {
    min: f64,
    max: f64,
    step: f64,
    value: f64,
}

impl Actor<'_> {
    /// Adds text where the caret is.
    pub(super) async fn type_into(
        &mut self,
        place: Option<Place>,
        text: &str,
    ) -> Result<(), ActError> {
        match &place {
            Some(place) => {
                let before = self.attend(place).await?;
                if before.checked.is_some() && before.sort != "other" {
                    return Err(unsuited(&before.name, "does not take text"));
                }
                let editable = matches!(before.sort.as_str(), "text" | "editable");
                let wants = Wants {
                    editable,
                    any: false,
                };
                let look = self.enter(place, wants).await?;
                // Clicking put the caret somewhere; people who add something go to the end.
                if editable && !before.focused && !look.empty && before.kind != "number" {
                    self.strike("Control+End").await?;
                }
            }
            None => self.in_focus().await?,
        }
        self.read_back = true;
        self.type_here(text).await
    }

    pub(super) async fn type_here(&mut self, text: &str) -> Result<(), ActError> {
        self.begin();
        let ack = match self.paste(text) {
            true => Some(self.hand.insert(text)),
            false => self.hand.type_text(text).await?,
        };
        if ack.is_some() {
            self.ack = ack;
        }
        Ok(())
    }

    /// Makes a field hold this and nothing else.
    pub(super) async fn fill(&mut self, place: &Place, text: &str) -> Result<(), ActError> {
        let look = self.attend(place).await?;
        self.did.target = Some(look.name.clone());
        match (look.sort.as_str(), look.kind.as_str()) {
            ("text", kind @ ("date" | "time" | "datetime-local" | "month" | "week")) => {
                return self.date(place, kind, text).await;
            }
            ("text" | "editable", _) => {}
            ("select", _) => return self.select(place, &[text.to_owned()]).await,
            ("range", _) => return self.slide(place, text).await,
            ("color", _) => return self.set(place, text, "a colour has no keys").await,
            ("checkbox" | "radio", _) => {
                let on = matches!(text, "true" | "on" | "yes" | "1");
                return self.check(place, on).await;
            }
            ("file", _) => return Err(unsuited(&look.name, "takes files: use `upload`")),
            _ => return Err(unsuited(&look.name, "does not take text")),
        }
        let wants = Wants {
            editable: true,
            any: false,
        };
        let look = self.enter(place, wants).await?;
        self.begin();
        self.read_back = true;
        let line = look.sort == "text" && !look.kind.starts_with("textarea");
        let text = match line {
            // Enter would send the form.
            true => text.replace(['\r', '\n'], ""),
            false => text.to_owned(),
        };
        self.expected = Some(text.clone());
        if !look.empty {
            self.strike("Control+A").await?;
            if text.is_empty() {
                self.strike("Delete").await?;
            }
        }
        self.type_here(&text).await
    }

    /// Presses a key that is known to be one.
    pub(super) async fn strike(&mut self, chord: &str) -> Result<(), ActError> {
        if let Ok(chord) = chord.parse::<Chord>() {
            self.begin();
            self.ack = self.hand.chord(&chord).await?;
        }
        Ok(())
    }

    /// Waits for the answer to the last input, though not for ever.
    pub(super) async fn answered(&mut self) {
        if let Some(ack) = self.ack.take() {
            let _ = tokio::time::timeout(std::time::Duration::from_secs(2), ack).await;
        }
    }

    /// Sets a value by script: where neither keys nor clicks do it.
    pub(super) async fn set(
        &mut self,
        place: &Place,
        value: &str,
        why: &str,
    ) -> Result<(), ActError> {
        self.answered().await;
        self.watch(place).await?;
        self.begin();
        place
            .world()
            .ask::<Value>("set", &[json!(place.id), json!(value)])
            .await?;
        self.did.notes.push(format!(
            "set by a script, whose events pages can tell apart: {why}"
        ));
        self.expected = Some(value.to_owned());
        self.read_back = true;
        Ok(())
    }

    /// Moves a slider: near the value with the mouse, the rest with arrow keys.
    async fn slide(&mut self, place: &Place, text: &str) -> Result<(), ActError> {
        let Ok(wanted) = text.trim().parse::<f64>() else {
            let name = self.did.target.clone().unwrap_or_default();
            return Err(unsuited(&name, "takes a number"));
        };
        let range: Range = self.range(place).await?;
        let wanted = wanted.clamp(range.min, range.max);
        let wanted = range.min + ((wanted - range.min) / range.step).round() * range.step;
        let aim = self.point_at(place, Wants::default()).await?;
        self.begin();
        if ((wanted - range.value) / range.step).abs() > ARROWS {
            let look = aim.look.r#box;
            let share = (wanted - range.min) / (range.max - range.min).max(f64::MIN_POSITIVE);
            // The knob's middle goes from half of itself to half of itself before the end.
            let knob = look.height.min(16.0);
            let x = look.x + knob / 2.0 + (look.width - knob) * share;
            let shift = x - (look.x + look.width / 2.0);
            let middle = f64::from(aim.at.0);
            self.hand
                .move_to((middle + shift).round() as i32, aim.at.1)
                .await?;
            self.ack = Some(self.hand.click(Button::Left, 1).await);
            self.answered().await;
        } else {
            self.focus_on(place).await?;
        }
        let now: Range = self.range(place).await?;
        let steps = ((wanted - now.value) / range.step).round();
        let key = if steps > 0.0 {
            "ArrowRight"
        } else {
            "ArrowLeft"
        };
        for _ in 0..steps.abs().min(1000.0) as u32 {
            self.strike(key).await?;
        }
        self.expected = Some(format!("{wanted}"));
        self.read_back = true;
        Ok(())
    }

    async fn range(&self, place: &Place) -> Result<Range, ActError> {
        place.world().ask("range", &[json!(place.id)]).await
    }

    /// Whether a text is too long to be typed.
    fn paste(&self, text: &str) -> bool {
        let most = TYPED
            .iter()
            .find(|(pace, _)| *pace == self.hand.pace())
            .map_or(0, |(_, most)| *most);
        text.chars().count() > most
    }
}

pub(super) fn unsuited(target: &str, why: &str) -> ActError {
    ActError::Unsuited {
        target: target.to_owned(),
        why: why.to_owned(),
    }
}
