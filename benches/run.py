"""What every way of measuring has in common: which binary, in an empty folder, and a table at the end."""

import argparse
import os
import pathlib
import tempfile
from collections.abc import Callable

from report import Row, table
from szk import Szk

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(parser: argparse.ArgumentParser, rows: Callable[[Szk, argparse.Namespace], list[Row]]) -> None:
    """Reads the command line, measures and prints."""
    binary = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release/szk"
    parser.add_argument("--szk", type=pathlib.Path, default=binary, help="the binary to measure")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="szk-bench-") as folder:
        print(table(rows(Szk(options.szk.resolve(), pathlib.Path(folder)), options)))
