//! The eleven characters of refs, five pixels wide and seven high.

use super::canvas::{Area, Canvas};

const WIDTH: i32 = 5;
const HEIGHT: i32 = 7;
/// Space around the text and between its characters.
const GAP: i32 = 1;

/// Rows from the top; in each, the lowest five bits from the left.
fn rows(character: char) -> [u8; 7] {
    match character {
        '0' => [0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e],
        '1' => [0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e],
        '2' => [0x0e, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1f],
        '3' => [0x1f, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0e],
        '4' => [0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02],
        '5' => [0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e],
        '6' => [0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e],
        '7' => [0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08],
        '8' => [0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e],
        '9' => [0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c],
        _ => [0x00, 0x00, 0x0e, 0x11, 0x1f, 0x10, 0x0e],
    }
}

/// The size of a text, including the space around it.
pub(super) fn size(text: &str, scale: i32) -> (i32, i32) {
    let count = i32::try_from(text.len()).unwrap_or(0);
    let width = count * (WIDTH + GAP) + GAP;
    (width * scale, (HEIGHT + 2 * GAP) * scale)
}

/// Draws a text in white into an area of its size.
pub(super) fn write(canvas: &mut Canvas, area: Area, text: &str, scale: i32) {
    let mut left = area.left + GAP * scale;
    for character in text.chars() {
        for (row, bits) in (0..).zip(rows(character)) {
            for column in (0..WIDTH).filter(|column| bits & (0x10 >> column) != 0) {
                let (x, y) = (left + column * scale, area.top + (GAP + row) * scale);
                let dot = Area {
                    left: x,
                    top: y,
                    right: x + scale,
                    bottom: y + scale,
                };
                canvas.fill(dot, [255, 255, 255]);
            }
        }
        left += (WIDTH + GAP) * scale;
    }
}
