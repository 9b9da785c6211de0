"""Uses `szk serve` over TLS with the certificate in a file as the only one that it trusts.

    python tls.py URL TOKEN CERTIFICATE

Prints what it saw as one line of JSON.
"""

import base64
import http.client
import json
import os
import socket
import ssl
import struct
import sys
from urllib.parse import urlsplit

url, token, certificate = sys.argv[1:]
host = f"127.0.0.1:{urlsplit(url).port}"
context = ssl.create_default_context(cafile=certificate)


def ask(method, path, headers, body=None):
    connection = http.client.HTTPSConnection(host, context=context, timeout=60)
    connection.request(method, path, body=json.dumps(body) if body else None, headers=headers)
    answer = connection.getresponse()
    return answer, answer.read().decode()


def exactly(stream, count):
    data = b""
    while len(data) < count:
        more = stream.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def command(address, text):
    """Sends one DevTools command over a WebSocket; its answer."""
    at = urlsplit(address)
    stream = context.wrap_socket(socket.create_connection(("127.0.0.1", at.port)), server_hostname="127.0.0.1")
    stream.settimeout(60)
    key = base64.b64encode(os.urandom(16)).decode()
    stream.sendall(
        f"GET {at.path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: Upgrade\r\n"
        f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
    )
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += exactly(stream, 1)
    assert b" 101 " in head, head
    # A mask of zeros leaves the text as it is.
    stream.sendall(bytes([0x81, 0x80 | len(text)]) + bytes(4) + text.encode())
    length = exactly(stream, 2)[1]
    if length == 126:
        length = struct.unpack(">H", exactly(stream, 2))[0]
    return json.loads(exactly(stream, length))


bearer = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
seen = {"health": ask("GET", "/healthz", {})[0].status, "no_token": ask("GET", "/v1/sessions", {})[0].status}
login = {"Content-Type": "application/json", "szk-dashboard": "1", "Origin": f"https://{host}"}
seen["cookie"] = ask("POST", "/dashboard/login", login, {"token": token})[0].getheader("Set-Cookie")
plain = {**login, "Origin": f"http://{host}"}
seen["plain_origin"] = ask("POST", "/dashboard/login", plain, {"token": token})[0].status
hello = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
accept = {**bearer, "Accept": "application/json, text/event-stream"}
seen["mcp"] = "serverInfo" in ask("POST", "/mcp", accept, hello)[1]
version = json.loads(ask("GET", "/v1/sessions/work/cdp/json/version", bearer)[1])
seen["socket"] = version["webSocketDebuggerUrl"]
seen["browser"] = command(seen["socket"], '{"id":1,"method":"Browser.getVersion"}')["result"]["product"]
print(json.dumps(seen))
