//! Finds the element that a target describes.

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::{Value, json};

use super::ActError;
use super::actor::Scene;
use super::look::Look;
use super::target::{Level, Located, NodeRef, Target};
use super::world::World;
use crate::snapshot::Element;

/// Separates the parts of a selector.
const INTO: &str = " >> ";
/// How often to recreate a world that has just gone away.
const TRIES: u32 = 3;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Found {
    count: usize,
    id: u32,
    candidates: Vec<String>,
    /// Their numbers.
    ids: Vec<u32>,
    look: Look,
    /// The selector does not parse.
    wrong: Option<String>,
}

impl Scene<'_> {
    /// Finds the only element that a target describes, with its state.
    pub(super) async fn locate(
        &self,
        target: &Target,
    ) -> Result<(Located, Option<Look>), ActError> {
        let (target, _) = target.split();
        let mut tried = 0;
        loop {
            let found = match target {
                Target::Ref(node) => self.by_ref(node).await,
                Target::Selector(selector) => self.by_selector(selector).await,
                Target::Element(element) => self.by_element(element).await,
                Target::Point(..) | Target::Within(..) => return Err(ActError::Stale),
            };
            match found {
                // The known document is gone, and nothing has been done yet: try again.
                Err(ActError::Gone) if tried < TRIES => {
                    tried += 1;
                    // Look up the frames of the existing page again, and their worlds with them.
                    self.worlds.forget_all();
                }
                // Fresh worlds do not have it either.
                Err(ActError::Gone) if !matches!(target, Target::Selector(_)) => {
                    return Err(ActError::Stale);
                }
                found => return found,
            }
        }
    }

    /// What the parts of a selector before the last one lead to: the frames, and the element to search
    /// for the last part in, if any.
    pub(super) async fn lead(&self, parts: &[&str]) -> Result<(Vec<Level>, Option<u32>), ActError> {
        let mut levels = vec![self.page().await?];
        let mut scope: Option<u32> = None;
        for part in parts {
            let level = &levels[levels.len() - 1];
            let (id, _) = one(level, part, scope).await?;
            match self.inside(level, id).await? {
                Some(inner) => {
                    levels.push(inner);
                    scope = None;
                }
                None => scope = Some(id),
            }
        }
        Ok((levels, scope))
    }

    async fn by_selector(&self, selector: &str) -> Result<(Located, Option<Look>), ActError> {
        let parts: Vec<&str> = selector.split(INTO).map(str::trim).collect();
        let (last, before) = parts.split_last().ok_or_else(|| ActError::NotFound {
            selector: selector.to_owned(),
        })?;
        let (levels, scope) = self.lead(before).await?;
        let (id, look) = one(&levels[levels.len() - 1], last, scope).await?;
        Ok((Located { levels, id }, Some(look)))
    }

    async fn by_element(&self, element: &Element) -> Result<(Located, Option<Look>), ActError> {
        let levels = self.down_to(&element.session, &element.frame).await?;
        let level = &levels[levels.len() - 1];
        let (id, look) = match self.looked_ahead(element, level).await {
            Some(met) => met?,
            None => level.world.recognize(element).await?,
        };
        Ok((Located { levels, id }, Some(look)))
    }

    async fn by_ref(&self, node: &NodeRef) -> Result<(Located, Option<Look>), ActError> {
        let levels = self.down_to(&node.session, &node.frame).await?;
        let (id, look) = levels[levels.len() - 1]
            .world
            .meet(node.backend_node_id, node.words.as_deref())
            .await?;
        Ok((Located { levels, id }, Some(look)))
    }
}

/// The only element that matches a selector.
async fn one(level: &Level, selector: &str, scope: Option<u32>) -> Result<(u32, Look), ActError> {
    let scope = scope.map_or(Value::Null, |id| json!(id));
    let found: Found = level.world.ask("find", &[json!(selector), scope]).await?;
    let selector = selector.to_owned();
    match found {
        Found {
            wrong: Some(reason),
            ..
        } => Err(ActError::Selector { selector, reason }),
        Found {
            count: 1, id, look, ..
        } => Ok((id, look)),
        Found { count: 0, .. } => Err(ActError::NotFound { selector }),
        Found {
            count,
            candidates,
            ids,
            ..
        } => Err(ActError::Ambiguous {
            selector,
            count,
            candidates,
            nodes: nodes(&level.world, &ids).await,
        }),
    }
}

/// Nodes by their numbers, or none if the browser cannot tell one.
async fn nodes(world: &World, ids: &[u32]) -> Vec<NodeRef> {
    let each = join_all(ids.iter().map(|id| world.node(*id))).await;
    let each: Result<Vec<NodeRef>, ActError> = each.into_iter().collect();
    each.unwrap_or_default()
}
