// What Playwright can do, one feature each. A feature that throws or takes too long does not work.
import { strict as assert } from 'node:assert';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export async function connect({ http }) {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.connectOverCDP(http);
  return { browser, context: browser.contexts()[0], newPage: () => browser.contexts()[0].newPage(), leave: () => browser.close() };
}

export const features = {
  async navigation({ page, url }) {
    await page.goto(url('/'));
    assert.equal(await page.title(), 'start');
    await page.goto(url('/next'));
    await page.click('a');
    await page.waitForURL(url('/'));
    await page.reload();
    assert.equal(await page.textContent('h1'), 'start');
  },
  async 'evaluate and handles'({ page, url }) {
    await page.goto(url('/'));
    assert.equal(await page.evaluate((n) => n * 2, 21), 42);
    const handle = await page.evaluateHandle(() => ({ deep: { value: [1, 2] } }));
    assert.deepEqual(await handle.jsonValue(), { deep: { value: [1, 2] } });
    assert.equal(await page.evaluate((it) => it.deep.value[1], handle), 2);
    await assert.rejects(page.evaluate(() => Promise.reject('no')), /no/);
  },
  async 'locators and input'({ page, url }) {
    await page.goto(url('/form'));
    await page.locator('#name').fill('Ada');
    await page.getByRole('button', { name: 'Greet' }).click();
    await page.waitForFunction(() => document.title === 'hello Ada');
    await page.locator('#name').press('End');
    await page.keyboard.type('!');
    assert.equal(await page.inputValue('#name'), 'Ada!');
  },
  async 'frames of the same process'({ page, url }) {
    await page.goto(url('/frames'));
    assert.equal(await page.frameLocator('[name=near]').locator('#inner').textContent(), 'inner');
    assert.equal(await page.frameLocator('[name=text]').locator('#text').textContent(), 'text');
    assert.equal(await page.frame('near').evaluate(() => location.pathname), '/inner');
  },
  async 'frames of another process'({ page, url }) {
    await page.goto(url('/frames'));
    await page.frameLocator('[name=far]').locator('button').click();
    assert.equal(await page.frameLocator('[name=far]').locator('button').textContent(), 'pressed');
    assert.equal(await page.frame('far').evaluate(() => location.hostname), 'localhost');
  },
  async 'shadow DOM'({ page, url }) {
    await page.goto(url('/shadow'));
    await page.locator('button', { hasText: 'deep' }).click();
    assert.equal(await page.title(), 'deep');
  },
  async popups({ page, url }) {
    await page.goto(url('/opener'));
    for (const [selector, host] of [['button', '127.0.0.1'], ['#away', 'localhost']]) {
      const [popup] = await Promise.all([page.waitForEvent('popup'), page.click(selector)]);
      await popup.waitForLoadState();
      assert.equal(await popup.title(), 'next');
      assert.equal(await popup.evaluate(() => location.hostname), host);
      await popup.close();
    }
  },
  async workers({ page, url }) {
    const coming = page.waitForEvent('worker');
    await page.goto(url('/worker'));
    const worker = await coming;
    // It is there before its script has run.
    while ((await worker.evaluate(() => self.answer)) === undefined);
    assert.equal(await worker.evaluate(() => self.answer), 42);
  },
  async 'service workers'({ page, url, context }) {
    await page.goto(url('/service'));
    await page.evaluate(() => window.ready.then(() => 0));
    const worker = context.serviceWorkers().find((it) => it.url() === url('/service.js')) ?? (await context.waitForEvent('serviceworker'));
    assert.equal(await worker.evaluate(() => self.answer), 43);
  },
  async interception({ page, url }) {
    await page.route('**/data', (route) => route.fulfill({ body: 'made up' }));
    await page.goto(url('/fetch'));
    assert.equal(await page.evaluate(() => window.get('/data')), 'made up');
    await page.unroute('**/data');
    assert.equal(await page.evaluate(() => window.get('/data')), 'from the server');
  },
  async dialogs({ page, url }) {
    await page.goto(url('/dialog'));
    page.once('dialog', (dialog) => dialog.accept());
    await page.click('button');
    assert.equal(await page.title(), 'true');
  },
  async downloads({ page, url }) {
    await page.goto(url('/download'));
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('a')]);
    assert.equal(download.suggestedFilename(), 'notes.txt');
    assert.equal(await readFile(await download.path(), 'utf8'), 'the notes');
  },
  async uploads({ page, url, folder }) {
    const file = join(folder, 'upload.txt');
    await writeFile(file, 'x');
    await page.goto(url('/form'));
    await page.setInputFiles('#file', file);
    assert.equal(await page.title(), 'upload.txt');
  },
  async screenshots({ page, url }) {
    await page.goto(url('/'));
    await page.bringToFront();
    assert.ok((await page.screenshot()).length > 1000);
    assert.ok((await page.screenshot({ fullPage: true })).length > 1000);
    assert.ok((await page.locator('h1').screenshot()).length > 100);
  },
  async PDF({ page, url }) {
    await page.goto(url('/'));
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send('Page.printToPDF', {});
    assert.ok(Buffer.from(data, 'base64').subarray(0, 4).equals(Buffer.from('%PDF')));
  },
  async tracing({ page, url, browser }) {
    await browser.startTracing(page);
    await page.goto(url('/'));
    assert.ok((await browser.stopTracing()).includes('traceEvents'));
  },
  async exposeFunction({ page, url }) {
    await page.exposeFunction('fromHere', (n) => n + 1);
    await page.goto(url('/'));
    assert.equal(await page.evaluate(() => window.fromHere(41)), 42);
    await page.goto(url('/frames'));
    assert.equal(await page.frame('far').evaluate(() => window.fromHere(1)), 2);
    assert.equal(await page.frame('near').evaluate(() => window.fromHere(2)), 3);
  },
  async 'exposeFunction in the first script'({ page, url }) {
    await page.exposeFunction('fromHere', (n) => n + 1);
    await page.goto(url('/early'));
    assert.equal(await page.evaluate(() => window.early), 21);
  },
  async setContent({ page }) {
    await page.setContent('<title>set</title><p>content');
    assert.equal(await page.title(), 'set');
    assert.equal(await page.textContent('p'), 'content');
  },
  async 'init scripts'({ page, url }) {
    await page.addInitScript(() => { window.before = location.pathname; });
    await page.goto(url('/frames'));
    assert.equal(await page.evaluate(() => window.before), '/frames');
    assert.equal(await page.frame('far').evaluate(() => window.before), '/inner');
  },
  async 'console: text'({ page, url }) {
    const texts = [];
    page.on('console', (message) => message.type() === 'log' && texts.push(message.text()));
    await page.goto(url('/console'));
    await page.waitForFunction(() => document.readyState === 'complete');
    await page.click('button');
    while (texts.length < 2) await page.waitForEvent('console');
    assert.equal(texts[0], 'early 1');
    assert.ok(texts[1].startsWith('late 5'), texts[1]);
  },
  async 'console: arguments as handles'({ page, url }) {
    await page.goto(url('/console'));
    const [message] = await Promise.all([
      page.waitForEvent('console', (it) => it.text().startsWith('late')),
      page.click('button'),
    ]);
    assert.deepEqual(await message.args()[2].jsonValue(), { a: 1 });
  },
  async 'page errors'({ page, url }) {
    await page.goto(url('/errors'));
    for (const [selector, name, text] of [['#throw', 'TypeError', 'boom'], ['#reject', 'RangeError', 'far']]) {
      const [error] = await Promise.all([page.waitForEvent('pageerror'), page.click(selector)]);
      assert.equal(`${error.name}: ${error.message}`, `${name}: ${text}`);
    }
  },
  async bfcache({ page, url }) {
    await page.goto(url('/'));
    await page.evaluate(() => { window.kept = true; });
    await page.goto(url('/next'));
    await page.goBack({ waitUntil: 'commit' });
    assert.equal(await page.evaluate(() => document.title), 'start');
  },
  async contexts({ browser, url }) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(url('/'));
    assert.equal(await page.title(), 'start');
    await context.addCookies([{ name: 'a', value: 'b', url: url('/') }]);
    assert.equal(await page.evaluate(() => document.cookie), 'a=b');
    await context.close();
  },
  async 'colour scheme and time zone'({ page, url }) {
    await page.goto(url('/'));
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.ok(await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches));
  },
  async 'CDP sessions'({ page, context, url }) {
    await page.goto(url('/'));
    const session = await context.newCDPSession(page);
    const { result } = await session.send('Runtime.evaluate', { expression: 'document.title' });
    assert.equal(result.value, 'start');
  },
};
