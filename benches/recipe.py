"""A recipe of ten steps, beside a script for the same page that somebody wrote on raw CDP.

`python3 benches/recipe.py` measures it alone.
"""

import argparse
import json
from statistics import median

from calls import timed
from pipe import Chromium
from report import Row
from run import run
from server import Site
from szk import Mcp, Szk

FIELDS = 5
STEP = "<p id=s{n}{hidden}><label>Field {n} <input name=f{n}></label> <button id=b{n} onclick=\"s{next}.hidden = false\">Next {n}</button></p>"
PAGE = (
    "<!doctype html><html lang=en><title>ten steps</title><h1>Ten steps</h1>"
    + "".join(STEP.format(n=n, next=n + 1, hidden=" hidden" if n > 1 else "") for n in range(1, FIELDS + 1))
    + f"<h2 id=s{FIELDS + 1} hidden>Done</h2>"
).encode()


def steps() -> str:
    """The recipe, as a recording writes it."""
    lines = ['[[step]]\ndo = "navigate"\nvalue = "/"']
    for n in range(1, FIELDS + 1):
        appears = f'role = "textbox", name = "Field {n + 1}"' if n < FIELDS else 'role = "heading", name = "Done"'
        field = f'role = "textbox", name = "Field {n}", label = "Field {n}", field = "f{n}", type = "text"'
        lines.append(f'[[step]]\ndo = "fill"\nvalue = "value {n}"\non = {{ {field} }}\nexpect = {{ value = true }}')
        lines.append(
            f'[[step]]\ndo = "click"\non = {{ role = "button", name = "Next {n}", css = "#b{n}" }}\n'
            f"expect = {{ appears = {{ {appears} }} }}"
        )
    return "\n\n".join(lines) + "\n"


class Script:
    """The same by hand: finds by selector, acts with the mouse and the keyboard, waits for what is to come."""

    def __init__(self, raw: Chromium, page: str, url: str) -> None:
        self.raw, self.page, self.url = raw, page, url

    def run(self) -> None:
        self.raw.call("Page.navigate", {"url": self.url}, self.page)
        self.appears(1)
        for n in range(1, FIELDS + 1):
            self.click(f"[name=f{n}]")
            self.raw.call("Input.insertText", {"text": f"value {n}"}, self.page)
            if self.value(f"document.querySelector('[name=f{n}]').value") != f"value {n}":
                raise RuntimeError(f"field {n} does not hold it")
            self.click(f"#b{n}")
            self.appears(n + 1)

    def value(self, expression: str) -> object:
        asked = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        return self.raw.call("Runtime.evaluate", asked, self.page)["result"].get("value")

    def appears(self, n: int) -> None:
        shown = f"document.readyState === 'complete' && document.querySelector('#s{n}')?.offsetHeight > 0"
        while not self.value(shown):
            pass

    def click(self, selector: str) -> None:
        box = f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] }})()"
        x, y = self.value(box)
        at = {"x": x, "y": y, "button": "left", "clickCount": 1}
        self.raw.call("Input.dispatchMouseEvent", {"type": "mouseMoved", **at, "button": "none"}, self.page)
        self.raw.call("Input.dispatchMouseEvent", {"type": "mousePressed", "buttons": 1, **at}, self.page)
        self.raw.call("Input.dispatchMouseEvent", {"type": "mouseReleased", **at}, self.page)


def rows(szk: Szk, rounds: int) -> list[Row]:
    """Both browsers are open all the time and take turns."""
    origin = Site(lambda path: PAGE if path == "/" else None).origin
    raw = Chromium(szk.command_line("raw"))
    script = Script(raw, raw.page(), origin + "/")
    client = Mcp(szk)
    client.tool("session_open", session="ours", headless="true")
    text = f'[recipe]\nname = "ten-steps"\nsite = "{origin}"\n\n{steps()}'
    client.tool("recipe_save", session="ours", name="ten-steps", text=text)

    def replay() -> None:
        ran = client.tool("recipe_run", session="ours", name="ten-steps")["structuredContent"]
        if len(ran["steps"]) != 2 * FIELDS + 1:
            raise RuntimeError(f"not every step was done: {ran}")

    script.run(), replay()
    ground, ours = [], []
    for _ in range(rounds):
        ground.append(timed(script.run))
        ours.append(timed(replay))
    client.tool("session_close", session="ours")
    client.close()
    raw.close()
    return [
        Row("ten steps by a script on raw CDP", median(ground), "ms"),
        Row("the same by recipe_run over MCP", median(ours), "ms"),
        Row("  as a multiple of raw CDP", median(ours) / median(ground), "x", 1.2),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="a recipe of ten steps beside a script on raw CDP")
    parser.add_argument("--rounds", type=int, default=20, help="runs of each kind (default: 20)")
    run(parser, lambda szk, options: rows(szk, options.rounds))


if __name__ == "__main__":
    main()
