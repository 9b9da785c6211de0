import { test, expect } from './szk.mjs';

test('a page sees an ordinary browser', async ({ page }) => {
  await page.goto('data:text/html,<title>szk</title><h1>Hello</h1>');
  await expect(page.getByRole('heading')).toHaveText('Hello');
  expect(await page.evaluate(() => navigator.webdriver)).toBe(false);
});
