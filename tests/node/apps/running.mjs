// An application that runs in an empty folder for as long as some work takes.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Waits until `holds` is true. */
export async function until(what, holds, seconds = 60) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
    if (await holds()) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`not within ${seconds} s: ${what}`);
}

/** Ends an application with all that it has started, and removes its folder. */
const ends = new Set();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, async () => {
    await Promise.all([...ends].map((end) => end()));
    process.exit(signal === 'SIGINT' ? 130 : 143);
  });
}

/** Runs `work` while an application of apps.mjs runs in an empty folder on this port; `work` gets the folder. */
export async function running(app, port, work) {
  const folder = await mkdtemp(join(tmpdir(), 'szk-apps-'));
  const [program, args] = app.start(process.env.APPS, folder, port);
  const env = { ...process.env, HOME: folder, JUPYTER_CONFIG_DIR: join(folder, '.c'), JUPYTER_DATA_DIR: join(folder, '.d'), JUPYTER_RUNTIME_DIR: join(folder, '.r') };
  const child = spawn(program, args, { cwd: folder, env, stdio: 'ignore', detached: true });
  const left = new Promise((done) => child.once('exit', done));
  const end = async () => {
    ends.delete(end);
    const kill = (signal) => { try { process.kill(-child.pid, signal); } catch { /* It has ended. */ } };
    kill('SIGTERM');
    const late = setTimeout(kill, 5000, 'SIGKILL');
    await left;
    clearTimeout(late);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  ends.add(end);
  try {
    await until(`${app.name} answers`, () => fetch(`http://127.0.0.1:${port}${app.ready}`).then(({ ok }) => ok, () => false));
    return await work(folder);
  } finally {
    await end();
  }
}
