"""Typed client of szk, the browser that AI agents and scripts keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._http import Http
from ._log import Logged
from ._stdio import Stdio
from .call import Cancel, Cancelled, OnProgress, Progress, Transport
from .error import ConnectionFailed, SzkError
from .operations import *  # noqa: F403
from .operations import Operations

__all__ = ["Cancel", "Cancelled", "ConnectionFailed", "Progress", "Szk", "SzkError"]


class Szk(Operations):
    """szk, with every operation as a typed method: `szk.session.open(session="work")`.

    A failed call raises the class of its code (`SessionBusyError`, `NotFoundError`, …, in
    `szk.operations`). Every method takes `on_progress` and `cancel`. With `log` a file gets a line of
    JSON per call.
    """

    def __init__(self, transport: Transport, log: str | None = None) -> None:
        self._transport = Logged(transport, log) if log is not None else transport
        super().__init__(self)

    @classmethod
    def start(
        cls,
        command: str = "szk",
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        name: str = "szk for Python",
        log: str | None = None,
    ) -> Szk:
        """Starts `szk mcp` on this machine."""
        return cls(Stdio(command, env, cwd, name), log)

    @classmethod
    def http(
        cls,
        url: str,
        token: str,
        *,
        name: str | None = None,
        session: str | None = None,
        log: str | None = None,
    ) -> Szk:
        """Uses a running `szk serve`. `session` is that of calls that name none."""
        return cls(Http(url, token, name, session), log)

    def call(
        self,
        operation: str,
        input: dict[str, Any],
        *,
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
    ) -> Any:
        """Calls an operation by its name."""
        return self._transport.call(operation, input, on_progress, cancel)

    def close(self) -> None:
        """Leaves szk."""
        self._transport.close()

    def __enter__(self) -> Szk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
