"""What szk says of calls that fail."""

from __future__ import annotations

from typing import Any


class SzkError(Exception):
    """A failed call. Each code has a class of its own, such as `SessionBusyError`.

    `hint` is the next step, `retryable` whether the same call may succeed if it is repeated, `effect`
    whether anything was done before it failed: "none", "done" or "unknown".
    """

    def __init__(self, failure: dict[str, Any]) -> None:
        hint = failure.get("hint")
        super().__init__(f"{failure['message']} ({hint})" if hint else failure["message"])
        self.code: str = failure["code"]
        self.message: str = failure["message"]
        self.hint: str | None = hint
        self.retryable: bool = failure.get("retryable", False)
        self.effect: str = failure.get("effect", "unknown")


class ConnectionFailed(SzkError):
    """szk itself is gone, or did not answer as it should; what became of the call is unknown."""

    def __init__(self, message: str) -> None:
        super().__init__({"code": "INTERNAL", "message": message})
