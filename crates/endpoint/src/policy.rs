//! What a client may do to a browser that it shares: the whole table.

use szk_config::{EndpointContexts, EndpointIdentity, EndpointTabs};

use super::rules::Rules;
use super::shield::Domain;

/// How to handle a message of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Policy {
    /// Pass it to the browser unchanged.
    Forward(Learn),
    /// Answer it here; the browser never sees it.
    Answer(Answer),
    /// Send something else to the browser, and answer the client as if it had been this.
    Rewrite(Rewrite),
    /// Hold it, and all later messages of this client behind it.
    Hold(Until),
    /// Refuse it with this reason, in the given case; otherwise the rest of the table applies.
    Refuse(When, &'static str),
}

/// What to learn from a forwarded message and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Learn {
    Nothing,
    /// The client owns the browser context that it created, and disposes of it when it leaves.
    Context,
    /// A script for new documents: it may add a world, and must not reveal who sent it.
    Script,
    /// The script is removed, and its world with it.
    NoScript,
    /// A world in a frame, whose context is announced before the answer.
    World,
    /// A function for pages, which new contexts get too.
    Binding,
    NoBinding,
    /// Whether the client wants these events.
    Wants(Domain, bool),
    /// Whether the client holds targets that open.
    Holds,
    /// The client attaches to one target by itself, and has no set-up to finish there.
    Attaches,
    /// The client emulates this itself, and the profile leaves it to the client.
    Emulates(&'static str),
    /// All targets: sorted into tab order, and with `endpoint.tabs = "own"` without those of others.
    Targets,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Success, and the client's own socket closes.
    Goodbye,
    /// Success without effect: the page keeps the profile's identity.
    Kept,
    /// The shield announces contexts in the browser's place.
    Contexts,
    /// The shield stops announcing them.
    NoContexts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rewrite {
    /// Creates a blank page, waits for its stealth, and only then navigates it to its URL.
    CreateTarget,
    /// Removes the name that its driver gave a script, and translates the context names that the shield
    /// made up.
    Source,
    /// Restores a window's bounds when the client leaves.
    Window,
    /// Resizes the window to give a page its size.
    Viewport,
    /// Keeps downloads where the profile has them; the client gets the events, and copies.
    Downloads,
}

/// All are about the target of the message's session; a message without a session is not held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// The supervisor's commands for the target are on the pipe.
    Written,
    /// They are answered. Not awaited while the client itself keeps the target paused: a paused target
    /// may answer nothing.
    Acked,
    /// The page is in front of the other tabs of its window.
    InFront,
    /// The same, unless it was a moment ago.
    Seen,
    /// The page has this size, in CSS pixels.
    Sized(i64, i64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Always,
    /// `flatten` is not true: nested messages would bypass this table.
    NotFlat,
    /// It names a browser context that this client did not create.
    ForeignContext,
    /// It names a target that this client did not open.
    ForeignTarget,
    /// It stops a page, or starts to ignore input there; the opposite is harmless.
    Stops,
    /// The program asks for something: it is not what drivers send on their own when they start with a
    /// page, nor does it reset anything.
    Asked,
}

/// The owner of the browser context that a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// The profile, or another client.
    Profile,
    /// This client created it.
    Own,
}

/// How to handle a message, checked in this order: a refusal that does not apply leaves it to the next
/// rule.
pub(super) fn of(
    method: &str,
    rules: &Rules,
    context: Context,
) -> impl Iterator<Item = Policy> + use<> {
    // A context of the client's own shares no document, worker or process with the profile's.
    let strict = context == Context::Profile || rules.contexts == EndpointContexts::Profile;
    let denied = rules.denies(method).then_some(DENIED);
    let held_up = holds_up(method).filter(|_| strict);
    let asked = asked(method).filter(|_| strict && rules.identity == EndpointIdentity::Profile);
    let tabs = own_tabs(method).filter(|_| rules.tabs == EndpointTabs::Own);
    let identity = looks(method).filter(|_| strict && rules.identity == EndpointIdentity::Profile);
    let shield = shielded(method).filter(|_| strict && rules.shield);
    let own = emulated(method).filter(|_| !strict);
    let attaches = match method {
        "Target.setAutoAttach" => Some(Forward(Learn::Holds)),
        "Target.attachToTarget" => Some(Forward(Learn::Attaches)),
        _ => None,
    };
    let parts = [
        denied,
        tabs,
        held_up,
        everybody(method),
        attaches,
        asked,
        identity,
        shield,
        own,
    ];
    parts.into_iter().flatten()
}

