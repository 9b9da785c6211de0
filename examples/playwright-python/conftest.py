"""A `page` that is a tab of the profile that `szk run` opened."""

import os

import pytest
from playwright.sync_api import sync_playwright


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.connect_over_cdp(os.environ["SZK_CDP_ENDPOINT"])
        yield browser
        browser.close()  # Leaves; the browser stays.


@pytest.fixture
def page(browser):
    # The profile with its logins; `browser.new_context()` would be empty.
    page = browser.contexts[0].new_page()
    yield page
    page.close()
