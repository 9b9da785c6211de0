// `test` whose `page` is a tab of the profile that `szk run` opened.
import { test as base, chromium } from '@playwright/test';

export { expect } from '@playwright/test';

export const test = base.extend({
  browser: [
    async ({}, use) => {
      const browser = await chromium.connectOverCDP(process.env.SZK_CDP_ENDPOINT);
      await use(browser);
      await browser.close(); // Leaves; the browser stays.
    },
    { scope: 'worker' },
  ],
  // The profile with its logins; `browser.newContext()` would be empty.
  context: async ({ browser }, use) => use(browser.contexts()[0]),
  page: async ({ context }, use) => {
    const page = await context.newPage();
    await use(page);
    await page.close();
  },
});
