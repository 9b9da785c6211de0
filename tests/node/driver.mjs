// One client, of the endpoint or of a browser that it starts itself the way its users do (`control-…`: the
// program is CONTROL_BROWSER), told by lines of JSON on stdin what to do: {id, code}, where `code` is
// the body of an async function of `browser`, `page`, `state` and `lib`, or of what a raw socket or a client
// of an MCP server can do. Answers {id, value} or {id, error}. Several may run at the same time.
import { createInterface } from 'node:readline';

const AsyncFunction = (async () => {}).constructor;
const state = {};

const tools = {
  async playwright() {
    const lib = await import('playwright-core');
    const browser = await lib.chromium.connectOverCDP(process.env.SZK_CDP_ENDPOINT);
    return { lib, browser, first: () => browser.contexts()[0].pages()[0] };
  },
  async puppeteer() {
    const lib = await import('puppeteer-core');
    const browser = await lib.connect({ browserWSEndpoint: process.env.SZK_CDP_WS_ENDPOINT });
    return { lib, browser, first: async () => (await browser.pages())[0] };
  },
};

const launch = {
  executablePath: process.env.CONTROL_BROWSER,
  // The suite opens popups without a click; root has no sandbox.
  args: ['--disable-popup-blocking', ...(process.getuid() === 0 ? ['--no-sandbox'] : [])],
};

const controls = {
  async 'control-playwright'() {
    const lib = await import('playwright-core');
    const browser = await lib.chromium.launch(launch);
    return { lib, browser, first: () => browser.newPage() };
  },
  async 'control-puppeteer'() {
    const lib = await import('puppeteer-core');
    const browser = await lib.launch(launch);
    return { lib, browser, first: () => browser.newPage() };
  },
  async 'control-stealth'() {
    const lib = await import('playwright-core');
    const { addExtra } = await import('playwright-extra');
    const { default: stealth } = await import('puppeteer-extra-plugin-stealth');
    const browser = await addExtra(lib.chromium).use(stealth()).launch(launch);
    return { lib, browser, first: () => browser.newPage() };
  },
};

// A socket without manners: no library stands between it and the endpoint.
tools.raw = async () => {
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(process.env.SZK_CDP_WS_ENDPOINT, { maxPayload: 0 });
  const closed = new Promise((done) => socket.once('close', (code, reason) => done({ code, reason: String(reason) })));
  await new Promise((done, fail) => socket.once('open', done).once('error', fail));
  const waiting = new Map();
  const nameless = [];
  socket.on('error', () => {});
  socket.on('message', (text) => {
    const message = JSON.parse(text);
    const wait = waiting.get(message.id);
    if (wait) wait(message);
    else if (message.error) nameless.push(message);
  });
  let last = 0;
  const post = (method, params = {}, sessionId) => {
    socket.send(JSON.stringify({ id: ++last, method, params, sessionId }));
    return last;
  };
  const send = (method, params, sessionId) => new Promise((done, fail) => {
    waiting.set(post(method, params, sessionId), ({ result, error }) => (error ? fail(new Error(error.message)) : done(result)));
  });
  const first = async () => {
    const { targetInfos } = await send('Target.getTargets');
    const { targetId } = targetInfos.find((it) => it.type === 'page');
    return (await send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
  };
  // Nothing of this has an id, so the answers have none.
  const garbage = async (texts) => {
    for (const text of texts) socket.send(text);
    await send('Browser.getVersion');
    return nameless;
  };
  return { extra: { socket, send, post, first, garbage, closed }, first: () => null };
};

// Somebody else's MCP server, started by the shell as its users do (the line is SERVER_COMMAND). `call` gives the
// text of a tool's answer, and throws where it is an error.
tools.server = async () => {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const client = new Client({ name: 'e2e', version: '0' });
  const args = ['-c', `exec ${process.env.SERVER_COMMAND}`];
  await client.connect(new StdioClientTransport({ command: 'sh', args, env: process.env, cwd: process.cwd(), stderr: 'ignore' }));
  const call = async (name, args = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const said = content.map((it) => it.text ?? it.type).join('\n');
    if (isError) throw new Error(`${name}: ${said}`);
    return said;
  };
  return { extra: { client, call }, first: () => null };
};

const say = (answer) => process.stdout.write(JSON.stringify(answer) + '\n');

const connected = { ...tools, ...controls }[process.argv[2]]();

async function run({ id, code }) {
  try {
    const { lib, browser, first, extra } = await connected;
    state.page ??= await first();
    const given = { browser, page: state.page, state, lib, ...extra };
    const body = new AsyncFunction(...Object.keys(given), code);
    say({ id, value: (await body(...Object.values(given))) ?? null });
  } catch (error) {
    say({ id, error: String(error?.stack ?? error) });
  }
}

for await (const line of createInterface({ input: process.stdin })) run(JSON.parse(line));
process.exit(0);
