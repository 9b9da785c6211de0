"""A DevTools client on a WebSocket, with nothing between but the standard library."""

import base64
import json
import os
import socket
import struct
from typing import Any
from urllib.parse import urlsplit


class Client:
    """Speaks to one endpoint; events are dropped."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.socket = socket.create_connection((parts.hostname, parts.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {parts.path} HTTP/1.1", f"Host: {parts.netloc}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]
        self.socket.sendall("\r\n".join(lines).encode())
        self.file = self.socket.makefile("rb", buffering=1 << 20)
        if b" 101 " not in self.file.readline():
            raise RuntimeError(f"no WebSocket at {url}")
        while self.file.readline().strip():
            pass
        self.last_id = 0

    def post(self, method: str, params: dict[str, Any] | None = None, session: str | None = None) -> int:
        self.last_id += 1
        message: dict[str, Any] = {"id": self.last_id, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        text = json.dumps(message).encode()
        size = struct.pack(">BB", 0x81, 0x80 | len(text)) if len(text) < 126 else struct.pack(">BBH", 0x81, 0xFE, len(text))
        # A mask of zeros is a mask.
        self.socket.sendall(size + b"\0\0\0\0" + text)
        return self.last_id

    def wait(self, number: int) -> dict[str, Any]:
        """Reads until this answer."""
        needle = b'{"id":%d,' % number
        while True:
            text = self.message()
            if text.startswith(needle):
                answer = json.loads(text)
                if "error" in answer:
                    raise RuntimeError(answer["error"])
                return answer["result"]

    def call(self, method: str, params: dict[str, Any] | None = None, session: str | None = None) -> dict[str, Any]:
        return self.wait(self.post(method, params, session))

    def message(self) -> bytes:
        text = b""
        while True:
            first, size = self.file.read(2)
            if size == 126:
                (size,) = struct.unpack(">H", self.file.read(2))
            elif size == 127:
                (size,) = struct.unpack(">Q", self.file.read(8))
            text += self.file.read(size)
            if first & 0x80:
                return text

    def page(self) -> str:
        """A session on the first page."""
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        return self.call("Target.attachToTarget", {"targetId": page, "flatten": True})["sessionId"]

    def close(self) -> None:
        # The connection ends with the last of the two.
        self.file.close()
        self.socket.close()