use Policy::{Answer as Answered, Forward, Hold, Refuse, Rewrite as Rewritten};

/// `endpoint.deny` names it.
const DENIED: Policy = Refuse(
    When::Always,
    "`endpoint.deny` of the configuration names it",
);

/// Rules for every client.
fn everybody(method: &str) -> Option<Policy> {
    Some(match method {
        "Browser.close" => Answered(Answer::Goodbye),
        "Browser.crash" | "Browser.crashGpuProcess" => {
            Refuse(When::Always, "it would crash the browser of every client")
        }
        "Emulation.addScreen"
        | "Emulation.updateScreen"
        | "Emulation.removeScreen"
        | "Emulation.setPrimaryScreen" => Refuse(
            When::Always,
            "it would change the screens of every page of the browser, and for good",
        ),

        "Target.createTarget" => Rewritten(Rewrite::CreateTarget),
        "Target.getTargets" => Forward(Learn::Targets),
        "Browser.setWindowBounds" | "Browser.setContentsSize" => Rewritten(Rewrite::Window),
        "Runtime.runIfWaitingForDebugger" => Hold(Until::Written),
        "Page.navigate" => Hold(Until::Acked),
        "Page.captureScreenshot" => Hold(Until::InFront),
        _ if method.starts_with("Input.") => Hold(Until::Seen),

        "Target.createBrowserContext" => Forward(Learn::Context),
        "Target.disposeBrowserContext" => Refuse(
            When::ForeignContext,
            "the browser context was not created by this client",
        ),

        "Target.exposeDevToolsProtocol" => Refuse(
            When::Always,
            "it would give a page control over the browser",
        ),
        "Target.setRemoteLocations" => {
            Refuse(When::Always, "this browser only reports its own targets")
        }
        "Target.sendMessageToTarget" => Refuse(
            When::Always,
            "only flat sessions are supported; attach with `flatten: true`",
        ),
        "Target.attachToTarget" | "Target.setAutoAttach" => Refuse(
            When::NotFlat,
            "only flat sessions are supported; use `flatten: true`",
        ),
        _ => return None,
    })
}

/// For pages that other clients use: commands that stop such a page, some of them beyond the end of the
/// client that sent them.
fn holds_up(method: &str) -> Option<Policy> {
    Some(match method {
        "Page.waitForDebugger" => Refuse(
            When::Always,
            "it would stop a page that other clients use; a browser context of your own allows it",
        ),
        "Page.setWebLifecycleState" => Refuse(
            When::Stops,
            "it would freeze a page that other clients use; a browser context of your own allows it",
        ),
        "Input.setIgnoreInputEvents" => Refuse(
            When::Stops,
            "the input of other clients would be lost; a browser context of your own allows it",
        ),
        _ => return None,
    })
}

/// Why a client cannot change what pages see of the profile's identity.
pub(super) const KEPT: &str = "pages keep the profile's identity; set it when opening the profile, or set `endpoint.identity = \"client\"`";

/// With `endpoint.identity = "profile"`: refusals that drivers pass on to the program that asked.
/// Commands that some drivers send on their own (viewports, touch, focus) are not here.
fn asked(method: &str) -> Option<Policy> {
    let asked = matches!(
        method,
        "Emulation.setGeolocationOverride"
            | "Emulation.setTimezoneOverride"
            | "Emulation.setLocaleOverride"
            | "Emulation.setEmulatedMedia"
            | "Emulation.setEmulatedVisionDeficiency"
            | "Emulation.setUserAgentOverride"
            | "Emulation.setIdleOverride"
            | "Network.setUserAgentOverride"
            | "Page.setGeolocationOverride"
            | "DeviceOrientation.setDeviceOrientationOverride"
    );
    asked.then_some(Refuse(When::Asked, KEPT))
}

