// What Puppeteer can do, one feature each. A feature that throws or takes too long does not work.
import { strict as assert } from 'node:assert';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export async function connect({ ws }) {
  const { connect } = await import('puppeteer-core');
  const browser = await connect({ browserWSEndpoint: ws, defaultViewport: null });
  return { browser, context: browser.defaultBrowserContext(), newPage: () => browser.newPage(), leave: () => browser.disconnect() };
}

const once = (emitter, event, when = () => true) =>
  new Promise((done) => {
    const listen = (it) => {
      if (!when(it)) return;
      emitter.off(event, listen);
      done(it);
    };
    emitter.on(event, listen);
  });

const frame = async (page, name) => (await page.waitForFrame(async (it) => (await it.frameElement())
  ? (await (await it.frameElement()).evaluate((element) => element.name)) === name : false));

export const features = {
  async navigation({ page, url }) {
    await page.goto(url('/'));
    assert.equal(await page.title(), 'start');
    await page.goto(url('/next'));
    await Promise.all([page.waitForNavigation(), page.click('a')]);
    await page.reload();
    assert.equal(await page.$eval('h1', (it) => it.textContent), 'start');
  },
  async 'evaluate and handles'({ page, url }) {
    await page.goto(url('/'));
    assert.equal(await page.evaluate((n) => n * 2, 21), 42);
    const handle = await page.evaluateHandle(() => ({ deep: { value: [1, 2] } }));
    assert.deepEqual(await handle.jsonValue(), { deep: { value: [1, 2] } });
    assert.equal(await page.evaluate((it) => it.deep.value[1], handle), 2);
  },
  async 'locators and input'({ page, url }) {
    await page.goto(url('/form'));
    await page.locator('#name').fill('Ada');
    await page.locator('aria/Greet').click();
    await page.waitForFunction(() => document.title === 'hello Ada');
    await page.focus('#name');
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    assert.equal(await page.$eval('#name', (it) => it.value), 'Ada!');
  },
  async 'frames of the same process'({ page, url }) {
    await page.goto(url('/frames'));
    const near = await frame(page, 'near');
    assert.equal(await (await near.waitForSelector('#inner')).evaluate((it) => it.textContent), 'inner');
    const text = await frame(page, 'text');
    assert.equal(await (await text.waitForSelector('#text')).evaluate((it) => it.textContent), 'text');
  },
  async 'frames of another process'({ page, url }) {
    await page.goto(url('/frames'));
    const far = await frame(page, 'far');
    const button = await far.waitForSelector('button');
    await button.click();
    assert.equal(await button.evaluate((it) => it.textContent), 'pressed');
  },
  async 'shadow DOM'({ page, url }) {
    await page.goto(url('/shadow'));
    await page.locator('>>> button').click();
    assert.equal(await page.title(), 'deep');
  },
  async popups({ page, url }) {
    await page.goto(url('/opener'));
    const [popup] = await Promise.all([once(page, 'popup'), page.click('button')]);
    await popup.waitForFunction(() => document.title === 'next');
    await popup.close();
  },
  async workers({ page, url }) {
    const coming = once(page, 'workercreated');
    await page.goto(url('/worker'));
    const worker = await coming;
    // It is there before its script has run.
    while ((await worker.evaluate(() => self.answer)) === undefined);
    assert.equal(await worker.evaluate(() => self.answer), 42);
  },
  async 'service workers'({ page, url, browser }) {
    await page.goto(url('/service'));
    await page.evaluate(() => window.ready.then(() => 0));
    const target = await browser.waitForTarget((it) => it.type() === 'service_worker' && it.url() === url('/service.js'));
    assert.equal(await (await target.worker()).evaluate(() => self.answer), 43);
  },
  async interception({ page, url }) {
    await page.setRequestInterception(true);
    page.on('request', (request) => request.url().endsWith('/data')
      ? request.respond({ body: 'made up' }) : request.continue());
    await page.goto(url('/fetch'));
    assert.equal(await page.evaluate(() => window.get('/data')), 'made up');
  },
  async dialogs({ page, url }) {
    await page.goto(url('/dialog'));
    page.once('dialog', (dialog) => dialog.accept());
    await page.click('button');
    assert.equal(await page.title(), 'true');
  },
  async uploads({ page, url, folder }) {
    const file = join(folder, 'upload.txt');
    await writeFile(file, 'x');
    await page.goto(url('/form'));
    await (await page.$('#file')).uploadFile(file);
    await page.waitForFunction(() => document.title === 'upload.txt');
  },
  async screenshots({ page, url }) {
    await page.goto(url('/'));
    await page.bringToFront();
    assert.ok((await page.screenshot()).length > 1000);
    assert.ok((await page.screenshot({ fullPage: true })).length > 1000);
  },
  async PDF({ page, url }) {
    await page.goto(url('/'));
    assert.ok((await page.pdf()).length > 1000);
  },
  async tracing({ page, url }) {
    await page.tracing.start();
    await page.goto(url('/'));
    assert.ok(Buffer.from(await page.tracing.stop()).includes('traceEvents'));
  },
  async exposeFunction({ page, url }) {
    await page.exposeFunction('fromHere', (n) => n + 1);
    await page.goto(url('/'));
    assert.equal(await page.evaluate(() => window.fromHere(41)), 42);
    await page.goto(url('/frames'));
    assert.equal(await (await frame(page, 'far')).evaluate(() => window.fromHere(1)), 2);
  },
  async 'exposeFunction in the first script'({ page, url }) {
    await page.exposeFunction('fromHere', (n) => n + 1);
    await page.goto(url('/early'));
    assert.equal(await page.evaluate(() => window.early), 21);
  },
  async setContent({ page }) {
    await page.setContent('<title>set</title><p>content');
    assert.equal(await page.title(), 'set');
  },
  async 'init scripts'({ page, url }) {
    await page.evaluateOnNewDocument(() => { window.before = location.pathname; });
    await page.goto(url('/frames'));
    assert.equal(await page.evaluate(() => window.before), '/frames');
    assert.equal(await (await frame(page, 'far')).evaluate(() => window.before), '/inner');
  },
  async 'console: text'({ page, url }) {
    await page.goto(url('/console'));
    const [message] = await Promise.all([once(page, 'console', (it) => it.text().startsWith('late')), page.click('button')]);
    assert.ok(message.text().startsWith('late 5'), message.text());
  },
  async 'console: arguments as handles'({ page, url }) {
    await page.goto(url('/console'));
    const [message] = await Promise.all([once(page, 'console', (it) => it.text().startsWith('late')), page.click('button')]);
    assert.deepEqual(await message.args()[2].jsonValue(), { a: 1 });
  },
  async 'page errors'({ page, url }) {
    await page.goto(url('/errors'));
    for (const [selector, text] of [['#throw', 'boom'], ['#reject', 'far']]) {
      const [error] = await Promise.all([once(page, 'pageerror'), page.click(selector)]);
      assert.equal(error.message, text);
    }
  },
  async bfcache({ page, url }) {
    await page.goto(url('/'));
    await page.goto(url('/next'));
    await page.goBack({ waitUntil: 'domcontentloaded' });
    assert.equal(await page.evaluate(() => document.title), 'start');
  },
  async contexts({ browser, url }) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.goto(url('/'));
    assert.equal(await page.title(), 'start');
    await context.close();
  },
  async 'colour scheme and time zone'({ page, url }) {
    await page.goto(url('/'));
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    assert.ok(await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches));
  },
  async 'CDP sessions'({ page, url }) {
    await page.goto(url('/'));
    const session = await page.createCDPSession();
    const { result } = await session.send('Runtime.evaluate', { expression: 'document.title' });
    assert.equal(result.value, 'start');
  },
};
