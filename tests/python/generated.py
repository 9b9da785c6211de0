"""What a program does with a client that openapi-python-client made from /openapi.json (`szk_api`)."""

import json
import os

from szk_api import AuthenticatedClient
from szk_api.api.browser import (
    browser_act,
    browser_screenshot,
    browser_snapshot,
    browser_tabs_list,
)
from szk_api.api.session import session_close, session_open
from szk_api.models import (
    BrowserActJsonBody,
    BrowserActJsonBodyKind,
    BrowserSnapshotMode,
    Error,
    SessionOpenBody,
)

client = AuthenticatedClient(
    base_url=os.environ["SZK_URL"],
    token=os.environ["SZK_TOKEN"],
    timeout=120,
    raise_on_unexpected_status=True,
)


def act(selector: str):
    # The other body is a form, for files.
    body = BrowserActJsonBody(kind=BrowserActJsonBodyKind.CLICK, selector=selector)
    return browser_act.sync("work", client=client, body=body)


opening = SessionOpenBody(session="work", url=os.environ["PAGE"], headless=True)
opened = session_open.sync(client=client, body=opening)
assert opened is not None and opened.session == "work", opened
page = browser_snapshot.sync("work", client=client, mode=BrowserSnapshotMode.FULL)
act("button")
# A picture is bytes, which the generated function for JSON does not read.
asked = browser_screenshot._get_kwargs("work")
picture = client.get_httpx_client().request(**asked)
tabs = browser_tabs_list.sync("work", client=client)
missing = act("#none")
assert isinstance(missing, Error), missing
closed = session_close.sync("work", client=client)
assert closed is not None and closed.saved, closed
print(
    json.dumps(
        {
            "read": "Press" in page.snapshot,
            "title": tabs.tabs[0].title,
            "picture": picture.content[:4].decode("latin-1"),
            "refused": str(missing.error.code),
        }
    )
)
