// What a client's emulation comes to, in a browser context of its own and in the one that was there before: one line of
// JSON.
//
//   node run.mjs playwright|puppeteer HTTP WS
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecure } from 'node:https';

const [client, http, ws] = process.argv.slice(2);

// A site that says which headers it was asked with, and one whose certificate nobody knows.
const answer = (request, response) => {
  const { 'user-agent': agent, 'accept-language': languages } = request.headers;
  const script = request.url === '/worker.js';
  response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
  response.end(script ? `const look = ${inWorker}; postMessage(look());` : `<title>emulated</title><script>window.asked = ${JSON.stringify({ agent, languages })}</script>`);
};
const inWorker = () => ({
  agent: navigator.userAgent,
  intl: new Intl.DateTimeFormat().resolvedOptions().locale,
  zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
});
const listen = (server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));
const pem = readFileSync(new URL('localhost.pem', import.meta.url));
const url = `http://127.0.0.1:${await listen(createServer(answer))}/`;
const unknown = `https://127.0.0.1:${await listen(createSecure({ key: pem, cert: pem }, answer))}/`;

// Everything that a page sees of what is emulated.
const look = async () => {
  const gesture = navigator.userActivation.isActive;
  // Kept: one that nobody holds may end at any time.
  const worker = (window.kept = new Worker('/worker.js'));
  const place = new Promise((done) => {
    navigator.geolocation.getCurrentPosition(({ coords }) => done([coords.latitude, coords.longitude]), ({ code }) => done(code), { timeout: 30_000 });
  });
  return {
    gesture,
    worker: await new Promise((done) => { worker.onmessage = ({ data }) => done(data); }),
    place: await place,
    agent: navigator.userAgent,
    asked: window.asked,
    language: navigator.language,
    intl: new Intl.DateTimeFormat().resolvedOptions().locale,
    zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    dark: matchMedia('(prefers-color-scheme: dark)').matches,
    print: matchMedia('print').matches,
    size: [innerWidth, innerHeight, devicePixelRatio],
    touch: navigator.maxTouchPoints > 0,
    focus: document.hasFocus(),
    hidden: document.hidden,
    online: navigator.onLine,
    webdriver: navigator.webdriver,
  };
};

/** What a call says whose page is closed before it ends. */
const interrupted = async (page) => {
  const said = page.evaluate(() => new Promise(() => {})).catch((error) => [error.name, error.message.split('\n')[0]]);
  await page.evaluate(() => 0);
  await page.close();
  return said;
};
const fails = (work) => work.then(() => false, () => true);
const emulated = { agent: 'Own/1.0', zone: 'Asia/Tokyo', width: 400, height: 300, latitude: 1, longitude: 2 };

/** All at once, as a context's options. */
async function playwright() {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.connectOverCDP(http);
  const { agent, zone, width, height, latitude, longitude } = emulated;
  const context = await browser.newContext({
    userAgent: agent, locale: 'fr-FR', timezoneId: zone, colorScheme: 'dark', viewport: { width, height }, deviceScaleFactor: 2,
    geolocation: { latitude, longitude }, permissions: ['geolocation'], hasTouch: true, ignoreHTTPSErrors: true,
  });
  const page = await context.newPage();
  await page.goto(url);
  // Another in front of it: a context of one's own does not mind.
  await (await context.newPage()).bringToFront();
  const own = { page: await page.evaluate(look) };
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.evaluate(() => void window.open(location.href))]);
  await popup.waitForLoadState();
  own.popup = await popup.evaluate(look);
  await page.emulateMedia({ media: 'print', colorScheme: 'light' });
  own.printed = await page.evaluate(() => [matchMedia('print').matches, matchMedia('(prefers-color-scheme: dark)').matches]);
  await page.setViewportSize({ width: 500, height: 350 });
  own.resized = await page.evaluate(() => [innerWidth, innerHeight]);
  own.chosen = await chooses(page, () => Promise.all([page.waitForEvent('filechooser'), page.evaluate(input)]));
  await context.setOffline(true);
  own.offline = await page.evaluate(() => [navigator.onLine, fetch('/').then(() => true, () => false)][0]);
  own.unreachable = await fails(page.goto(url));
  await context.setOffline(false);
  own.interrupted = await interrupted(await context.newPage());
  own.insecure = await page.goto(unknown).then((it) => it.status());
  own.heard = await heard(page, (event) => page.waitForEvent(event), (message) => message.args()[1].jsonValue());
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const silent = await plain.newPage();
  await silent.goto(url);
  own.silent = await silent.content().then((text) => text.includes('window.asked') && !text.includes('asked = null'));
  own.plain = await (await (await browser.newContext()).newPage()).evaluate(() => navigator.userAgent);

  const [before] = browser.contexts();
  const kept = await before.newPage();
  await kept.goto(url);
  const refused = (await fails(kept.emulateMedia({ colorScheme: 'dark' }))) && (await fails(before.setGeolocation({ latitude, longitude })));
  const shared = { ...(await kept.evaluate(look)), refused, opens: await kept.evaluate(() => !!window.open('about:blank')) };
  await kept.close();
  await browser.close();
  return { own, shared };
}

