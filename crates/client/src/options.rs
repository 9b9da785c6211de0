//! From the input of `session_open` to the strongest layer of configuration.

use szk_config::{CallOptions, Headless as Setting};
use szk_tools::Failure;
use szk_tools::session::{Headless, OpenInput};

/// The options that a call asks for; what it leaves out comes from weaker layers.
///
/// # Errors
/// `INVALID_INPUT` for a value that cannot be read. Values that do not fit together are found when the
/// layers are put on top of each other.
pub fn of(input: &OpenInput) -> Result<CallOptions, Failure> {
    let viewport = input
        .viewport
        .as_deref()
        .map(str::parse)
        .transpose()
        .map_err(|error| {
            Failure::invalid(format!("`viewport`: {error}")).hint("write it as `1280x800`")
        })?;
    let proxy = input
        .proxy
        .as_deref()
        .map(str::parse)
        .transpose()
        // The text may hold a password: only the reason is repeated.
        .map_err(|error| {
            Failure::invalid(format!("`proxy`: {error}"))
                .hint("write it as `http://host:port` or `socks5://host:port`")
        })?;
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
        ..CallOptions::default()
    })
}
