// The control: a Chromium with its own debugging port and nothing of szk, for as long as stdin is
// open. Prints its two addresses.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A fixed port: with port 0 pages see `navigator.webdriver`.
const port = await new Promise((done) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => done(port));
  });
});
const folder = mkdtempSync(join(tmpdir(), 'control-'));
const flags = [
  ...['--disable-blink-features=AutomationControlled', '--test-type', '--no-first-run', '--no-default-browser-check'],
  ...['--password-store=basic', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  ...['--use-angle=gl-egl', '--ignore-gpu-blocklist', '--ozone-platform=headless', '--window-position=70,50'],
  ...['--screen-info={1920x1080 workAreaTop=28}', '--window-size=1480,940'],
  // The list of the address bar as a page, which nobody sees, is half of a start.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
];
// What szk does without a graphics card: Chromium then draws by itself, at a third of the price.
const cards = () => {
  try {
    return readdirSync('/dev/dri').filter((name) => name.startsWith('renderD'));
  } catch {
    return [];
  }
};
if (cards().length === 0) flags.push('--disable-gpu-compositing');
if (process.getuid() === 0) flags.push('--no-sandbox');
const chromium = process.env.SZK_CHROMIUM ?? '/usr/lib/chromium/chromium';
const browser = spawn(chromium, [...flags, `--remote-debugging-port=${port}`, `--user-data-dir=${folder}`, 'about:blank'], { stdio: 'ignore' });
const end = () => {
  browser.once('exit', () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    process.exit(0);
  });
  browser.kill('SIGKILL');
};
process.stdin.on('end', end).resume();
for (;;) {
  try {
    const version = await (await fetch(`http://127.0.0.1:${port}/json/version`)).json();
    process.stdout.write(JSON.stringify({ http_url: `http://127.0.0.1:${port}`, ws_url: version.webSocketDebuggerUrl }) + '\n');
    break;
  } catch {
    await new Promise((done) => setTimeout(done, 50));
  }
}
