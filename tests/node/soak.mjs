// Playwright, Puppeteer and the MCP server work on one page for a while. Prints what was lost, what
// came in the wrong order, and how much memory the keeper has at the beginning and at the end.
//
//   node soak.mjs SECONDS PROFILE SZK HTTP WS KEEPER_PID
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';

const [seconds, profile, szk, http, ws, keeper] = process.argv.slice(2);

const PAGE = `<!doctype html><title>soak</title><input id=a><input id=b><p id=c></p><script>
  let sent = 0, unheard = 0;
  window.said = () => sent;
  // A page that went on faster than its clients hear would leave them no time for anything else.
  const say = (to) => { unheard++; to(sent).finally(() => unheard--); };
  setInterval(() => {
    if (typeof window.fromPage === 'function' && typeof window.toPuppeteer === 'function' && unheard < 40) {
      sent++; say(window.fromPage); say(window.toPuppeteer);
    }
  }, 10);
</script>`;
const server = createServer((_, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(PAGE);
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const url = `http://127.0.0.1:${server.address().port}/`;

// One line out, lines in until the answer.
const mcp = spawn(szk, ['mcp'], { stdio: ['pipe', 'pipe', 'ignore'] });
const answers = new Map();
createInterface({ input: mcp.stdout }).on('line', (line) => {
  const message = JSON.parse(line);
  answers.get(message.id)?.(message.result);
});
let last = 0;
const ask = (method, params) => new Promise((done) => {
  answers.set(++last, done);
  mcp.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: last, method, params }) + '\n');
});
const tool = async (name, args) => {
  const result = await ask('tools/call', { name, arguments: { session: profile, ...args } });
  if (result.isError) throw new Error(JSON.stringify(result));
  return result.structuredContent;
};
await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'soak', version: '1' } });
mcp.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');

const one = await chromium.connectOverCDP(http);
const two = await puppeteer.connect({ browserWSEndpoint: ws, defaultViewport: null });
const page = one.contexts()[0].pages()[0];
await page.goto(url);
const same = await (await two.waitForTarget((it) => it.url() === url)).page();
// Events of a page reach each client once and in order.
const heard = { one: 0, two: 0 };
let wrong = 0;
const listen = (who) => (number) => {
  if (number !== heard[who] + 1) wrong++;
  heard[who] = number;
};
await page.exposeFunction('fromPage', listen('one'));
await same.exposeFunction('toPuppeteer', listen('two'));

const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${keeper}/status`, 'utf8'))[1]) * 1024;
let rounds = 0;
const workers = [
  async (n) => {
    await page.fill('#a', `a${n}`);
    if ((await page.inputValue('#a')) !== `a${n}`) wrong++;
    await page.evaluate((n) => 'x'.repeat(n % 100000), n * 977);
  },
  async (n) => {
    await same.$eval('#b', (it, n) => { it.value = n; }, `b${n}`);
    if ((await same.$eval('#b', (it) => it.value)) !== `b${n}`) wrong++;
    const handle = await same.evaluateHandle((n) => ({ n }), n);
    if ((await handle.jsonValue()).n !== n) wrong++;
    await handle.dispose();
  },
  async (n) => {
    const { value } = await tool('browser_run_code', { code: `document.querySelector('#c').textContent = 'c${n}'` });
    if (value !== `c${n}`) wrong++;
  },
];
const work = async (until) => {
  await Promise.all(workers.map(async (step) => {
    for (let n = 0; Date.now() < until; n++) {
      await step(n);
      rounds++;
    }
  }));
};
const end = Date.now() + Number(seconds) * 1000;
// What is allocated once is allocated by then.
await work(Date.now() + Number(seconds) * 250);
const before = memory();
await work(end);
const after = memory();
// All that was said has arrived when a later question is answered.
const sent = await page.evaluate(() => { const sent = window.said(); window.fromPage = window.toPuppeteer = null; return sent; });
await same.evaluate(() => 0);
await page.evaluate(() => 0);
const lost = Math.max(sent - heard.one, 0) + Math.max(sent - heard.two, 0);
process.stdout.write(JSON.stringify({ rounds, sent, lost, wrong, before, after }) + '\n');
mcp.kill();
process.exit(0);
