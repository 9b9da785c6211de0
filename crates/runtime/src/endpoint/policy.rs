//! What a client may do to a browser that it shares: the whole table.

/// What happens to a message of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Policy {
    /// It goes to the browser as it is.
    Forward(Learn),
    /// It is answered here; the browser never sees it.
    Answer(Answer),
    /// Something else goes to the browser, and the client is answered as if it had been this.
    Rewrite(Rewrite),
    /// It waits, and all later messages of this client behind it.
    Hold(Until),
    /// The client gets an error, with the reason, in the given case; else it is forwarded.
    Refuse(When, &'static str),
}

/// What is learned from the answer to a forwarded message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Learn {
    Nothing,
    /// The client owns the browser context that it made, and takes it along when it leaves.
    Context,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Success, and the client's own socket closes.
    Goodbye,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rewrite {
    /// A page is made blank, gets its stealth, and only then goes to its URL.
    CreateTarget,
}

/// Both are about the target of the message's session; a session without one is not held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// The supervisor's commands for the target are on the pipe.
    Written,
    /// They are answered. Not waited for while the client itself keeps the target paused: a paused
    /// target may answer nothing.
    Acked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Always,
    /// `flatten` is not true: messages inside of messages would pass this table by.
    NotFlat,
    /// It names a browser context that this client did not make.
    ForeignContext,
}

/// The policy for a method.
pub(super) fn of(method: &str) -> Policy {
    use Policy::{Answer as Answered, Forward, Hold, Refuse, Rewrite as Rewritten};
    match method {
        "Browser.close" => Answered(Answer::Goodbye),
        "Browser.crash" | "Browser.crashGpuProcess" => {
            Refuse(When::Always, "it would crash the browser of every client")
        }

        "Target.createTarget" => Rewritten(Rewrite::CreateTarget),
        "Runtime.runIfWaitingForDebugger" => Hold(Until::Written),
        "Page.navigate" => Hold(Until::Acked),

        "Target.createBrowserContext" => Forward(Learn::Context),
        "Target.disposeBrowserContext" => Refuse(
            When::ForeignContext,
            "the browser context was not created by this client",
        ),

        "Target.exposeDevToolsProtocol" => {
            Refuse(When::Always, "it would give a page control of the browser")
        }
        "Target.setRemoteLocations" => {
            Refuse(When::Always, "this browser reports its own targets only")
        }
        "Target.sendMessageToTarget" => Refuse(
            When::Always,
            "only flat sessions are served; attach with `flatten: true`",
        ),
        "Target.attachToTarget" | "Target.setAutoAttach" => Refuse(
            When::NotFlat,
            "only flat sessions are served; use `flatten: true`",
        ),

        _ => Forward(Learn::Nothing),
    }
}
