//! Waits for something, and resizes the page.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use szk_cdp::protocol::browser::{GetWindowForTargetParams, SetContentsSizeParams, WindowId};
use tokio::time::Instant;

use super::ActError;
use super::actor::{Actor, Scene};
use super::target::{Level, Target};

/// Milliseconds that one query of the page lasts: frames may come and go meanwhile.
const SLICE: u32 = 500;
/// Milliseconds between two looks for a frame that does not exist yet.
const PAUSE: u64 = 50;

/// What is waited for by a ref, in place of a selector.
const ELEMENT: &str = "the element";

/// State to wait for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum State {
    /// Present and visible.
    #[default]
    Visible,
    /// Hidden or absent.
    Hidden,
    /// Present.
    Attached,
    /// Absent.
    Detached,
    /// Present and enabled.
    Enabled,
}

/// What to wait for; everything given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wait {
    /// The state of the target, or of the text.
    pub state: State,
    /// Text in the page, or a regular expression between slashes.
    pub text: Option<String>,
    /// Part of the page's address, a pattern with `*`, or a regular expression between slashes.
    pub url: Option<String>,
    /// Just this long.
    pub time: Option<Duration>,
    /// For at most this long.
    pub limit: Duration,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Waited {
    there: bool,
    /// The element is gone and was expected to stay.
    gone: bool,
    url: String,
    wrong: Option<String>,
}

#[derive(Deserialize)]
struct Size {
    width: u32,
    height: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Window {
    window_id: i64,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Visible => "visible",
            Self::Hidden => "hidden",
            Self::Attached => "attached",
            Self::Detached => "detached",
            Self::Enabled => "enabled",
        }
    }
}

impl Scene<'_> {
    /// Whether the page's text and address are as they would be waited for, at one look.
    ///
    /// # Errors
    /// [`ActError`]; `Gone` while the page is on its way to another document.
    pub async fn holds(&self, wait: &Wait) -> Result<bool, ActError> {
        let wants = json!({"state": wait.state.name(), "text": wait.text, "url": wait.url});
        // The known document may be one that was there before.
        let mut again = true;
        loop {
            let asked = match self.page().await {
                Ok(page) => page.world.ask("wait", &[wants.clone(), json!(0)]).await,
                Err(error) => Err(error),
            };
            match asked {
                Ok(Waited {
                    wrong: Some(reason),
                    ..
                }) => return Err(wrong(wait, None, reason)),
                Ok(waited) => return Ok(waited.there),
                Err(error) => {
                    let gone = matches!(error, ActError::Gone | ActError::Stale);
                    if gone {
                        self.worlds.forget_all();
                    }
                    if !gone || !std::mem::take(&mut again) {
                        return Err(error);
                    }
                }
            }
        }
    }
}

impl Actor<'_> {
    pub(super) async fn wait(
        &mut self,
        wait: &Wait,
        target: Option<Target>,
    ) -> Result<(), ActError> {
        if let Some(time) = wait.time {
            tokio::time::sleep(time).await;
        }
        let selector = match target {
            None => None,
            Some(Target::Selector(selector)) => Some(selector),
            Some(node @ (Target::Ref(_) | Target::Element(_))) => {
                return self.wait_for_node(wait, &node).await;
            }
            Some(Target::Point(..) | Target::Within(..)) => {
                return Err(super::fill::unsuited(
                    "`wait`",
                    "takes a `ref` or a `selector`",
                ));
            }
        };
        if selector.is_none() && wait.text.is_none() && wait.url.is_none() {
            return Ok(());
        }
        let end = Instant::now() + wait.limit;
        let mut url = String::new();
        loop {
            match self.ask_once(wait, selector.as_deref(), end).await {
                Ok(Waited { there: true, .. }) => return Ok(()),
                Ok(Waited {
                    wrong: Some(reason),
                    ..
                }) => return Err(wrong(wait, selector, reason)),
                Ok(waited) => url = waited.url,
                // On its way to another document, or in a frame that does not exist yet.
                Err(ActError::Gone | ActError::Stale) => self.scene.worlds.forget_all(),
                Err(ActError::NotFound { .. }) => {
                    if matches!(wait.state, State::Hidden | State::Detached) && wait.text.is_none()
                    {
                        return Ok(());
                    }
                    tokio::time::sleep(Duration::from_millis(PAUSE)).await;
                }
                Err(error) => return Err(error),
            }
            if Instant::now() >= end {
                return Err(ActError::Timeout {
                    missed: missed(wait, selector.as_deref()),
                    ms: wait.limit.as_millis(),
                    url,
                });
            }
        }
    }

    /// A node that is gone does not come back: a wait for anything else fails.
    async fn wait_for_node(&mut self, wait: &Wait, node: &Target) -> Result<(), ActError> {
        let end = Instant::now() + wait.limit;
        let leaves = matches!(wait.state, State::Hidden | State::Detached);
        let mut url = String::new();
        while Instant::now() < end {
            let asked = match self.scene.locate(node).await {
                Ok((located, _)) => {
                    let wants = json!({
                        "state": wait.state.name(), "text": wait.text, "url": wait.url, "id": located.id,
                    });
                    located
                        .world()
                        .ask("wait", &[wants, json!(slice(end))])
                        .await
                }
                Err(error) => Err(error),
            };
            match asked {
                Ok(Waited { there: true, .. }) => return Ok(()),
                Ok(Waited { gone: true, .. }) => return Err(ActError::Stale),
                Ok(waited) => url = waited.url,
                Err(ActError::Gone | ActError::Stale) if leaves => return Ok(()),
                Err(ActError::Gone) => return Err(ActError::Stale),
                Err(error) => return Err(error),
            }
        }
        Err(ActError::Timeout {
            missed: missed(wait, Some(ELEMENT)),
            ms: wait.limit.as_millis(),
            url,
        })
    }

    async fn ask_once(
        &mut self,
        wait: &Wait,
        selector: Option<&str>,
        end: Instant,
    ) -> Result<Waited, ActError> {
        let parts: Vec<&str> = selector
            .map(|selector| selector.split(" >> ").map(str::trim).collect())
            .unwrap_or_default();
        let (levels, scope): (Vec<Level>, Option<u32>) = match parts.split_last() {
            Some((_, before)) => self.scene.lead(before).await?,
            None => (vec![self.scene.page().await?], None),
        };
        let wants = json!({
            "state": wait.state.name(), "text": wait.text, "url": wait.url,
            "selector": parts.last(), "scope": scope,
        });
        levels[levels.len() - 1]
            .world
            .ask("wait", &[wants, json!(slice(end))])
            .await
    }

    /// Makes the page's viewport this size by resizing its window.
    pub(super) async fn resize(&mut self, width: u32, height: u32) -> Result<(), ActError> {
        let scene = self.scene;
        let window: Window = scene
            .connection
            .ask(Some(scene.session), &GetWindowForTargetParams::default())
            .await?;
        let page = scene.page().await?;
        let now = [json!(width), json!(height), json!(0)];
        let before: Size = match page.world.ask("size", &now).await {
            Err(ActError::Gone) => {
                scene.worlds.forget_all();
                scene.page().await?.world.ask("size", &now).await?
            }
            size => size?,
        };
        self.did.size_before = Some((before.width, before.height));
        self.begin();
        let params = SetContentsSizeParams {
            width: Some(width.into()),
            height: Some(height.into()),
            ..SetContentsSizeParams::new(WindowId::new(window.window_id))
        };
        scene.connection.run(Some(scene.session), &params).await?;
        let asked = [json!(width), json!(height), json!(5000)];
        let page = scene.page().await?;
        let size: Size = match page.world.ask("size", &asked).await {
            Err(ActError::Gone) => {
                scene.worlds.forget_all();
                scene.page().await?.world.ask("size", &asked).await?
            }
            size => size?,
        };
        self.did.value = Some(format!("{}x{}", size.width, size.height));
        self.did.differs = (size.width, size.height) != (width, height);
        Ok(())
    }
}

