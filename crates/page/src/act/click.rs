//! Clicking, hovering, giving the focus, pressing keys, switching.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use szk_cdp::Done;
use szk_cdp::protocol::dom::FocusParams;
use szk_cdp::protocol::runtime::RemoteObjectId;

use super::ActError;
use super::actor::{Act, Actor};
use super::aim::Wants;
use super::look::Look;
use super::pointer::Moving;
use super::target::Located;
use crate::input::{Ack, Button, Chord, Modifier};

/// Milliseconds a switch has to toggle: some ask their server first.
const SWITCHES: u32 = 1000;
/// The states that a switch may have.
const STATES: u32 = 3;
/// How long a page may take to say whether it has prevented the menu of a right click.
const MENU: Duration = Duration::from_secs(1);

/// What has become of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Switched {
    AsAsked,
    Opposite,
    /// Neither on nor off.
    Mixed,
}

/// How to click.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clicking {
    /// With which button.
    pub button: Button,
    /// Clicks in a row: 2 is a double click.
    pub count: u32,
    /// Modifiers held meanwhile.
    pub modifiers: Vec<Modifier>,
}

impl Default for Clicking {
    fn default() -> Self {
        Self {
            button: Button::Left,
            count: 1,
            modifiers: Vec::new(),
        }
    }
}

