//! Tests that judge when the events of a mouse or a keyboard happen. `scripts/test` runs them one at a time, with
//! nothing beside them: other tests would take the processors from what sends them.

mod by_hand;
mod driver;
mod persons_pace;

use serde_json::Value;

/// Whether a hand on a mouse of an X server shows what a check wants. Xvfb is a program: on a busy machine it
/// reports the mouse when it gets the processor, so there less of the times are even, by hand (70 % under a load of
/// 22 on two processors) as in szk.
fn shows(name: &str, verdict: &Value) -> bool {
    let share = || Some(verdict["seen"][1].as_f64()? / verdict["seen"][2].as_f64()?);
    verdict["ok"] == true || name == "mouse.period" && share() > Some(0.6)
}
