//! What an act sets off without any script, known before anything is pressed.

use serde::Deserialize;
use serde_json::json;

use super::ActError;
use super::actor::{Act, Scene};
use super::target::Target;

/// What pressing an element does by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Foreseen {
    /// The address that a form is sent to.
    pub submits: Option<String>,
    /// The address of a link.
    pub leads: Option<String>,
    /// The element, as people would name it.
    pub name: String,
    /// It is in a frame that was not looked into.
    pub unseen: bool,
}

impl Scene<'_> {
    /// Tells what an act sets off by itself: a press on a button or a link, a key in a field.
    ///
    /// # Errors
    /// [`ActError`].
    pub async fn foresee(&self, act: &Act, target: Option<&Target>) -> Result<Foreseen, ActError> {
        let enter = match act {
            Act::Click(_) | Act::Check(_) => false,
            // Letting go of the button is what clicks; where the pointer is, only the page knows.
            Act::Up(_) if target.is_none() => return Ok(unseen()),
            Act::Up(_) => false,
            Act::Press(chord, _) if chord.confirms() => true,
            Act::Press(chord, _) if chord.is_space() => false,
            Act::Type(text) | Act::Fill(text) if text.contains(['\n', '\r']) => true,
            _ => return Ok(Foreseen::default()),
        };
        let (level, id) = match target {
            Some(Target::Point(x, y)) => {
                let page = self.page().await?;
                let at = [json!(x), json!(y)];
                if page.world.ask("framed", &at).await? {
                    return Ok(unseen());
                }
                let id = page.world.ask("struck_at", &at).await?;
                (page, id)
            }
            Some(target) => {
                let (located, _) = self.locate(target).await?;
                let id = Some(located.id);
                (located.innermost(), id)
            }
            None => {
                let page = self.page().await?;
                let id = page.world.ask("active", &[]).await?;
                (page, id)
            }
        };
        match id {
            Some(id) => level.world.ask("leads", &[json!(id), json!(enter)]).await,
            None => Ok(Foreseen::default()),
        }
    }
}

fn unseen() -> Foreseen {
    Foreseen {
        unseen: true,
        ..Foreseen::default()
    }
}
