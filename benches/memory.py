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


def beside_others(szk: Szk) -> list[Row]:
    """The same with five profiles open, which share the program's own pages. The largest keeper counts."""
    profiles = [f"profile{number}" for number in range(5)]
    client = Mcp(szk)
    keepers = []
    for profile in profiles:
        opened = client.tool("session_open", session=profile, headless="true")["structuredContent"]
        client.tool("browser_run_code", session=profile, code="1+1")
        keepers.append(opened["keeper_pid"])
    rows = [
        Row("keeper, proportional, five profiles open", max(proportional(pid) for pid in keepers), "MiB", 10),
        Row("szk mcp, proportional, five profiles open", proportional(client.process.pid), "MiB", 8),
    ]
    for profile in profiles:
        client.tool("session_close", session=profile)
    client.close()
    return rows


def proportional(pid: int) -> float:
    return fields(pid)["Pss"]


def of(what: str, pid: int) -> list[Row]:
    held = fields(pid)
    return [Row(f"{what}, resident", held["Rss"], "MiB", 15), Row(f"{what}, proportional", held["Pss"], "MiB")]


def fields(pid: int) -> dict[str, float]:
    """What the system tells about a process, in MiB."""
    fields = {}
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        name, size, _ = line.split()
        fields[name.rstrip(":")] = int(size) / 1024
    return fields
