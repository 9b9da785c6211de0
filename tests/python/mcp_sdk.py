"""The official Python SDK against `szk mcp`, in each protocol version that it speaks.

Arguments: the program or an address of its MCP server, a page with the title `seen`, and the versions. Prints what each of them got. The
session `work` must be open.
"""

import json
import os
import sys
from typing import Any, Literal

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client import session as sdk
from mcp.client.extension import ClientExtension, ResultClaim
from mcp.shared.exceptions import MCPError
from pydantic import ConfigDict

PROGRAM, URL, *VERSIONS = sys.argv[1:]
NEWEST = "2026-07-28"
TABS = "szk://sessions/work/tabs"
SERVER: str | StdioServerParameters = (
    PROGRAM
    if PROGRAM.startswith("http")
    else StdioServerParameters(command=PROGRAM, args=["mcp", "--tools", "all"], env=dict(os.environ))
)


class TaskParams(types.RequestParams):
    task_id: str
    input_responses: dict[str, Any] | None = None


class TaskRequest(types.Request[TaskParams, Literal["tasks/get", "tasks/update", "tasks/cancel"]]):
    method: Literal["tasks/get", "tasks/update", "tasks/cancel"]
    params: TaskParams


class Task(types.Result):
    model_config = ConfigDict(extra="allow")


class Created(types.Result):
    result_type: Literal["task"]
    task_id: str
    poll_interval_ms: int


async def task(session: Any, method: str, task_id: str, **more: Any) -> dict[str, Any]:
    params = TaskParams(task_id=task_id, **more)
    answer = await session.send_request(TaskRequest(method=method, params=params), Task)
    return answer.model_dump(by_alias=True)


class Tasks(ClientExtension):
    """Polls, and answers what the task asks."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def finish(self, created: Created, context: Any) -> types.CallToolResult:
        while True:
            state = await task(context.session, "tasks/get", created.task_id)
            if not self.seen or self.seen[-1] != state["status"]:
                self.seen.append(state["status"])
            if state["status"] == "completed":
                return types.CallToolResult.model_validate(state["result"])
            if state["status"] == "input_required":
                said = {key: {"action": "accept", "content": {}} for key in state["inputRequests"]}
                await task(context.session, "tasks/update", created.task_id, input_responses=said)
                if any(one["params"]["mode"] == "url" for one in state["inputRequests"].values()):
                    done = {"session": "work", "end": "done"}
                    await context.session.call_tool("session_handoff", done)
            await anyio.sleep(created.poll_interval_ms / 20_000)

    def claims(self) -> list[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=Created, resolve=self.finish)]


async def check(version: str) -> dict[str, Any]:
    said: dict[str, Any] = {"asked": [], "progress": 0}
    changed = anyio.Event()
    progressed = anyio.Event()
    finished = anyio.Event()
    # What a client of that version asks for; the SDK has only its newest in a constant.
    if version != NEWEST:
        sdk.LATEST_HANDSHAKE_VERSION = version

    async def progress(*_: Any) -> None:
        said["progress"] += 1
        progressed.set()

    async def heard(message: Any) -> None:
        nonlocal changed
        if isinstance(message, types.ResourceUpdatedNotification) and message.params.uri == TABS:
            changed.set()

    async with anyio.create_task_group() as group:

        async def finish() -> None:
            # The person is done once the call has said that it waits for them.
            await progressed.wait()
            await client.call_tool("session_handoff", {"session": "work", "end": "done"})
            finished.set()

        async def ask(_: Any, params: Any) -> types.ElicitResult:
            said["asked"].append(params.mode)
            if params.mode == "url":
                group.start_soon(finish)
                return types.ElicitResult(action="accept")
            return types.ElicitResult(action="accept", content={})

        async with Client(
            SERVER,
            mode=version if version == NEWEST else "legacy",
            elicitation_callback=ask,
            message_handler=heard,
        ) as client:
            said["version"] = client.protocol_version
            said["tools"] = len((await client.list_tools()).tools)
            said["resources"] = [one.uri for one in (await client.list_resources()).resources]
            said["prompts"] = len((await client.list_prompts()).prompts)

            # The SDK holds each structured result against the tool's output schema.
            at = {"session": "work"}
            await client.call_tool("session_open", at)
            await client.call_tool("browser_navigate", {**at, "url": URL})
            read = await client.call_tool("browser_run_code", {**at, "code": "document.title"})
            said["title"] = "seen" in read.content[0].text
            said["value"] = (read.structured_content or {}).get("value")
            failed = await client.call_tool("session_open", {"session": ".."})
            said["failed"] = failed.is_error

            with anyio.move_on_after(1) as cut:
                await client.call_tool("browser_act", {**at, "kind": "wait", "time_ms": 100_000, "timeout_ms": 200_000})
            said["cancelled"] = cut.cancelled_caught
            with anyio.fail_after(20):
                await client.call_tool("browser_run_code", {**at, "code": "1"})

            async def opened(wait: Any) -> None:
                # At first it is told to look.
                with anyio.fail_after(20):
                    await wait()
                await client.call_tool("browser_tabs", {**at, "action": "open", "label": "more"})
                with anyio.fail_after(20):
                    await wait()
                await client.call_tool("browser_tabs", {**at, "action": "close", "tab": "more"})

            if version == NEWEST:
                async with client.listen(resource_subscriptions=[TABS]) as updates:

                    async def wait() -> None:
                        said["changed"] = (await anext(updates)).uri

                    await opened(wait)
            else:

                async def wait() -> None:
                    nonlocal changed
                    await changed.wait()
                    changed = anyio.Event()
                    said["changed"] = TABS

                await client.session.subscribe_resource(TABS)
                await opened(wait)
                await client.session.unsubscribe_resource(TABS)

            handoff = {**at, "reason": "Press the button."}
            done = await client.call_tool("session_handoff", handoff, progress_callback=progress)
            said["person"] = "the hand-off is over" in done.content[0].text
            if "url" in said["asked"]:
                # Its own call goes on after the one that it ends.
                await finished.wait()

    # Over HTTP a request names its task in a header, which the SDK does not know.
    if version == NEWEST and isinstance(SERVER, StdioServerParameters):
        said["tasks"] = await check_tasks()
    return said


async def check_tasks() -> dict[str, Any]:
    extension = Tasks()

    async def ask(_: Any, params: Any) -> types.ElicitResult:
        raise AssertionError("a task asks by its state")

    async with Client(SERVER, mode=NEWEST, extensions=[extension], elicitation_callback=ask) as client:
        at = {"session": "work"}
        scraped = await client.call_tool("workflow_scrape", {**at, "form": "text"})
        handed = await client.call_tool("session_handoff", {**at, "reason": "Press the button."})
        begun = await client.session.call_tool("session_handoff", {**at, "wait": True, "reason": "x"}, allow_claimed=True)
        assert isinstance(begun, Created), begun
        await task(client.session, "tasks/cancel", begun.task_id)
        with anyio.fail_after(20):
            while (state := await task(client.session, "tasks/get", begun.task_id))["status"] != "cancelled":
                assert state["status"] in ("working", "input_required"), state
        try:
            await task(client.session, "tasks/get", "none")
            unknown = None
        except MCPError as error:
            unknown = error.code
        return {
            "scraped": "Hello" in scraped.content[0].text,
            "person": handed.structured_content["state"],
            "seen": extension.seen,
            "unknown": unknown,
        }


async def main() -> None:
    print(json.dumps({version: await check(version) for version in VERSIONS}))


anyio.run(main)
