"""Chromium on its pipe, with nothing between: the ground that szk is measured against."""

import json
import os
import pathlib
import signal
import time
from typing import Any


class Chromium:
    """One browser process. It reads commands from descriptor 3 and writes to 4."""

    def __init__(self, command: list[str]) -> None:
        self.began = time.perf_counter()
        commands_out, self.commands = os.pipe()
        self.replies, replies_in = os.pipe()
        null = os.open(os.devnull, os.O_RDWR)
        # Above 4 first, so that neither overwrites the other.
        high = [os.dup2(commands_out, 100), os.dup2(replies_in, 101)]
        actions = [(os.POSIX_SPAWN_DUP2, source, at) for source, at in zip([*high, null, null, null], [3, 4, 0, 1, 2])]
        # In a session of its own, as szk, Playwright and Puppeteer start it: the system shares its processors
        # out among sessions, and one that is in that of its client has an advantage that nobody has.
        self.pid = os.posix_spawn(command[0], command, os.environ, file_actions=actions, setsid=True)
        for descriptor in (commands_out, replies_in, null, *high):
            os.close(descriptor)
        self.rest = b""
        self.last_id = 0

    def call(self, method: str, params: dict[str, Any] | None = None, session: str | None = None) -> dict[str, Any]:
        """Sends a command and reads until its answer; events on the way are dropped."""
        self.last_id += 1
        message: dict[str, Any] = {"id": self.last_id, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = json.loads(self.message())
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def event(self, method: str, session: str) -> dict[str, Any]:
        """Reads until an event of a session."""
        while True:
            event = json.loads(self.message())
            if event.get("method") == method and event.get("sessionId") == session:
                return event["params"]

    def message(self) -> bytes:
        while b"\0" not in self.rest:
            chunk = os.read(self.replies, 1 << 16)
            if not chunk:
                raise RuntimeError("Chromium ended; is its command line still right?")
            self.rest += chunk
        message, self.rest = self.rest.split(b"\0", 1)
        return message

    def page(self) -> str:
        """A session on the first page."""
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        return self.call("Target.attachToTarget", {"targetId": page, "flatten": True})["sessionId"]

    def close(self) -> None:
        """Ends it as szk does, and waits for the whole family."""
        self.call("Browser.close")
        os.waitpid(self.pid, 0)
        os.close(self.commands)
        os.close(self.replies)
        deadline = time.monotonic() + 5
        while family_lives(self.pid):
            if time.monotonic() > deadline:
                os.killpg(self.pid, signal.SIGKILL)
            time.sleep(0.01)


def family_lives(group: int) -> bool:
    """Whether a process of the group still runs. One that has ended stays in the group until it is waited for, which
    takes whoever inherited it seconds in some containers."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group = stat.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(its_group) == group and state not in "ZX":
            return True
    return False
