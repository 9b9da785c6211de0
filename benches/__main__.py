"""szk beside raw Chromium and raw CDP: `scripts/bench`.

Both sides of a comparison take turns in the same run, because a machine is not the same from one
minute to the next; the median of each side counts. Only differences and ratios are judged.
"""

import argparse

import calls
import clicks
import company
import endpoint
import first_page
import memory
import navigate
import pages
import recipe
import screenshots
import served
import snapshot
import starts
import steps
import unseen
from report import Row
from run import run
from szk import Szk


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench", description="szk beside raw Chromium and raw CDP")
    parser.add_argument("--rounds", type=int, default=15, help="starts of each kind (default: 15)")
    parser.add_argument("--calls", type=int, default=1000, help="calls of each kind (default: 1000)")
    parser.add_argument("--pages", type=int, default=60, help="pages of each kind (default: 60)")
    run(parser, everything)


def everything(szk: Szk, options: argparse.Namespace) -> list[Row]:
    return [
        *starts.browser(szk, options.rounds),
        starts.mcp(szk, options.rounds),
        *first_page.rows(szk, options.rounds),
        *memory.resident(szk),
        *memory.beside_others(szk),
        *calls.one_plus_one(szk, options.calls),
        *pages.opening(szk, options.pages),
        *navigate.load(szk, options.pages),
        *snapshot.rows(szk, options.rounds),
        *screenshots.screenshot(szk, options.pages),
        *clicks.click(szk, options.calls // 10),
        *unseen.rows(szk, options.rounds),
        *recipe.rows(szk, options.rounds),
        *steps.rows(szk),
        *company.rows(szk, options.calls // 10),
        *served.front(szk, options.calls),
        *endpoint.beside_a_raw_port(szk, options.calls),
    ]


main()
