# Runs a function of a caller's file with Playwright on the session, and writes what comes of it to a file.
# The endpoint is in the environment, everything else in the job.
import asyncio
import importlib.util
import inspect
import json
import os
import sys
import traceback

with open(sys.argv[1], encoding="utf-8") as source:
    job = json.load(source)
os.remove(sys.argv[1])  # It may hold secrets.


def answer(result):
    sys.stdout.flush()
    sys.stderr.flush()
    with open(job["result"] + ".new", "w", encoding="utf-8") as out:
        json.dump(result, out)
    os.rename(job["result"] + ".new", job["result"])  # All of it or nothing.
    os._exit(0)


def fail(error):
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == job["path"]]
    syntax = isinstance(error, SyntaxError)
    message = f"{type(error).__name__}: {error}"[:4000]
    answer({"error": message, "line": lines[-1] if lines else None, "syntax": syntax})


def load():
    sys.path.insert(0, os.path.dirname(job["path"]))
    spec = importlib.util.spec_from_file_location("szk_file", job["path"])
    module = importlib.util.module_from_spec(spec)
    sys.modules["szk_file"] = module
    spec.loader.exec_module(module)
    name = job["export"] or "main"
    run = getattr(module, name, None)
    if callable(run):
        return run
    functions = [
        key
        for key, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == "szk_file" and not key.startswith("_")
    ]
    # A script without functions has done what it does.
    if job["export"] is None and not functions:
        answer({"value": None, "kind": "undefined"})
    return answer({"no_export": name, "functions": functions})


# `main(page, args)`, `main(page)`, or what a function asks for by name.
def given(run, page, context, browser):
    known = {"page": page, "args": job["args"], "context": context, "browser": browser}
    names = [
        name
        for name, parameter in inspect.signature(run).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        and parameter.default is parameter.empty
    ]
    if all(name in known for name in names):
        return [], {name: known[name] for name in inspect.signature(run).parameters if name in known}
    return [page, job["args"]][: len(names)], {}


def give(value):
    kinds = {type(None): "null", bool: "boolean", int: "number", float: "number", str: "string", list: "array"}
    try:
        json.dumps(value)
    except (TypeError, ValueError) as error:
        answer({"not_plain": str(error)})
    answer({"value": value, "kind": kinds.get(type(value), "object")})


def lost():
    raise RuntimeError(f"Playwright does not see the tab {job['tab']}")


def synchronous(run):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.connect_over_cdp(os.environ["SZK_CDP_ENDPOINT"])
        context = browser.contexts[0]
        for page in context.pages:
            session = context.new_cdp_session(page)
            target = session.send("Target.getTargetInfo")["targetInfo"]["targetId"]
            session.detach()
            if target == job["target"]:
                break
        else:
            lost()
        positional, named = given(run, page, context, browser)
        value = run(*positional, **named)
        browser.close()
        return value


async def asynchronous(run):
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp(os.environ["SZK_CDP_ENDPOINT"])
        context = browser.contexts[0]
        for page in context.pages:
            session = await context.new_cdp_session(page)
            target = (await session.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
            await session.detach()
            if target == job["target"]:
                break
        else:
            lost()
        positional, named = given(run, page, context, browser)
        value = await run(*positional, **named)
        await browser.close()
        return value


try:
    if importlib.util.find_spec("playwright") is None:
        answer({"missing": "playwright", "python": sys.executable})
    run = load()
    value = asyncio.run(asynchronous(run)) if inspect.iscoroutinefunction(run) else synchronous(run)
    give(value)
except BaseException as error:  # pylint: disable=broad-except
    fail(error)
