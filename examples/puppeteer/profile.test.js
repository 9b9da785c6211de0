import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { withPage } from './fixture.js';

test('a page in the profile', () =>
  withPage(async (page) => {
    await page.setContent('<title>hello</title><button onclick="document.title = \'pressed\'">press</button>');
    await page.locator('button').click();
    await page.waitForFunction(() => document.title === 'pressed');
    assert.equal(await page.title(), 'pressed');
  }));
