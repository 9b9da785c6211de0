// Several clients work in one profile with one login, and none of them ever names a tab. Prints what
// went wrong: steps in another client's tab, lost or foreign input, requests without the login.
//
//   node together.mjs STEPS PROFILE SZK MCP PLAYWRIGHT TERMINAL HTTP
//
// MCP, PLAYWRIGHT and TERMINAL are how many of each work at once; a terminal is a shell session of its
// own. HTTP is the profile's endpoint.
import { execFile, spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const [steps, profile, szk, mcps, programs, terminals, http] = process.argv.slice(2);
const env = { ...process.env };
delete env.SZK_CLIENT;

// Every page but the first one asks for the login's cookie, and records what trusted keys it gets.
let without = 0;
const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://a/');
  if (url.pathname === '/login') response.setHeader('set-cookie', 'login=kept; Path=/; Max-Age=3600');
  else if (url.pathname === '/work' && !/login=kept/.test(request.headers.cookie ?? '')) without++;
  response.setHeader('content-type', 'text/html');
  response.end(`<!doctype html><title>work</title><input><script>
    window.heard = '';
    addEventListener('keydown', (event) => { if (event.isTrusted) heard += event.key; });
  </script>`);
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const site = `http://127.0.0.1:${server.address().port}`;

const wrong = [];
const tabs = new Map();
const expect = (who, what, found, expected) => {
  if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push({ who, what, found, expected });
};
// The page as its client finds it: where it is, and what was typed.
const CODE = '[location.search, heard, document.querySelector("input").value]';

// A client of any kind: `go`, `type` and `look`, each in the tab that is its own.
async function work(who, letter, client) {
  let typed = '';
  for (let n = 0; n < Number(steps); n++) {
    if (n % 20 === 0) {
      await client.go(`${site}/work?${who}`);
      typed = '';
    } else if (n % 5 === 4) {
      expect(who, `step ${n}`, await client.look(), [`?${who}`, typed, typed]);
    } else {
      await client.type(letter);
      typed += letter;
    }
  }
  expect(who, 'the end', await client.look(), [`?${who}`, typed, typed]);
}

async function mcp(who) {
  const child = spawn(szk, ['mcp'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    answers.get(message.id)?.(message.result);
  });
  let last = 0;
  const ask = (method, params) => new Promise((done) => {
    answers.set(++last, done);
    child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: last, method, params }) + '\n');
  });
  const tool = async (name, args) => {
    const result = await ask('tools/call', { name, arguments: { session: profile, ...args } });
    if (result.isError) throw new Error(`${who}: ${JSON.stringify(result)}`);
    seen(who, result.structuredContent.tab);
    return result.structuredContent;
  };
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: who, version: '1' } });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return {
    go: (url) => tool('browser_navigate', { url }),
    type: (text) => tool('browser_act', { kind: 'type', selector: 'input', text }),
    look: async () => (await tool('browser_run_code', { code: CODE, world: 'main' })).value,
    end: () => child.kill(),
  };
}

async function playwright() {
  const browser = await chromium.connectOverCDP(http);
  const page = await browser.contexts()[0].newPage();
  return {
    go: (url) => page.goto(url),
    type: (text) => page.locator('input').pressSequentially(text),
    look: () => page.evaluate(CODE),
    end: () => browser.close(),
  };
}

// A shell reads commands, so that all of them belong to one session; `setsid` makes it one of its own.
async function terminal(who) {
  const shell = spawn('setsid', ['bash'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const run = async (...args) => {
    shell.stdin.write(`${[szk, ...args, '-s', profile, '--json'].map(quoted).join(' ')}\n`);
    const answer = JSON.parse((await lines.next()).value);
    seen(who, answer.tab);
    return answer;
  };
  return {
    go: (url) => run('navigate', url),
    type: (text) => run('type', 'input', text),
    look: async () => (await run('run-code', CODE, '--world', 'main')).value,
    end: () => shell.stdin.end(),
  };
}

function seen(who, tab) {
  if (!tabs.has(who)) tabs.set(who, new Set());
  tabs.get(who).add(tab);
}

// One of them signs in, for everybody.
const login = await mcp('login');
await login.go(`${site}/login`);
login.end();
tabs.clear();

const began = Date.now();
const kinds = [...Array(Number(mcps)).fill(mcp), ...Array(Number(programs)).fill(playwright), ...Array(Number(terminals)).fill(terminal)];
const clients = await Promise.all(kinds.map(async (make, n) => {
  const who = `${make.name}-${n}`;
  return [who, String.fromCharCode(97 + n), await make(who)];
}));
await Promise.all(clients.map(([who, letter, client]) => work(who, letter, client)));

// Everybody had one tab, and nobody else had it.
const taken = new Set();
for (const [who, own] of tabs) {
  expect(who, 'tabs', own.size, 1);
  for (const tab of own) {
    if (taken.has(tab)) wrong.push({ who, what: `${tab} was another's too` });
    taken.add(tab);
  }
}
const browsers = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).filter((pid) => {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return line.includes(`/${profile}/`) && line.includes('--remote-debugging-pipe') && !line.includes('--type=');
  } catch {
    return false;
  }
}).length;
const { stdout } = await promisify(execFile)(szk, ['list', '--json'], { env });
const row = JSON.parse(stdout).sessions.find((row) => row.session === profile);
process.stdout.write(`${JSON.stringify({
  clients: clients.length, steps: Number(steps), seconds: Math.round((Date.now() - began) / 1000),
  wrong, without_login: without, browsers, tabs: row.tabs.length,
})}\n`);
for (const [, , client] of clients) await client.end();
process.exit(wrong.length || without || browsers !== 1 ? 1 : 0);
