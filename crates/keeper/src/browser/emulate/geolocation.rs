//! Positions as callers write them.

use szk_page::emulation::Geolocation;
use szk_tools::Failure;

/// Metres, where the caller does not say.
const ACCURACY: f64 = 50.0;

/// `52.23,21.01`, or with an accuracy in metres `52.23,21.01,50`.
pub(super) fn read(text: &str) -> Result<Geolocation, Failure> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    let position = match numbers.as_deref() {
        Ok(&[latitude, longitude]) => position(latitude, longitude, ACCURACY),
        Ok(&[latitude, longitude, accuracy]) => position(latitude, longitude, accuracy),
        _ => None,
    };
    position.ok_or_else(|| {
        Failure::invalid(format!(
            "`{text}` is not a position such as `52.23,21.01` or `52.23,21.01,50`"
        ))
    })
}

fn position(latitude: f64, longitude: f64, accuracy: f64) -> Option<Geolocation> {
    let good = (-90.0..=90.0).contains(&latitude)
        && (-180.0..=180.0).contains(&longitude)
        && (0.0..1e7).contains(&accuracy);
    good.then_some(Geolocation {
        latitude,
        longitude,
        accuracy,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions() {
        assert_eq!(read("52.2, 21,7").unwrap().accuracy, 7.0);
        assert_eq!(read("52.2,21").unwrap().accuracy, ACCURACY);
        for wrong in [
            "", "1", "91,0", "0,181", "1,2,3,4", "a,b", "1,2,-1", "1,2,x", "nan,0",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
