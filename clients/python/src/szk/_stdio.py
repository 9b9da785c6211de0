"""`szk mcp`, spoken to over its standard input and output."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Mapping
from typing import Any

from ._failures import error_of
from .call import Cancel, Cancelled, OnProgress
from .error import ConnectionFailed

# What ends a call that was given up.
_GIVEN_UP: dict[str, Any] = {}


class Stdio:
    """It ends with this client. Calls may come from several threads."""

    def __init__(self, command: str, env: Mapping[str, str] | None, cwd: str | None, name: str) -> None:
        pipe = subprocess.PIPE
        try:
            self._child = subprocess.Popen(
                [command, "mcp", "--tools", "all"],
                env=env,
                cwd=cwd,
                stdin=pipe,
                stdout=pipe,
                # The talk of szk is for people.
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
        except OSError as error:
            raise ConnectionFailed(f"szk cannot be started: {error}") from error
        self._lock = threading.Lock()
        self._last = 0
        self._ended = False
        self._waiting: dict[int, queue.SimpleQueue[dict[str, Any]]] = {}
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        client = {"name": name, "version": "0.1.0"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        self._request("initialize", hello, None, None)
        self._send({"method": "notifications/initialized"})

    def call(
        self, operation: str, input: dict[str, Any], on_progress: OnProgress | None, cancel: Cancel | None
    ) -> Any:
        params = {"name": operation, "arguments": input}
        result = self._request("tools/call", params, on_progress, cancel)
        failure = result.get("_meta", {}).get("szk/failure")
        if failure is not None:
            raise error_of(failure)
        if result.get("isError"):
            raise ConnectionFailed("".join(part.get("text", "") for part in result.get("content", [])))
        return result.get("structuredContent")

    def close(self) -> None:
        """Leaves: sessions that nobody else uses are saved and closed."""
        if self._child.stdin is not None:
            self._child.stdin.close()
        self._child.wait()
        self._reader.join()

    def _request(
        self, method: str, params: dict[str, Any], on_progress: OnProgress | None, cancel: Cancel | None
    ) -> dict[str, Any]:
        answers: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        with self._lock:
            self._last += 1
            number = self._last
            if self._ended:
                raise ConnectionFailed("szk has ended")
            self._waiting[number] = answers

        def give_up() -> None:
            self._send({"method": "notifications/cancelled", "params": {"requestId": number}})
            answers.put(_GIVEN_UP)

        try:
            if on_progress is not None:
                params = {**params, "_meta": {"progressToken": number}}
            self._send({"id": number, "method": method, "params": params})
            if cancel is not None:
                cancel._then(give_up)
            return self._answer(answers, on_progress)
        except KeyboardInterrupt:
            give_up()
            raise
        finally:
            if cancel is not None:
                cancel._done(give_up)
            with self._lock:
                self._waiting.pop(number, None)

    @staticmethod
    def _answer(answers: queue.SimpleQueue[dict[str, Any]], on_progress: OnProgress | None) -> dict[str, Any]:
        while True:
            message = answers.get()
            if message is _GIVEN_UP:
                raise Cancelled
            if "method" in message:
                if on_progress is not None:
                    said = message["params"]
                    done, total = said["progress"], said.get("total", said["progress"])
                    on_progress({"message": said.get("message", ""), "done": done, "total": total})
            elif "error" in message:
                raise ConnectionFailed(message["error"]["message"])
            else:
                result: dict[str, Any] = message["result"]
                return result

    def _send(self, message: dict[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message})
        try:
            with self._lock:
                assert self._child.stdin is not None
                self._child.stdin.write(line + "\n")
                self._child.stdin.flush()
        except (OSError, ValueError):
            # Its end is what every call hears of.
            pass

    def _read(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            message = json.loads(line)
            if message.get("method") == "notifications/progress":
                self._tell(message["params"].pop("progressToken"), message)
            elif "method" not in message:
                self._tell(message["id"], message)
            elif "id" in message:
                # Nobody is here to be asked anything.
                error = {"code": -32601, "message": "not supported"}
                self._send({"id": message["id"], "error": error})
        with self._lock:
            self._ended = True
            waiting = list(self._waiting.values())
        for answers in waiting:
            answers.put({"error": {"message": "szk has ended"}})

    def _tell(self, number: int, message: dict[str, Any]) -> None:
        with self._lock:
            answers = self._waiting.get(number)
        if answers is not None:
            answers.put(message)
