// Tries the features of one client, or of two at once, on an endpoint: prints what works, and what
// the pages saw of it, as one line of JSON.
//
//   node run.mjs playwright|puppeteer|both http://… ws://… [feature…]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from './site.mjs';

const PATIENCE = Number(process.env.PATIENCE ?? 30000);
const [client, http, ws, ...chosen] = process.argv.slice(2);
const { server, origin } = await serve();
const folder = await mkdtemp(join(tmpdir(), 'matrix-'));
const url = (path) => origin + path;
const given = { getters: 0, stacks: 0 };
const failed = {};

const limited = (work) => {
  let timer;
  const late = new Promise((_, fail) => { timer = setTimeout(() => fail(new Error('took too long')), PATIENCE); });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

// What the page itself counted, its frames included.
async function look(page) {
  const count = await limited(page.evaluate(() => window.given?.()));
  given.getters += count?.getters ?? 0;
  given.stacks += count?.stacks ?? 0;
}

async function attempt(name, feature, connected) {
  let page;
  try {
    page = await limited(connected.newPage());
    // A tab behind another one is not drawn, and what is not drawn cannot be clicked.
    await limited(page.bringToFront());
    await limited(feature({ ...connected, page, url, folder }));
  } catch (error) {
    failed[name] = String(error?.message ?? error).split('\n')[0].slice(0, 200);
  }
  if (!page) return;
  await look(page).catch(() => {});
  await limited(page.close()).catch(() => {});
}

async function both() {
  const [one, two] = await Promise.all(['playwright', 'puppeteer'].map(async (name) => (await import(`./${name}.mjs`)).connect({ http, ws })));
  const name = 'interception by two clients at once';
  await attempt(name, async ({ page }) => {
    await page.goto(url('/fetch'));
    await page.route('**/data', (route) => route.continue({ headers: { ...route.request().headers(), 'x-one': '1' } }));
    const target = await two.browser.waitForTarget((it) => it.url() === url('/fetch'));
    const same = await target.page();
    await same.setRequestInterception(true);
    let saw = 0;
    same.on('request', (request) => { saw += request.url().endsWith('/data') ? 1 : 0; request.continue(); });
    const text = await page.evaluate(() => window.get('/data'));
    if (text !== 'from the server' || saw !== 1) throw new Error(`${text}, seen ${saw} times`);
    await same.setRequestInterception(false);
  }, one);
  await limited(one.leave()).catch(() => {});
  await limited(two.leave()).catch(() => {});
  return [name];
}

let names;
if (client === 'both') names = await both();
else {
  const { connect, features } = await import(`./${client}.mjs`);
  const connected = await limited(connect({ http, ws }));
  names = Object.keys(features).filter((name) => !chosen.length || chosen.includes(name));
  for (const name of names) await attempt(name, features[name], connected);
  await limited(connected.leave()).catch(() => {});
}
server.closeAllConnections();
server.close();
await rm(folder, { recursive: true, force: true });
process.stdout.write(JSON.stringify({ tried: names, failed, given }) + '\n');
process.exit(0);
