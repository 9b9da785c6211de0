//! What `wait` waits for.

use std::time::Duration;

use szk_page::act::{State, Wait};
use szk_tools::Failure;
use szk_tools::browser::{ActInput, ElementState};

/// What it is, and how long; `budget` is the time of the whole call.
pub(super) fn wait(input: &ActInput, budget: Duration) -> Result<Wait, Failure> {
    let nothing = input.selector.is_none()
        && input.r#ref.is_none()
        && input.text.is_none()
        && input.url.is_none()
        && input.time_ms.is_none();
    let idle = input.state == Some(ElementState::Networkidle);
    if idle && !nothing {
        return Err(Failure::invalid(
            "`state` networkidle takes no target, `text`, `url` or `time_ms`",
        )
        .about(["state", "text", "url", "time_ms"]));
    }
    if nothing && !idle {
        return Err(Failure::invalid(
            "`wait` needs `ref`, `selector`, `text`, `url`, `time_ms` or `state` networkidle",
        )
        .about(["ref", "selector", "text", "url", "time_ms", "state"]));
    }
    let time = input.time_ms.map(Duration::from_millis);
    let limit = budget
        .saturating_sub(time.unwrap_or_default())
        .saturating_sub(Duration::from_millis(250));
    if time.is_some_and(|time| time >= budget) {
        return Err(
            Failure::invalid("`time_ms` is more than `timeout_ms` allows")
                .about(["time_ms", "timeout_ms"]),
        );
    }
    Ok(Wait {
        state: match input.state.unwrap_or_default() {
            ElementState::Visible | ElementState::Networkidle => State::Visible,
            ElementState::Hidden => State::Hidden,
            ElementState::Attached => State::Attached,
            ElementState::Detached => State::Detached,
            ElementState::Enabled => State::Enabled,
        },
        text: input.text.clone(),
        url: input.url.clone(),
        time,
        limit,
    })
}
