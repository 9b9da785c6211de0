"""What it costs that pages notice less: the script before a document's first one, a wheel, a captured console.

`python3 -B benches/unseen.py` measures it alone. What a click costs is in `clicks.py`.
"""

import argparse
import time
from statistics import median

from calls import timed
from pages import address
from pipe import Chromium
from report import Row
from run import ROOT, run
from sides import both
from szk import Szk

# What a document gets before its first script, in every session.
WINDOW = (ROOT / "config/stealth/window.js").read_text()
# A page that scrolls, and one whose wheel is listened to.
TALL = "<body style='height: 200000px'>"
HEARD = f"{TALL}<script>addEventListener('wheel', () => {{}}, {{passive: true}})</script>"
# Messages of a page that somebody captures.
SPEAKS = "(() => { const began = performance.now(); for (let n = 0; n < 400; n++) console.debug('message ' + n); return performance.now() - began })()"


def first_script(szk: Szk, pages: int) -> list[Row]:
    """New tabs until their load in one browser, in turns: as they are, and with the script in a world of its own."""
    url = address()
    raw = Chromium(szk.command_line("raw"))

    def opened(source: str | None) -> float:
        target = raw.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        page = raw.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        raw.call("Page.enable", {}, page)
        raw.call("Page.setLifecycleEventsEnabled", {"enabled": True}, page)
        if source:
            raw.call("Page.addScriptToEvaluateOnNewDocument", {"source": source, "worldName": "apart"}, page)
        began = time.perf_counter()
        loader = raw.call("Page.navigate", {"url": url}, page)["loaderId"]
        loaded = {"name": "load", "loaderId": loader}
        while not loaded.items() <= raw.event("Page.lifecycleEvent", page).items():
            pass
        took = time.perf_counter() - began
        raw.call("Target.closeTarget", {"targetId": target})
        time.sleep(0.1)
        return took * 1000

    kinds = {"plain": None, "world": "0", "waits": WINDOW}
    took: dict[str, list[float]] = {kind: [] for kind in kinds}
    opened(None)
    for _ in range(pages):
        for kind, source in kinds.items():
            took[kind].append(opened(source))
    raw.close()
    plain, world, waits = (median(took[kind]) for kind in kinds)
    return [
        Row("a first document until its load, raw Chromium", plain, "ms"),
        Row("  with an empty script in a world of its own", world, "ms"),
        Row("  with the script that waits for the window", waits, "ms"),
        Row("  the wait alone", waits - world, "ms", 5),
    ]


def wheel(szk: Szk, turns: int) -> list[Row]:
    """480 pixels over MCP, until the page stands still, beside one event of the wheel on a pipe."""
    rows = []
    for what, page in (("", TALL), (" where the page listens", HEARD)):
        with both(szk, page) as (raw, session, client):

            def by_pipe() -> None:
                at = {"x": 300, "y": 300, "deltaX": 0, "deltaY": 480}
                raw.call("Input.dispatchMouseEvent", {"type": "mouseWheel", **at}, session)

            def by_mcp(pace: str) -> None:
                client.tool("browser_act", session="ours", kind="scroll", dy=480, input=pace)

            by_pipe(), by_mcp("fast")
            ground, ours = [], []
            for _ in range(turns):
                ground.append(timed(by_pipe))
                ours.append(timed(lambda: by_mcp("fast")))
            human = [timed(lambda: by_mcp("human")) for _ in range(max(1, turns // 5))]
        rows += [
            Row(f"a wheel event on a pipe{what}", median(ground), "ms"),
            Row("scrolling by browser_act over MCP", median(ours), "ms"),
            Row("the same as a person does it", median(human), "ms"),
        ]
    return rows


def console(szk: Szk, rounds: int) -> list[Row]:
    """What 400 messages cost their page: heard by nobody, taken a few times a second, and listened to."""
    rows = []
    config = szk.folder / "szk.config.toml"
    for pace, what in (("human", "taken at a person's pace"), ("fast", "listened to at the fast pace")):
        config.write_text(f'[session]\ninput = "{pace}"\n')
        with both(szk, "<p>speaks") as (_, _, client):

            def cost() -> float:
                times = []
                for _ in range(rounds):
                    answer = client.tool("browser_run_code", session="ours", code=SPEAKS, world="main")
                    times.append(answer["structuredContent"]["value"])
                    # A round of the questions falls between two of ours.
                    time.sleep(0.3)
                return median(times)

            nobody = cost()
            client.tool("browser_logs", session="ours", capture=True)
            rows += [
                Row("400 console messages of a page, heard by nobody", nobody, "ms"),
                Row(f"  {what}", cost(), "ms"),
            ]
    config.unlink()
    return rows


def rows(szk: Szk, rounds: int) -> list[Row]:
    return [*first_script(szk, rounds), *wheel(szk, rounds), *console(szk, rounds)]


def main() -> None:
    parser = argparse.ArgumentParser(description="what it costs that pages notice less")
    parser.add_argument("--rounds", type=int, default=20, help="of each kind (default: 20)")
    run(parser, lambda szk, options: rows(szk, options.rounds))


if __name__ == "__main__":
    main()
