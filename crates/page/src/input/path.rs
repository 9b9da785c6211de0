//! How the pointer gets from one point to another.

use std::time::Duration;

use super::person::Person;
use super::random::Random;

/// A point of the pointer, and how long after the previous one it gets there.
pub(super) type Step = (i32, i32, Duration);

/// Milliseconds between two reports of an ordinary mouse, which the computer asks 125 times a second.
const REPORT: f64 = 8.0;
/// Most milliseconds by which a report is late.
const LATE: f64 = 0.7;
/// CSS pixels beyond which a hand may stop short of its target, and correct.
const FAR: f64 = 260.0;

/// Where a mouse reports the pointer on its way to `to`: whole pixels, at the times at which it is asked.
/// On a long way the hand may stop short, see where it is, and go on.
pub(super) fn path(
    from: (i32, i32),
    to: (i32, i32),
    person: &Person,
    random: &mut Random,
) -> Vec<Step> {
    let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
    if dx.hypot(dy) < FAR || random.unit() >= person.corrects {
        return movement(from, to, person, random);
    }
    let (share, aside) = (random.between(0.9, 0.97), 0.015 * random.normal());
    let near = (
        (f64::from(from.0) + dx * share - dy * aside)
            .round()
            .max(0.0) as i32,
        (f64::from(from.1) + dy * share + dx * aside)
            .round()
            .max(0.0) as i32,
    );
    let mut steps = movement(from, near, person, random);
    let mut rest = movement(near, to, person, random);
    if let Some(first) = rest.first_mut() {
        // To see where it is; the mouse is asked meanwhile and says nothing.
        let asked = (random.skewed(70.0, 0.25) / REPORT).round();
        first.2 += millis(asked * REPORT);
    }
    steps.append(&mut rest);
    steps
}

/// Whole pixels along a curve that starts and ends slowly, ending at `to`. A mouse that does not move
/// reports nothing, so no point repeats in a row.
fn movement(from: (i32, i32), to: (i32, i32), person: &Person, random: &mut Random) -> Vec<Step> {
    let (start, end) = (point(from), point(to));
    let (dx, dy) = (end.0 - start.0, end.1 - start.1);
    let distance = dx.hypot(dy);
    if distance < 1.0 {
        return Vec::new();
    }
    // Fitts's law: longer movements take longer, but not proportionally.
    let duration =
        random.skewed(90.0 + 95.0 * (distance / 24.0 + 1.0).log2(), 0.15) * person.slowness;
    let bow = |random: &mut Random| {
        person.bend * distance.min(400.0) * (0.06 + 0.03 * random.normal()).max(0.02)
    };
    let (first, second) = (bow(random), bow(random) * 0.6);
    let normal = (-dy / distance, dx / distance);
    let control = |share: f64, bow: f64| {
        (
            start.0 + dx * share + normal.0 * bow,
            start.1 + dy * share + normal.1 * bow,
        )
    };
    let curve = [start, control(0.3, first), control(0.75, second), end];
    let mut steps: Vec<Step> = Vec::new();
    let (mut last, mut told, mut asked) = (from, 0.0, 0.0);
    let now = loop {
        asked += REPORT;
        let now = asked + random.between(0.0, LATE);
        if asked >= duration {
            break now;
        }
        let at = bezier(&curve, eased(now / duration));
        // A hand trembles while it moves, and is steady when it arrives.
        let tremor = 0.7 * (1.0 - now / duration);
        let place = (
            (at.0 + tremor * random.normal()).round() as i32,
            (at.1 + tremor * random.normal()).round() as i32,
        );
        // The edges of a page stop only a pointer that is not on its way out, or in.
        let place = (
            place.0.max(from.0.min(0)),
            place.1.max(to.1.min(from.1).min(0)),
        );
        if place != last {
            steps.push((place.0, place.1, millis(now - told)));
            (last, told) = (place, now);
        }
    };
    if last != to {
        steps.push((to.0, to.1, millis(now - told)));
    }
    steps
}

/// Slow, fast, slow: minimum jerk (10t³ − 15t⁴ + 6t⁵).
fn eased(t: f64) -> f64 {
    t * t * t * (10.0 + t * (6.0 * t - 15.0))
}

fn bezier(curve: &[(f64, f64); 4], t: f64) -> (f64, f64) {
    let u = 1.0 - t;
    let weights = [u * u * u, 3.0 * u * u * t, 3.0 * u * t * t, t * t * t];
    curve
        .iter()
        .zip(weights)
        .fold((0.0, 0.0), |sum, (point, weight)| {
            (sum.0 + point.0 * weight, sum.1 + point.1 * weight)
        })
}

fn point((x, y): (i32, i32)) -> (f64, f64) {
    (f64::from(x), f64::from(y))
}

fn millis(milliseconds: f64) -> Duration {
    Duration::from_secs_f64(milliseconds / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(seed: u64, from: (i32, i32), to: (i32, i32)) -> Vec<Step> {
        path(from, to, &Person::of(seed), &mut Random::of(seed))
    }

    #[test]
    fn it_ends_where_it_should_and_never_stands() {
        for seed in 0..200 {
            let steps = of(seed, (10, 10), (700, 420));
            assert_eq!(steps.last().map(|step| (step.0, step.1)), Some((700, 420)));
            let pairs = steps.windows(2);
            assert!(
                pairs
                    .into_iter()
                    .all(|pair| (pair[0].0, pair[0].1) != (pair[1].0, pair[1].1))
            );
            assert!(steps.len() > 20, "{}", steps.len());
        }
    }

    #[test]
    fn a_mouse_is_asked_at_even_times() {
        for seed in 0..100 {
            let steps = of(seed, (10, 10), (900, 420));
            let even = steps.iter().filter(|step| {
                let times = step.2.as_secs_f64() * 1000.0 / REPORT;
                times > 0.5 && (times - times.round()).abs() <= LATE / REPORT
            });
            assert_eq!(even.count(), steps.len(), "{steps:?}");
        }
    }

    #[test]
    fn a_hand_that_goes_far_may_correct() {
        let rests = |seed| {
            let steps = of(seed, (10, 10), (900, 420));
            let rested = |step: &&Step| step.2 >= Duration::from_millis(40);
            steps[5..steps.len() - 5].iter().filter(rested).count()
        };
        let corrected = (0..200).filter(|seed| rests(*seed) > 0).count();
        assert!((40..160).contains(&corrected), "{corrected} of 200");
        assert_eq!(of(1, (10, 10), (10, 10)).len(), 0);
    }

    #[test]
    fn it_is_no_straight_line_and_no_even_speed() {
        let steps = of(11, (0, 200), (800, 200));
        assert!(
            steps.iter().any(|step| (step.1 - 200).abs() > 3),
            "{steps:?}"
        );
        let lengths: Vec<i32> = steps.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        let (first, middle) = (lengths[1], lengths[lengths.len() / 2]);
        assert!(middle > first * 2, "{lengths:?}");
    }

    #[test]
    fn it_takes_a_persons_time() {
        for seed in 0..100 {
            let total: Duration = of(seed, (5, 5), (600, 300)).iter().map(|step| step.2).sum();
            assert!((150..2000).contains(&total.as_millis()), "{total:?}");
        }
        assert!(of(1, (5, 5), (5, 5)).is_empty());
    }
}
