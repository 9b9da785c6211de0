"""Pages on this machine."""

import http.server
import threading
from collections.abc import Callable
from typing import Any


class Site:
    """Answers each path with the page that a function has for it, and with 404 where it has none."""

    def __init__(self, page: Callable[[str], bytes | None]) -> None:
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                body = page(self.path) or b""
                self.send_response(200 if body else 404)
                self.send_header("content-type", "text/html")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_: Any) -> None:
                """A page that was closed does not wait for its answers."""

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
