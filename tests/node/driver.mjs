// One client, of the endpoint or of a browser that it starts itself the way its users do (`control-…`: the
// program is CONTROL_BROWSER), told by lines of JSON on stdin what to do: {id, code}, where `code` is
// the body of an async function of `browser`, `page`, `state` and `lib`. Answers {id, value} or
// {id, error}. Several may run at the same time.
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

const say = (answer) => process.stdout.write(JSON.stringify(answer) + '\n');

const connected = { ...tools, ...controls }[process.argv[2]]();

async function run({ id, code }) {
  try {
    const { lib, browser, first } = await connected;
    state.page ??= await first();
    const body = new AsyncFunction('browser', 'page', 'state', 'lib', code);
    say({ id, value: (await body(browser, state.page, state, lib)) ?? null });
  } catch (error) {
    say({ id, error: String(error?.stack ?? error) });
  }
}

for await (const line of createInterface({ input: process.stdin })) run(JSON.parse(line));
process.exit(0);
