"""Drives a tab as Selenium, nodriver or zendriver does, joined by host and port alone.

    python join.py TOOL PORT URL

Prints what it saw as one line of JSON.
"""

import asyncio
import json
import os
import shutil
import sys
import tempfile

FIELD, BUTTON = "#name", "button"


def selenium(port, url):
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.debugger_address = f"127.0.0.1:{port}"
    service = Service(executable_path=shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    first = driver.execute_script("return location.href")
    driver.switch_to.new_window("tab")
    driver.get(url)
    driver.find_element(By.CSS_SELECTOR, FIELD).send_keys("Ada")
    driver.find_element(By.CSS_SELECTOR, BUTTON).click()
    title = driver.title
    picture = len(driver.get_screenshot_as_png())
    driver.close()
    driver.switch_to.window(driver.window_handles[0])
    driver.quit()
    return {"first": first, "title": title, "picture": picture > 1000}


async def by_cdp(library, port, url):
    browser = await library.start(host="127.0.0.1", port=port)
    first = browser.main_tab.target.url
    tab = await browser.get(url, new_tab=True)
    # Both look into the document that is there, which may be the blank one before.
    while await tab.evaluate("document.readyState + document.title") != "completeform":
        await tab.sleep(0.05)
    field = await tab.select(FIELD)
    await field.send_keys("Ada")
    button = await tab.select(BUTTON)
    await button.mouse_click()
    while not (title := await tab.evaluate("document.title")).startswith("hello"):
        await tab.sleep(0.05)
    with tempfile.TemporaryDirectory() as folder:
        picture = await tab.save_screenshot(f"{folder}/page.png", format="png")
        size = os.path.getsize(picture)
    await tab.close()
    tell({"first": first, "title": title, "picture": size > 1000})
    # Their listeners can miss the one cancellation by which asyncio ends them, and then run for ever:
    # `asyncio.wait_for` of Python 3.11 swallows one that comes together with its timeout.
    os._exit(0)


def main():
    tool, port, url = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    if tool == "selenium":
        tell(selenium(port, url))
    else:
        asyncio.run(by_cdp(__import__(tool), port, url))


def tell(seen):
    print(json.dumps(seen), flush=True)


main()
