"""A line of JSON per call."""

from __future__ import annotations

import json
import os
import threading
import time
from datetime import UTC, datetime
from typing import Any

from .call import Cancel, OnProgress, Transport
from .error import SzkError


class Logged:
    """When, which, in which session, how long, what came of it. What was typed or read is not in it."""

    def __init__(self, inner: Transport, path: str) -> None:
        self._inner = inner
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._file = os.fdopen(descriptor, "a", encoding="utf-8", buffering=1)
        self._lock = threading.Lock()

    def call(
        self, operation: str, input: dict[str, Any], on_progress: OnProgress | None, cancel: Cancel | None
    ) -> Any:
        began, clock, code = datetime.now(UTC), time.monotonic(), "CANCELLED"
        try:
            answer = self._inner.call(operation, input, on_progress, cancel)
            code = "OK"
            return answer
        except SzkError as error:
            code = error.code
            raise
        finally:
            line = {
                "time": began.isoformat(),
                "operation": operation,
                "session": input.get("session"),
                "tab": input.get("tab"),
                "ms": round((time.monotonic() - clock) * 1000),
                "code": code,
            }
            with self._lock:
                self._file.write(json.dumps(line) + "\n")

    def close(self) -> None:
        try:
            self._inner.close()
        finally:
            self._file.close()
