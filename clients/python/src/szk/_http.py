"""`szk serve`, on this machine or another."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from ._failures import error_of
from .call import Cancel, Cancelled, OnProgress
from .error import ConnectionFailed
from .operations import ROUTES


class Http:
    """Every call is a connection of its own: closing it is how a call is given up."""

    def __init__(self, url: str, token: str, name: str | None, session: str | None) -> None:
        self._at = urlsplit(url)
        self._session = session
        self._headers = {"Authorization": f"Bearer {token}"}
        if name is not None:
            self._headers["Szk-Client"] = name

    def call(
        self, operation: str, input: dict[str, Any], on_progress: OnProgress | None, cancel: Cancel | None
    ) -> Any:
        method, path, body = self._request(operation, input)
        accept = "application/json" if on_progress is None else "text/event-stream"
        headers = {**self._headers, "Accept": accept}
        if body is not None:
            headers["Content-Type"] = "application/json"
        kind = HTTPSConnection if self._at.scheme == "https" else HTTPConnection
        connection = kind(self._at.netloc)

        def give_up() -> None:
            if connection.sock is not None:
                # Closing alone would not wake the thread that reads.
                connection.sock.shutdown(socket.SHUT_RDWR)

        try:
            connection.connect()
            if cancel is not None:
                cancel._then(give_up)
            connection.request(method, path, body, headers)
            return _read(connection.getresponse(), on_progress)
        except (OSError, HTTPException) as error:
            if cancel is not None and cancel.cancelled:
                raise Cancelled from None
            raise ConnectionFailed(f"szk cannot be reached: {error}") from error
        finally:
            if cancel is not None:
                cancel._done(give_up)
            connection.close()

    def close(self) -> None:
        """Nothing is held open between calls."""

    def _request(self, operation: str, input: dict[str, Any]) -> tuple[str, str, bytes | None]:
        method, template = ROUTES[operation]
        fields = dict(input)
        if "{session}" in template and self._session is not None:
            fields.setdefault("session", self._session)

        def filled(match: re.Match[str]) -> str:
            if match[1] not in fields:
                raise TypeError(f"{operation} needs `{match[1]}` over HTTP")
            return quote(str(fields.pop(match[1])), safe="")

        path = self._at.path.rstrip("/") + re.sub(r"\{(\w+)\}", filled, template)
        if method == "POST":
            return method, path, json.dumps(fields).encode()
        pairs = [(name, _text(each)) for name, value in fields.items() for each in _each(value)]
        return method, path + ("?" + urlencode(pairs) if pairs else ""), None


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _read(response: HTTPResponse, on_progress: OnProgress | None) -> Any:
    kind = response.headers.get_content_type()
    if kind != "text/event-stream":
        text = response.read()
        if kind != "application/json":
            raise HTTPException(f"an answer of type {kind}")
        answer = json.loads(text)
        if response.status >= 400:
            raise error_of(answer["error"])
        return answer
    for event, data in _events(response):
        if event == "progress" and on_progress is not None:
            on_progress(data)
        elif event == "result":
            return data
        elif event == "error":
            raise error_of(data["error"])
    raise HTTPException("the stream of events broke off")


def _events(response: HTTPResponse) -> Iterator[tuple[str, Any]]:
    event = ""
    for line in response:
        name, _, value = line.decode().rstrip("\r\n").partition(":")
        if name == "event":
            event = value.strip()
        elif name == "data":
            yield event, json.loads(value)
