"""What any call takes besides its input."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol, TypedDict


class Progress(TypedDict):
    """How far a call is."""

    message: str
    done: int
    total: int


OnProgress = Callable[[Progress], None]


class Cancelled(Exception):
    """The caller gave the call up."""


class Cancel:
    """Gives up the calls that it was passed to, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._given_up = False
        self._waiting: list[Callable[[], None]] = []

    def cancel(self) -> None:
        """Cancels what runs now, and what is called with this from now on."""
        with self._lock:
            self._given_up = True
            waiting, self._waiting = self._waiting, []
        for end in waiting:
            end()

    @property
    def cancelled(self) -> bool:
        """Whether it was called."""
        return self._given_up

    def _then(self, end: Callable[[], None]) -> None:
        with self._lock:
            if not self._given_up:
                self._waiting.append(end)
                return
        end()

    def _done(self, end: Callable[[], None]) -> None:
        with self._lock:
            if end in self._waiting:
                self._waiting.remove(end)


class Transport(Protocol):
    """Carries calls to szk."""

    def call(
        self,
        operation: str,
        input: dict[str, Any],
        on_progress: OnProgress | None,
        cancel: Cancel | None,
    ) -> Any: ...

    def close(self) -> None: ...
