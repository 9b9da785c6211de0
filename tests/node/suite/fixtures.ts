// Stands in for Playwright's own `tests/page/pageTest.ts`: the same tests, in a browser that is joined instead of
// launched.
import { browserTest } from '../config/browserTest';
import { expect as baseExpect } from '@playwright/test';
export { rafraf } from '../config/utils';

// "own": every test has a browser context of its own. "profile": all share the one that was there.
const shared = process.env.SUITE_CONTEXT === 'profile';

const joined = browserTest.extend({
  browser: [
    async ({ playwright }, use) => {
      const browser = await playwright.chromium.connectOverCDP(process.env.SUITE_ENDPOINT);
      await use(browser);
      await browser.close();
    },
    { scope: 'worker', timeout: 0 },
  ],
  isHeadlessShell: [false, { scope: 'worker' }],
});

const sharing = joined.extend({
  context: async ({ browser }, use) => {
    const [context] = browser.contexts();
    await use(context);
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.clearCookies();
  },
  page: async ({ context }, use) => {
    const before = new Set(context.pages());
    const page = await context.newPage();
    await use(page);
    // Popups, too. What was there stays: without a page the browser would end.
    for (const opened of context.pages()) if (!before.has(opened)) await opened.close().catch(() => {});
  },
});

export const test = shared ? sharing : joined;

export const expect = baseExpect.extend({
  toContainYaml(received, expected) {
    const lines = expected.split('\n').filter((line) => line.trim());
    const indent = Math.min(...lines.map((line) => line.match(/^\s*/)[0].length));
    const text = lines.map((line) => line.slice(indent)).join('\n');
    return { pass: received.includes(text), message: () => `expected ${received}\nto contain ${text}` };
  },
});
