//! What an act is done to, before it is done: the element, and the point of it that is meant.

use szk_page::act::{Act, Scene, Target};
use szk_page::snapshot::{Designation, ElementSource, Identified};
use szk_recipes::Point;
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;

use super::PATIENCE;
use crate::browser::page;
use crate::context::Keeper;

/// Roles of what a text goes into.
const TEXTS: [&str; 4] = ["combobox", "searchbox", "spinbutton", "textbox"];

/// Whom to ask.
pub(super) struct Asking<'a> {
    pub(super) keeper: &'a Keeper,
    pub(super) running: &'a Running,
    pub(super) tab: &'a Tab,
    pub(super) scene: &'a Scene<'a>,
}

impl Asking<'_> {
    /// What an act is done to. A point of the viewport is what is there, if that can be told.
    pub(super) async fn of(&self, act: &Act, target: &Target) -> Option<Identified> {
        let points = matches!(act, Act::Click(_) | Act::Hover | Act::Drag(_));
        let moves = matches!(act, Act::Drag(_));
        let found = match target {
            // What is only held, moved or let go there is in no recipe.
            Target::Point(..) if matches!(act, Act::Down(_) | Act::Move(_) | Act::Up(_)) => None,
            Target::Within(_, (x, y)) if points => {
                self.identify(target, Designation::PointOf(*x, *y), moves)
                    .await
            }
            target => self.identify(target, Designation::Control, moves).await,
        };
        let found = found.filter(|found| points || found.point.is_none());
        match target {
            // The text may go elsewhere, even into a password field.
            Target::Point(..) if super::types(act) => {
                found.filter(|found| TEXTS.contains(&found.identity.role.as_str()))
            }
            _ => found,
        }
    }

    /// Where a drag ends.
    pub(super) async fn end(&self, target: &Target) -> Option<Identified> {
        let meant = match target {
            Target::Within(_, (x, y)) => Designation::PointOf(*x, *y),
            _ => Designation::Place,
        };
        self.identify(target, meant, false).await
    }

    /// The control that a target is, or is a part of.
    pub(super) async fn control(&self, target: &Target) -> Option<Identified> {
        self.identify(target, Designation::Control, false).await
    }

    /// The field that has the focus, for what is typed without naming one.
    pub(super) async fn focused(&self) -> Option<Identified> {
        let target = Target::Selector(":focus".to_owned());
        self.control(&target).await
    }

    /// The point of an element that is known already.
    pub(super) async fn point(&self, target: &Target) -> Option<Point> {
        let Target::Within(_, (x, y)) = target else {
            return None;
        };
        let (width, height) = self.scene.size(target).await.ok()?;
        Some(Point {
            x: *x,
            y: *y,
            width,
            height,
        })
    }

    async fn identify(
        &self,
        target: &Target,
        meant: Designation,
        moves: bool,
    ) -> Option<Identified> {
        let asked = async {
            let (given, meant) = match target {
                Target::Point(x, y) => {
                    let node = self.scene.node_at(*x, *y).await.ok()??;
                    (ElementSource::Node(node), Designation::At(*x, *y))
                }
                Target::Ref(node) => (ElementSource::Node(node.clone()), meant),
                target => (
                    ElementSource::Found(self.scene.found(target).await.ok()?),
                    meant,
                ),
            };
            let shared = self.keeper.views.of(self.running, self.tab);
            let mut view = shared.lock().await;
            let page = page(self.running, self.tab);
            let found = view.identify(&page, &given, meant, moves).await;
            found
                .inspect_err(|error| tracing::debug!(%error, "cannot identify an element"))
                .ok()?
        };
        tokio::time::timeout(PATIENCE, asked).await.ok().flatten()
    }
}
