import { expect, test } from './fixture.js';

test('a page in the profile', async ({ page }) => {
  await page.setContent('<title>hello</title><button onclick="document.title = \'pressed\'">press</button>');
  await page.getByRole('button').click();
  await expect(page).toHaveTitle('pressed');
});
