"""The binary that is measured, with a store of its own."""

import json
import os
import pathlib
import signal
import subprocess
from typing import Any


class Szk:
    """`szk` in an empty folder, so that no configuration of the machine has a say."""

    def __init__(self, binary: pathlib.Path, folder: pathlib.Path) -> None:
        self.binary = str(binary)
        self.folder = folder
        kept = {name: os.environ[name] for name in ("PATH", "SZK_CHROMIUM") if name in os.environ}
        self.env = {**kept, "HOME": str(folder), "SZK_STORE": str(folder / "store"), "LANG": "C.UTF-8"}
        # Chromium started by hand gets the same surroundings.
        os.environ.clear()
        os.environ.update(self.env)

    def start(self, *args: str) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        return subprocess.Popen([self.binary, *args], stdin=pipe, stdout=pipe, cwd=self.folder, env=self.env)

    def run(self, *args: str) -> dict[str, Any]:
        """Runs a command to its end; its answer."""
        done = subprocess.run([self.binary, *args, "--json"], capture_output=True, cwd=self.folder, env=self.env)
        if done.returncode:
            raise RuntimeError(f"szk {' '.join(args)}: {done.stderr.decode()}")
        return json.loads(done.stdout)

    def open(self, profile: str) -> dict[str, Any]:
        """Opens a profile in the background."""
        return self.run("open", profile, "--headless", "--detach")

    def command_line(self, profile: str) -> list[str]:
        """How szk starts Chromium: the command line of a browser that it runs."""
        keeper = self.open(profile)["keeper_pid"]
        browser = pathlib.Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()[0]
        words = pathlib.Path(f"/proc/{browser}/cmdline").read_bytes().split(b"\0")
        self.run("close", profile)
        return [word.decode() for word in words if word]


class Mcp:
    """An MCP client: one line out, lines in until the answer."""

    def __init__(self, szk: Szk) -> None:
        self.process = szk.start("mcp")
        self.last_id = 0
        client = {"name": "bench", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.request("initialize", hello)
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.last_id += 1
        self.write({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.last_id:
                return answer["result"]

    def tool(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Calls a tool that must succeed."""
        result = self.request("tools/call", {"name": name, "arguments": arguments})
        if result.get("isError"):
            raise RuntimeError(f"{name}: {result}")
        return result

    def write(self, message: dict[str, Any]) -> None:
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def interrupt(process: subprocess.Popen[bytes]) -> None:
    """Ctrl-C, and what comes of it."""
    process.send_signal(signal.SIGINT)
    process.wait()
    process.stdin.close()
    process.stdout.close()
