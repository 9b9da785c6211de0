"""What a model reads in each step of `szk do`, beside a full snapshot of the same page."""

import http.server
import json
import pathlib
import re
import shutil
import subprocess
import threading
from statistics import mean
from typing import Any

from report import Row
from server import Site
from szk import Szk

STEPS = 20
ROWS = 60
PAGE = f"""<!doctype html><title>Shop</title><h1>Shop</h1><p>In your cart: <output>0</output></p><ul></ul><script>
document.querySelector('ul').innerHTML = Array.from({{length: {ROWS}}}, (_, n) => `<li><h2>Lamp ${{n}}</h2>
  <p>A lamp of the series ${{n % 7}}, delivered in ${{n % 5 + 1}} days</p><b>€ ${{10 + n * 7 % 90}}</b>
  <button>Add lamp ${{n}}</button></li>`).join('');
document.querySelector('ul').onclick = ({{ target }}) => {{ if (target.localName === 'button') document.querySelector('output').value++; }};
</script>""".encode()
# The tokenizer that scripts/tasks installs.
COUNT = "const {encode} = require('gpt-tokenizer/encoding/o200k_base'); let t = ''; process.stdin.on('data', (d) => t += d).on('end', () => console.log(JSON.stringify(JSON.parse(t).map((one) => encode(one).length))))"


class Model:
    """A provider of chat completions that adds one lamp after the other, by the refs that it has read."""

    def __init__(self) -> None:
        self.asked: list[list[dict[str, Any]]] = []
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                model.asked.append(request["messages"])
                body = json.dumps({"choices": [{"message": model.answer(request["messages"])}]}).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def answer(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        step = sum(message["role"] == "assistant" for message in messages)
        read = "\n".join(message["content"] for message in messages if message["role"] == "user")
        name, arguments = "done", {"success": True, "text": f"{STEPS} lamps are in the cart"}
        if step < STEPS:
            ref = re.search(rf'button "Add lamp {step}" \[(e\d+)\]', read)[1]
            name, arguments = "browser_act", {"kind": "click", "ref": ref}
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{step}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def rows(szk: Szk) -> list[Row]:
    model = Model()
    site = Site(lambda path: PAGE if path == "/" else None)
    szk.open("steps")
    szk.run("navigate", site.origin + "/", "-s", "steps")
    szk.env |= {"SZK_AGENT_MODEL": "scripted", "SZK_AGENT_BASE_URL": model.url}
    told = szk.run("do", f"put {STEPS} lamps into the cart", "-s", "steps", "--no-judge")
    for name in ("SZK_AGENT_MODEL", "SZK_AGENT_BASE_URL"):
        del szk.env[name]
    whole = szk.run("snapshot", "--mode", "full", "-s", "steps")["snapshot"]
    szk.run("close", "steps")
    model.close()
    assert told["done"] and told["steps"] == STEPS + 1, told
    # What came of each act: the last message of each prompt but the first.
    heard = [messages[-1]["content"] for messages in model.asked[1:]]
    last = "\n".join(message["content"] or "" for message in model.asked[-1])
    *steps, prompt, snapshot = tokens([*heard, last, whole])
    return [
        Row(f"a step of `szk do`, of {STEPS}: what the model hears", mean(steps), "tokens"),
        Row("  a full snapshot of the same page", snapshot, "tokens"),
        Row("  the step, of the snapshot", mean(steps) / snapshot, "x", 0.1),
        Row("  the conversation at the last step, of a snapshot each", prompt / (snapshot * STEPS), "x", 0.2),
    ]


def tokens(texts: list[str]) -> list[float]:
    """By the tokenizer of scripts/tasks, or four bytes each where it is not installed."""
    folder = pathlib.Path(__file__).resolve().parent.parent / "target/tools/tasks"
    node = shutil.which("node")
    if node is None or not (folder / "node_modules/gpt-tokenizer").is_dir():
        return [len(text.encode()) / 4 for text in texts]
    counted = subprocess.run([node, "-e", COUNT], input=json.dumps(texts), capture_output=True, text=True, cwd=folder, check=True)
    return json.loads(counted.stdout)