/// A selector or a regular expression that does not parse.
fn wrong(wait: &Wait, selector: Option<String>, reason: String) -> ActError {
    let pattern = wait.text.as_ref().or(wait.url.as_ref());
    match (pattern, selector) {
        (_, Some(selector)) if !reason.contains("regular expression") => {
            ActError::Selector { selector, reason }
        }
        (pattern, _) => ActError::Unsuited {
            target: format!("`{}`", pattern.map_or("", String::as_str)),
            why: format!("does not parse: {reason}"),
        },
    }
}

/// Milliseconds for the next query.
fn slice(end: Instant) -> u32 {
    let left = end.saturating_duration_since(Instant::now()).as_millis();
    u32::try_from(left).unwrap_or(u32::MAX).min(SLICE)
}

/// What did not happen, or which of several things did not hold together.
fn missed(wait: &Wait, selector: Option<&str>) -> String {
    let leaves = matches!(wait.state, State::Hidden | State::Detached);
    let (alone, held) = match wait.state {
        State::Visible => ("did not appear", "is visible"),
        State::Hidden => ("did not go away", "is hidden"),
        State::Attached => ("did not come into the page", "is in the page"),
        State::Detached => ("was not removed from the page", "is removed from the page"),
        State::Enabled => ("was not enabled", "is enabled"),
    };
    let mut all: Vec<(String, &str, &str)> = Vec::new();
    if let Some(selector) = selector {
        let element = match selector {
            ELEMENT => selector.to_owned(),
            selector => format!("`{selector}`"),
        };
        all.push((element, alone, held));
    }
    if let Some(text) = &wait.text {
        let (alone, held) = match leaves {
            true => ("did not go away", "is gone"),
            false => ("did not appear", "is shown"),
        };
        all.push((format!("the text `{text}`"), alone, held));
    }
    if let Some(url) = &wait.url {
        let address = format!("the address `{url}`");
        all.push((address, "was not reached", "is reached"));
    }
    match all.as_slice() {
        [(thing, alone, _)] => format!("{thing} {alone}"),
        several => {
            let several = several
                .iter()
                .map(|(thing, _, held)| format!("{thing} {held}"));
            let several: Vec<String> = several.collect();
            format!("not all of this came true: {}", several.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(state: State, text: Option<&str>, url: Option<&str>, selector: &str, expected: &str) {
        let wait = Wait {
            state,
            text: text.map(str::to_owned),
            url: url.map(str::to_owned),
            ..Wait::default()
        };
        let selector = Some(selector).filter(|one| !one.is_empty());
        assert_eq!(missed(&wait, selector), expected);
    }

    #[test]
    fn what_did_not_happen_is_told_by_what_was_waited_for() {
        check(State::Visible, None, None, "#a", "`#a` did not appear");
        check(State::Hidden, None, None, "#a", "`#a` did not go away");
        check(
            State::Hidden,
            None,
            None,
            ELEMENT,
            "the element did not go away",
        );
        check(State::Enabled, None, None, "#a", "`#a` was not enabled");
        check(
            State::Detached,
            Some("x"),
            None,
            "",
            "the text `x` did not go away",
        );
        check(
            State::Visible,
            None,
            Some("/x"),
            "",
            "the address `/x` was not reached",
        );
        check(
            State::Visible,
            Some("x"),
            None,
            "#a",
            "not all of this came true: `#a` is visible, the text `x` is shown",
        );
    }
}
