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

/// Chromium's paper, and its margin on each side.
const DEFAULT: ((f64, f64), f64) = ((8.5, 11.0), 10.0 / MM);
const MM: f64 = 25.4;
/// The sides that a page of a PDF file may have, in inches: 3 to 14400 points.
const SIDES: (f64, f64) = (3.0 / 72.0, 14_400.0 / 72.0);
/// What margins must leave of a page, in inches: a point.
const LEFT: f64 = 1.0 / 72.0;

/// Whether paper and margins, in inches, go together; what does not fit, and what would.
pub(super) fn check(paper: Option<(f64, f64)>, margin: Option<f64>) -> Result<(), String> {
    let (width, height) = paper.unwrap_or(DEFAULT.0);
    let (narrow, long) = (width.min(height), width.max(height));
    let shown = format!("{}x{} mm", millimetres(width), millimetres(height));
    if millimetres(narrow) < millimetres(SIDES.0) || millimetres(long) > millimetres(SIDES.1) {
        return Err(format!(
            "no PDF file has pages of {shown}: a side is {} to {} mm",
            (SIDES.0 * MM).ceil(),
            millimetres(SIDES.1)
        ));
    }
    let most = (narrow - LEFT) / 2.0;
    if margin.unwrap_or(DEFAULT.1) <= most {
        return Ok(());
    }
    let most = (most * MM).floor();
    Err(match margin {
        Some(margin) => format!(
            "margins of {} mm leave nothing of paper of {shown}: at most {most} mm fit on each side",
            millimetres(margin)
        ),
        None => format!(
            "paper of {shown} is all margin: without `margin` it is {} mm on each side, and at most {most} mm fit",
            millimetres(DEFAULT.1)
        ),
    })
}

fn millimetres(inches: f64) -> f64 {
    (inches * MM * 10.0).round() / 10.0
}

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
    fn margins_leave_something_of_the_paper() {
        let check =
            |paper: &str, margin: Option<&str>| check(size(paper), margin.and_then(length)).err();
        assert_eq!(check("a4", Some("1cm")), None);
        assert_eq!(check("a4", Some("0mm")), None);
        assert_eq!(check("50x50mm", None), None);
        assert_eq!(check("5x5mm", Some("2mm")), None);
        assert_eq!(check("5080x5080mm", None), None);
        let told = check("210x297mm", Some("50cm")).unwrap();
        let expected = "margins of 500 mm leave nothing of paper of 210x297 mm: at most 104 mm fit on each side";
        assert_eq!(told, expected);
        let told = check("15x15mm", None).unwrap();
        assert!(told.contains("it is 10 mm on each side"), "{told}");
        for paper in ["1x100mm", "100x6000mm"] {
            let told = check(paper, Some("0mm")).unwrap();
            assert!(told.contains("a side is 2 to 5080 mm"), "{told}");
        }
        // The default is letter.
        assert!(super::check(None, length("107mm")).is_ok());
        assert!(super::check(None, length("108mm")).is_err());
    }

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
