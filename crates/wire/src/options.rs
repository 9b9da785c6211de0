//! Turns the input of `session_open` into the strongest layer of configuration.

use std::str::FromStr;

use szk_config::{CallOptions, Headless as Setting, InvalidValue};
use szk_tools::Failure;
use szk_tools::session::{Headless, OpenInput};

/// The options of a call; weaker layers provide what it leaves out.
///
/// # Errors
/// `INVALID_INPUT` for an invalid value. Conflicts between values are found when the layers are
/// combined.
pub fn of(input: &OpenInput) -> Result<CallOptions, Failure> {
    let viewport = read(
        input.viewport.as_deref(),
        "viewport",
        "write it as `1280x800`",
    )?;
    let proxy = read(
        input.proxy.as_deref(),
        "proxy",
        "write it as `http://host:port` or `socks5://host:port`",
    )?;
    Ok(CallOptions {
        preset: input.preset.clone(),
        headless: input.headless.map(|headless| match headless {
            Headless::Auto => Setting::Auto,
            Headless::True => Setting::On,
            Headless::False => Setting::Off,
        }),
        viewport,
        locale: input.locale.clone(),
        timezone: input.timezone.clone(),
        user_agent: input.user_agent.clone(),
        proxy,
        extensions: input.extensions.clone(),
        raw_port: input.raw_port,
        // `session_open` has no input for these two.
        chromium: None,
        store: None,
    })
}

/// Parses a value. Errors repeat only the reason, because the value may contain a password.
fn read<T: FromStr<Err = InvalidValue>>(
    text: Option<&str>,
    field: &str,
    usual: &str,
) -> Result<Option<T>, Failure> {
    text.map(str::parse)
        .transpose()
        .map_err(|error: InvalidValue| {
            let hint = error.hint().unwrap_or(usual).to_owned();
            Failure::invalid(format!("`{field}`: {error}"))
                .about([field])
                .hint(hint)
        })
}
