// `page` in the profile that szk has open, with its logins. Everything else is Playwright's.
import { test as base, chromium } from '@playwright/test';

export const test = base.extend({
  browser: [
    async ({}, use) => {
      const endpoint = process.env.SZK_CDP_ENDPOINT;
      if (!endpoint) throw new Error('run it with szk:  szk run work -- npx playwright test');
      const browser = await chromium.connectOverCDP(endpoint);
      await use(browser);
      // Ends this client only; the browser stays.
      await browser.close();
    },
    { scope: 'worker' },
  ],
  // The profile itself: a new context would be empty.
  context: async ({ browser }, use) => use(browser.contexts()[0]),
  page: async ({ context }, use) => {
    const page = await context.newPage();
    await use(page);
    await page.close();
  },
});

export { expect } from '@playwright/test';
