//! Sizes of paper.

/// How many of each unit of length are an inch.
const UNITS: [(&str, f64); 4] = [("mm", 25.4), ("cm", 2.54), ("in", 1.0), ("px", 96.0)];

/// Paper by name: width and height in inches.
const NAMED: [(&str, (f64, f64)); 6] = [
    ("a3", (11.693, 16.535)),
    ("a4", (8.268, 11.693)),
    ("a5", (5.827, 8.268)),
    ("letter", (8.5, 11.0)),
    ("legal", (8.5, 14.0)),
    ("tabloid", (11.0, 17.0)),
];

/// `a4`, or `210x297mm`: width and height in inches.
pub(super) fn size(text: &str) -> Option<(f64, f64)> {
    let text = text.trim().to_ascii_lowercase();
    if let Some((_, size)) = NAMED.iter().find(|(name, _)| *name == text) {
        return Some(*size);
    }
    let (number, unit) = split(&text)?;
    let (width, height) = number.split_once('x')?;
    let side = |side: &str| {
        let side = side.trim().parse::<f64>().ok()? / unit;
        (side.is_finite() && side > 0.0).then_some(side)
    };
    Some((side(width)?, side(height)?))
}

/// `1cm` in inches.
pub(super) fn length(text: &str) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let (number, unit) = split(&text)?;
    let length = number.trim().parse::<f64>().ok()? / unit;
    (length.is_finite() && length >= 0.0).then_some(length)
}

fn split(text: &str) -> Option<(&str, f64)> {
    UNITS
        .iter()
        .find_map(|(unit, per_inch)| Some((text.strip_suffix(unit)?, *per_inch)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paper_and_lengths() {
        assert_eq!(size("A4"), Some((8.268, 11.693)));
        assert_eq!(size("2x3in"), Some((2.0, 3.0)));
        assert_eq!(size("25.4 x 50.8 mm"), Some((1.0, 2.0)));
        assert_eq!(length("2.54cm"), Some(1.0));
        assert_eq!(length("0in"), Some(0.0));
        for wrong in ["", "a9", "2x3", "0x3in", "x3in", "infx3in"] {
            assert_eq!(size(wrong), None, "{wrong}");
        }
        for wrong in ["", "1", "-1cm", "nancm"] {
            assert_eq!(length(wrong), None, "{wrong}");
        }
    }
}