/// With `endpoint.identity = "profile"`: commands that would change how pages see the profile.
fn looks(method: &str) -> Option<Policy> {
    Some(match method {
        // These change what a page does, not what it sees of the browser.
        "Emulation.setScriptExecutionDisabled"
        | "Emulation.setDefaultBackgroundColorOverride"
        | "Emulation.setCPUThrottlingRate" => return None,
        "Emulation.setVirtualTimePolicy" => Refuse(
            When::Always,
            "it would stop the clock of a page that other clients use",
        ),
        "Emulation.setDeviceMetricsOverride" | "Page.setDeviceMetricsOverride" => {
            Rewritten(Rewrite::Viewport)
        }
        "Emulation.canEmulate" => return None,
        _ if method.starts_with("Emulation.get") => return None,
        _ if method.starts_with("Emulation.") => Answered(Answer::Kept),
        "Network.setUserAgentOverride"
        | "Network.setAcceptedEncodings"
        | "Page.clearDeviceMetricsOverride"
        | "Page.setGeolocationOverride"
        | "Page.clearGeolocationOverride"
        | "Page.setTouchEmulationEnabled"
        | "Page.setFontFamilies"
        | "Page.setFontSizes"
        | "DeviceOrientation.setDeviceOrientationOverride"
        | "DeviceOrientation.clearDeviceOrientationOverride"
        | "Security.setIgnoreCertificateErrors"
        | "Security.setOverrideCertificateErrors" => Answered(Answer::Kept),
        "Browser.setDownloadBehavior" => Rewritten(Rewrite::Downloads),
        // Deprecated: downloads stay where the profile has them.
        "Page.setDownloadBehavior" => Answered(Answer::Kept),
        _ => return None,
    })
}

/// In a browser context of the client's own: what the profile's identity may emulate as well, with the
/// method that the supervisor uses for it.
fn emulated(method: &str) -> Option<Policy> {
    let ordered = match method {
        "Emulation.setUserAgentOverride" | "Network.setUserAgentOverride" => {
            "Emulation.setUserAgentOverride"
        }
        "Emulation.setDeviceMetricsOverride" | "Page.setDeviceMetricsOverride" => {
            "Emulation.setDeviceMetricsOverride"
        }
        "Emulation.setGeolocationOverride" | "Page.setGeolocationOverride" => {
            "Emulation.setGeolocationOverride"
        }
        "Emulation.setLocaleOverride" => "Emulation.setLocaleOverride",
        _ => return None,
    };
    Some(Forward(Learn::Emulates(ordered)))
}

/// With `endpoint.shield`: commands that pages could detect, and those needed to work without them.
fn shielded(method: &str) -> Option<Policy> {
    Some(match method {
        "Runtime.enable" => Answered(Answer::Contexts),
        "Runtime.disable" => Answered(Answer::NoContexts),
        "Page.enable" => Forward(Learn::Wants(Domain::Page, true)),
        "Page.disable" => Forward(Learn::Wants(Domain::Page, false)),
        "Console.enable" => Forward(Learn::Wants(Domain::Console, true)),
        "Console.disable" => Forward(Learn::Wants(Domain::Console, false)),
        "Page.createIsolatedWorld" => Forward(Learn::World),
        "Page.addScriptToEvaluateOnNewDocument" => Forward(Learn::Script),
        "Page.removeScriptToEvaluateOnNewDocument" => Forward(Learn::NoScript),
        "Runtime.addBinding" => Forward(Learn::Binding),
        "Runtime.removeBinding" => Forward(Learn::NoBinding),
        "Runtime.evaluate" | "Runtime.callFunctionOn" | "Runtime.compileScript" => {
            Rewritten(Rewrite::Source)
        }
        _ => return None,
    })
}

/// With `endpoint.tabs = "own"`: commands that would reach another client's tab.
fn own_tabs(method: &str) -> Option<Policy> {
    const WHY: &str = "this client did not open the target, and `endpoint.tabs` is \"own\"";
    Some(match method {
        "Target.attachToTarget" => Refuse(When::ForeignTarget, WHY),
        "Target.activateTarget"
        | "Target.closeTarget"
        | "Target.getTargetInfo"
        | "Target.autoAttachRelated"
        | "Browser.getWindowForTarget" => Refuse(When::ForeignTarget, WHY),
        "Browser.setWindowBounds" | "Browser.setContentsSize" => Refuse(
            When::Always,
            "the window may hold tabs of other clients, and `endpoint.tabs` is \"own\"",
        ),
        _ => return None,
    })
}
