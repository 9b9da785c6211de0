//! Refs and their positions, for screenshots.

use std::collections::HashMap;

use serde_json::json;

use super::error::ReadError;
use super::item::{Item, Kind};
use super::options::{Mode, Options};
use super::view::View;
use crate::page::Page;
use crate::picture::Mark;

/// The visible part of a node, relative to the corner of its box.
type Part = Option<[i32; 4]>;

impl View {
    /// The refs of all visible elements that can be acted on, with their positions in the viewport.
    /// For a `whole` page also those outside the viewport.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn marks(&mut self, page: &Page, whole: bool) -> Result<Vec<Mark>, ReadError> {
        let options = Options {
            mode: Mode::Interactive,
            boxes: true,
            ..Options::default()
        };
        let items = self.items(page, &options).await?;
        let seen = self.seen(page, &items, whole).await;
        let mut frames: Vec<(usize, [i32; 4])> = Vec::new();
        let mut marks = Vec::new();
        for (item, part) in items.iter().zip(seen) {
            frames.retain(|(depth, _)| *depth < item.depth);
            let Some([x, y, ..]) = item.bounds else {
                continue;
            };
            let at = part.map(|[left, top, width, height]| [x + left, y + top, width, height]);
            // What a frame does not show is invisible, and so is everything in an invisible frame.
            let at = at.and_then(|at| match frames.last() {
                Some((_, frame)) => common(at, *frame),
                None => Some(at),
            });
            if item.kind == Kind::Frame {
                frames.push((item.depth, at.unwrap_or_default()));
            } else if let Some(at) = at {
                let number = self.refs.number(item);
                marks.push(Mark { number, at });
            }
        }
        Ok(marks)
    }

    /// The visible part of each item; nothing for items that get no mark.
    async fn seen(&self, page: &Page, items: &[Item], whole: bool) -> Vec<Part> {
        let mut worlds: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, item) in items.iter().enumerate() {
            if matches!(item.kind, Kind::Control | Kind::Clickable | Kind::Frame) {
                worlds.entry(item.key.world).or_default().push(at);
            }
        }
        let mut seen: Vec<Part> = vec![None; items.len()];
        for (serial, places) in worlds {
            let Some((frame, world)) = self.worlds.of_serial(serial) else {
                continue;
            };
            let numbers: Vec<u32> = places.iter().map(|at| items[*at].key.number).collect();
            let args = [json!(numbers), json!(whole && frame == page.frame)];
            let function = "function (numbers, whole) { return this.shown(numbers, whole); }";
            // A frame that went away meanwhile is not on the picture.
            let parts: Vec<Part> = world.call(function, &args).await.unwrap_or_default();
            for (at, part) in places.into_iter().zip(parts) {
                seen[at] = part;
            }
        }
        seen
    }
}

/// The intersection of two boxes.
fn common(a: [i32; 4], b: [i32; 4]) -> Option<[i32; 4]> {
    let (left, top) = (a[0].max(b[0]), a[1].max(b[1]));
    let right = (a[0] + a[2]).min(b[0] + b[2]);
    let bottom = (a[1] + a[3]).min(b[1] + b[3]);
    (right > left && bottom > top).then_some([left, top, right - left, bottom - top])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_cut_to_what_they_are_in() {
        assert_eq!(common([0, 0, 10, 10], [5, 5, 10, 10]), Some([5, 5, 5, 5]));
        assert_eq!(common([0, 0, 10, 10], [10, 0, 10, 10]), None);
        assert_eq!(common([0, 0, 10, 10], [0, 0, 0, 0]), None);
    }
}
