"""Opens a page, reads it, clicks, and looks for a text: python examples/read.py URL

With SZK_URL and SZK_TOKEN it uses a running `szk serve`, else it starts szk itself.
"""

import os
import sys

from szk import Szk
from szk.operations import NotFoundError

url = os.environ.get("SZK_URL")
with Szk.http(url, os.environ["SZK_TOKEN"], session="example") if url else Szk.start() as szk:
    opened = szk.session.open(
        session="example",
        url=sys.argv[1],
        on_progress=lambda progress: print(progress["message"], file=sys.stderr),
    )
    tab = opened["tabs"][0]["id"]
    page = szk.browser.snapshot(session="example", tab=tab)
    print(page["title"])
    szk.browser.act(session="example", tab=tab, kind="click", role="button", name="Go")
    print(len(szk.browser.find(session="example", tab=tab, text="gone")["matches"]))
    try:
        szk.browser.act(session="example", tab=tab, ref="e99999")
    except NotFoundError as error:
        print(error.code, error.effect)
    szk.session.close(session="example")