/** One after the other, for a page. */
async function puppeteer() {
  const { connect } = await import('puppeteer-core');
  const browser = await connect({ browserWSEndpoint: ws, defaultViewport: null });
  const { agent, zone, width, height, latitude, longitude } = emulated;
  const emulate = async (page, asked = (done) => done) => {
    await asked(page.setUserAgent({ userAgent: agent }));
    await asked(page.emulateTimezone(zone));
    await asked(page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]));
    await asked(page.emulateMediaType('print'));
    await page.setViewport({ width, height, deviceScaleFactor: 2, hasTouch: true });
    await asked(page.setGeolocation({ latitude, longitude }));
    await page.emulateFocusedPage(true);
    await page.goto(url);
  };
  const context = await browser.createBrowserContext();
  await context.overridePermissions(new URL(url).origin, ['geolocation']);
  const page = await context.newPage();
  await emulate(page);
  await (await context.newPage()).bringToFront();
  const own = { page: await page.evaluate(look) };
  const [popup] = await Promise.all([new Promise((done) => page.once('popup', done)), page.evaluate(() => void window.open('about:blank'))]);
  own.popup = popup.url();
  own.chosen = await chooses(page, () => Promise.all([page.waitForFileChooser(), page.evaluate(input)]));
  await page.setOfflineMode(true);
  own.unreachable = await fails(page.goto(url));
  await page.setOfflineMode(false);
  own.interrupted = await interrupted(await context.newPage());
  await page.goto(url);
  const once = (event) => new Promise((done) => page.once(event, done));
  own.heard = await heard(page, once, (message) => message.args()[1].jsonValue());

  const kept = await browser.newPage();
  let refused = true;
  await emulate(kept, async (done) => { refused = (await fails(done)) && refused; });
  const shared = { ...(await kept.evaluate(look)), refused, opens: await kept.evaluate(() => !!window.open('about:blank')) };
  await kept.close();
  await browser.disconnect();
  return { own, shared };
}

const input = () => {
  const file = document.body.appendChild(document.createElement('input'));
  file.type = 'file';
  file.click();
};

async function chooses(page, choose) {
  return choose().then(() => true, (error) => String(error).slice(0, 200));
}

/** What is heard of a page after `setContent`: an object as it is, and where an error was thrown. */
async function heard(page, next, value) {
  await page.setContent('<script>function thrower() { throw new TypeError("boom"); }</script>');
  const [message] = await Promise.all([next('console'), page.evaluate(() => console.table('x', { a: 1 }))]);
  const [error] = await Promise.all([next('pageerror'), page.evaluate(() => void setTimeout(() => thrower()))]);
  return { kind: message.type(), value: await value(message), error: `${error.name}: ${error.message}`, thrower: error.stack.includes('thrower') };
}

const seen = await { playwright, puppeteer }[client]();
process.stdout.write(JSON.stringify(seen).replaceAll(new URL(url).port, 'PORT') + '\n');
process.exit(0);