impl Actor<'_> {
    pub(super) async fn click(
        &mut self,
        located: &Located,
        clicking: &Clicking,
    ) -> Result<(), ActError> {
        self.point_at_shown(located, Wants::default()).await?;
        self.expect_press(located.world());
        self.click_here(clicking).await;
        Ok(())
    }

    /// Moves the pointer to an element, or to what is drawn in its stead.
    async fn point_at_shown(&mut self, located: &Located, wants: Wants) -> Result<(), ActError> {
        let label = self.stand_in(located).await?;
        let named = self.did.target.clone();
        self.point_at(label.as_ref().unwrap_or(located), wants)
            .await?;
        if label.is_some() {
            self.did.target = named;
        }
        Ok(())
    }

    /// The label of a check box or radio button that cannot be hit itself: a page draws it in its stead.
    async fn stand_in(&mut self, located: &Located) -> Result<Option<Located>, ActError> {
        let look = self.attend(located).await?;
        self.did.target = Some(look.name.clone());
        let ticks = matches!(look.sort.as_str(), "checkbox" | "radio");
        // Left of the page nothing can be scrolled to.
        let away = look.r#box.x + look.r#box.width <= 0.0;
        let reached = look.visible && (look.open() || !look.in_view() && !away);
        self.first_look = Some((located.id, Box::new(look)));
        if !ticks || reached {
            return Ok(None);
        }
        let label: Option<u32> = located.world().ask("label", &[json!(located.id)]).await?;
        Ok(label.map(|id| located.sibling(id)))
    }

    /// The same when more follows: waits until the page has seen it.
    pub(super) async fn click_surely(
        &mut self,
        located: &Located,
        clicking: &Clicking,
    ) -> Result<(), ActError> {
        self.click(located, clicking).await?;
        self.answered().await;
        self.landed(located).await.map(drop)
    }

    /// Clicks at the pointer.
    pub(super) async fn click_here(&mut self, clicking: &Clicking) {
        self.begin();
        self.device.hold(&clicking.modifiers).await;
        self.ack = match (clicking.button, clicking.count) {
            (Button::Right, 1) => self.open_menu().await,
            (button, count) => Some(self.device.click(button, count).await),
        };
        self.device.let_go(&clicking.modifiers).await;
    }

    /// Clicks with the right button. If that opens the browser's menu, the menu gets the release, and the
    /// page never does.
    async fn open_menu(&mut self) -> Option<Ack> {
        self.device.rest().await;
        let at = self.device.at().unwrap_or_default();
        let pressed = self.device.press(Button::Right, 1);
        self.device.dwell().await;
        let shown = async {
            drop(pressed.await);
            match &self.located {
                Some(located) => located.world().ask("menu", &[]).await.unwrap_or(false),
                None => false,
            }
        };
        // A slow page gets both events in the end.
        if tokio::time::timeout(MENU, shown).await == Ok(true) {
            if !self.device.close_menu(at).await {
                self.device.lose(Button::Right, at);
            }
            return None;
        }
        Some(self.device.release(Button::Right, 1))
    }

    pub(super) async fn hover(&mut self, located: &Located) -> Result<(), ActError> {
        let wants = Wants {
            any: true,
            ..Wants::default()
        };
        match self.point_at_shown(located, wants).await {
            // What is around it shows what there is to say of it, as of a button that cannot be used.
            Err(error @ ActError::PassesThrough { .. }) => {
                let asked = [json!(located.id)];
                let receiver: Option<u32> = located.world().ask("receiver", &asked).await?;
                let around = receiver.map(|id| located.sibling(id)).ok_or(error)?;
                let named = self.did.target.clone();
                self.point_at(&around, wants).await?;
                self.did.target = named;
                Ok(())
            }
            done => done,
        }
    }

    /// Acts that work at a point of the page, without an element.
    pub(super) async fn at_point(&mut self, act: Act, x: i32, y: i32) -> Result<(), ActError> {
        self.point_in_page(x, y).await?;
        let page = self.scene.page().await?;
        page.world.ask::<Value>("watch", &[Value::Null]).await?;
        if !matches!(act, Act::Hover | Act::Scroll(_) | Act::Move(_) | Act::Up(_)) {
            self.expect_press(&page.world);
        }
        // Watch the page itself.
        self.located = Some(Located {
            levels: vec![page],
            id: 0,
        });
        self.begin();
        match act {
            Act::Move(moving) => return self.move_along((x, y), moving).await,
            Act::Up(button) => {
                self.move_along((x, y), Moving::default()).await?;
                return self.up(button).await;
            }
            _ => self.come_to(x, y).await?,
        }
        match act {
            Act::Down(button) => self.down(None, button).await?,
            Act::Click(clicking) => self.click_here(&clicking).await,
            Act::Hover => {}
            Act::Type(text) => {
                self.click_here(&Clicking::default()).await;
                self.type_here(&text).await?;
            }
            Act::Drag(to) => self.drag_from_here(&to).await?,
            Act::Scroll(scroll) => self.scroll_here(scroll).await?,
            Act::Press(chord, count) => {
                self.click_here(&Clicking::default()).await;
                self.press_here(&chord, count).await?;
            }
            _ => {
                return Err(ActError::Unsuited {
                    target: "a point given as `x` and `y`".to_owned(),
                    why: "cannot be used for this: name an element".to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Moves the pointer to a point of the page, and makes sure that it is there.
    pub(super) async fn come_to(&mut self, x: i32, y: i32) -> Result<(), ActError> {
        let page = self.scene.page().await?.world;
        self.scene.take_mouse(self.device).await;
        self.count(&page, false).await;
        if self.device.on_screen() && self.device.at() != Some((x, y)) {
            page.ask::<Value>("follow", &[]).await?;
            self.device.move_to(x, y).await?;
            let asked = [json!({"x": x, "y": y}), json!(self.coming())];
            if page.ask::<bool>("came", &asked).await? {
                return Ok(());
            }
            // Perhaps a frame has it.
            tracing::info!("the page has not seen the pointer: input goes through DevTools");
            self.device.leave_screen();
        }
        self.device.move_to(x, y).await?;
        Ok(())
    }

    /// Focuses an element without a pointer.
    pub(super) async fn focus(&mut self, located: &Located) -> Result<(), ActError> {
        let look = self.attend(located).await?;
        self.did.target = Some(look.name.clone());
        self.watch(located).await?;
        if look.focused {
            self.did.already = true;
            return Ok(());
        }
        self.begin();
        self.focus_on(located).await?;
        if !self.look(located).await?.focused {
            return Err(ActError::NotReady {
                target: look.name,
                why: "does not take the focus".to_owned(),
            });
        }
        Ok(())
    }

    pub(super) async fn focus_on(&mut self, located: &Located) -> Result<(), ActError> {
        let handle = located.world().handle(located.id).await?;
        let params = FocusParams {
            object_id: Some(RemoteObjectId::new(handle)),
            ..FocusParams::default()
        };
        let focused: Result<Done, ActError> = located.world().command(&params).await;
        match focused {
            // What cannot have it says so afterwards, with its name.
            Err(ActError::Call(szk_cdp::CallError::Remote { .. })) | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Focuses an element as a person does: by clicking it.
    pub(super) async fn enter(
        &mut self,
        located: &Located,
        wants: Wants,
    ) -> Result<Look, ActError> {
        let look = self.attend(located).await?;
        self.did.target = Some(look.name.clone());
        if look.focused && (!wants.editable || look.editable) && look.enabled {
            self.watch(located).await?;
            return Ok(look);
        }
        self.first_look = Some((located.id, Box::new(look.clone())));
        let aim = self.point_at(located, wants).await?;
        self.begin();
        let ack = self.device.click(Button::Left, 1).await;
        let _ = tokio::time::timeout(Duration::from_secs(2), ack).await;
        let (mut focused, mut empty) = match self.landed(located).await? {
            Some(entered) => (entered.focused, entered.empty),
            None => (false, false),
        };
        if !focused {
            self.focus_on(located).await?;
            let now = self.look(located).await?;
            (focused, empty) = (now.focused, now.empty);
        }
        if focused {
            Ok(Look { empty, ..aim.look })
        } else {
            Err(ActError::NotReady {
                target: look.name,
                why: "does not take the focus".to_owned(),
            })
        }
    }

    pub(super) async fn press(
        &mut self,
        located: Option<Located>,
        chord: &Chord,
        count: u32,
    ) -> Result<(), ActError> {
        match &located {
            Some(located) => {
                let look = self.attend(located).await?;
                self.did.target = Some(look.name.clone());
                self.watch(located).await?;
                if !look.focused {
                    self.begin();
                    self.focus_on(located).await?;
                }
            }
            None => self.in_focus().await?,
        }
        self.press_here(chord, count).await
    }

    pub(super) async fn press_here(&mut self, chord: &Chord, count: u32) -> Result<(), ActError> {
        if self.device.lacks_key(chord) {
            self.mind_the_focus().await;
        }
        self.begin();
        for _ in 0..count.max(1) {
            if let Some(ack) = self.ack.take() {
                // One by one, since a page may be gone after the first.
                let _ = tokio::time::timeout(Duration::from_secs(2), ack).await;
            }
            self.ack = self.device.chord(chord).await?;
        }
        Ok(())
    }

    /// Makes the focused element the target, or the page itself if there is none.
    pub(super) async fn in_focus(&mut self) -> Result<(), ActError> {
        let mut page = self.scene.page().await?;
        if page.world.ask::<Value>("forget", &[]).await.is_err() {
            self.scene.worlds.forget_all();
            page = self.scene.page().await?;
        }
        let mut levels = vec![page];
        let mut id: Option<u32> = None;
        // The focused element may be a frame; then the real one is inside.
        while let Some(level) = levels.last().cloned() {
            id = level.world.ask("active", &[]).await?;
            let Some(found) = id else { break };
            let look: Look = level
                .world
                .ask("look", &[json!(found), Value::Null])
                .await?;
            if !look.frame {
                // The focused element may be in a closed tree, which only the browser sees.
                if look.sort == "other" && level.world.unseal(found).await? {
                    continue;
                }
                break;
            }
            match self.scene.inside(&level, found).await? {
                Some(inner) => levels.push(inner),
                None => break,
            }
        }
        let known = id.is_some();
        let located = Located {
            levels,
            id: id.unwrap_or_default(),
        };
        if known {
            let look = self.attend(&located).await?;
            self.did.target = Some(look.name);
            self.watch(&located).await?;
        } else {
            self.attend_page().await?;
            located
                .world()
                .ask::<Value>("watch", &[Value::Null])
                .await?;
        }
        self.located = Some(located);
        Ok(())
    }

    /// Brings the tab to the front if necessary.
    async fn attend_page(&mut self) -> Result<(), ActError> {
        let (target, at) = (self.did.target.take(), self.did.at.take());
        self.point_in_page(0, 0).await?;
        (self.did.target, self.did.at) = (target, at);
        Ok(())
    }

    /// Presses Space on something that no pointer reaches, if it takes the focus.
    async fn switch_by_key(&mut self, located: &Located) -> Result<bool, ActError> {
        self.landing = None;
        self.watch(located).await?;
        self.focus_on(located).await?;
        if !self.look(located).await?.focused {
            return Ok(false);
        }
        self.strike("Space").await?;
        self.answered().await;
        self.say("no pointer reaches it: it was focused, and Space pressed");
        Ok(true)
    }

    /// Turns something on or off unless it already is.
    pub(super) async fn check(&mut self, located: &Located, on: bool) -> Result<(), ActError> {
        let look = self.attend(located).await?;
        self.did.target = Some(look.name.clone());
        let Some(checked) = look.checked else {
            return Err(ActError::Unsuited {
                target: look.name,
                why: "cannot be checked".to_owned(),
            });
        };
        if checked == on && !look.partly {
            self.did.already = true;
            return Ok(());
        }
        if !on && look.kind == "radio" {
            return Err(ActError::Unsuited {
                target: look.name,
                why: "is a radio button: check another button of its group".to_owned(),
            });
        }
        // Sites hide the real check box and show a label instead.
        let label: Option<u32> = if look.visible && look.open() {
            None
        } else {
            located.world().ask("label", &[json!(located.id)]).await?
        };
        let shown = label.map_or_else(|| located.clone(), |id| located.sibling(id));
        let mut state = match look.partly {
            true => Switched::Mixed,
            false => Switched::Opposite,
        };
        // What has three states comes to the one that is asked for after some clicks.
        for _ in 0..STATES {
            let before = state;
            self.switch(located, &shown, &look).await?;
            self.did.target = Some(look.name.clone());
            let mixed = before == Switched::Mixed;
            let asked = [json!(located.id), json!(on), json!(mixed), json!(SWITCHES)];
            state = located.world().ask("switched", &asked).await?;
            if state == Switched::AsAsked || state == before {
                break;
            }
        }
        if state == Switched::AsAsked {
            // The page may undo it: some ask their server first.
            self.switched = Some(on);
            self.read_back = true;
        } else {
            self.is_still(state, on);
        }
        Ok(())
    }

    /// Notes that a switch is not as it should be.
    pub(super) fn is_still(&mut self, state: Switched, on: bool) {
        let still = match (state, on) {
            (Switched::AsAsked, _) => return,
            (Switched::Mixed, _) => {
                self.did.value = Some("mixed".to_owned());
                "partly checked"
            }
            (Switched::Opposite, true) => "not checked",
            (Switched::Opposite, false) => "checked",
        };
        self.did.differs = true;
        self.did.notes.push(format!("it is still {still}"));
    }

    /// Clicks what is to be switched, or what is shown in its stead.
    async fn switch(
        &mut self,
        located: &Located,
        shown: &Located,
        look: &Look,
    ) -> Result<(), ActError> {
        let hidden = !look.visible || !look.open();
        match self.click_surely(shown, &Clicking::default()).await {
            // Some are cut away, label and all: they are reached by the keyboard alone.
            Err(
                error @ (ActError::Covered { .. }
                | ActError::PassesThrough { .. }
                | ActError::Unreachable { .. }
                | ActError::NotReady { .. }),
            ) if hidden && look.enabled && !self.acted => {
                match self.switch_by_key(located).await? {
                    true => Ok(()),
                    false => Err(error),
                }
            }
            done => done,
        }
    }
}
