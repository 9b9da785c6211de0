"""What a process of szk holds while a browser is open and has been used."""

import pathlib

from report import Row
from szk import Mcp, Szk


def resident(szk: Szk) -> list[Row]:
    """Resident and proportional memory of one MCP server and of one keeper, after a call."""
    client = Mcp(szk)
    opened = client.tool("session_open", session="ours", headless="true")["structuredContent"]
    client.tool("browser_run_code", session="ours", code="1+1")
    rows = [*of("szk mcp", client.process.pid), *of("keeper", opened["keeper_pid"])]
    client.tool("session_close", session="ours")
    client.close()
    return rows


def of(what: str, pid: int) -> list[Row]:
    fields = {}
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        name, size, _ = line.split()
        fields[name.rstrip(":")] = int(size) / 1024
    return [Row(f"{what}, resident", fields["Rss"], "MiB", 15), Row(f"{what}, proportional", fields["Pss"], "MiB")]
