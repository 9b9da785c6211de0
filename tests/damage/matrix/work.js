// A page at work: it reads every store, tells the server what is there, and then writes the time into
// each of them, round after round, until something goes wrong. The server knows the last whole round.
const word = 'base';
const cookies = {
  session: 'session=NOW; path=/',
  persistent: 'persistent=NOW; path=/; max-age=86400',
  strict: 'strict=NOW; path=/; max-age=86400; samesite=strict',
  secure: 'secure=NOW; path=/; secure; samesite=none',
  host: '__Host-host=NOW; path=/; secure; max-age=86400',
  partitioned: 'partitioned=NOW; path=/; secure; samesite=none; partitioned',
};
const post = async (path, body) => {
  const answer = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(path);
};
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const within = (ms, promise) => Promise.race([promise, pause(ms).then(() => null)]);

// The name of a cookie in `cookies`, with another prefix for what is written once.
const named = (line, prefix) => line.replace(/^(__Host-)?/, (host) => `${host}${prefix}`);
const shown = (line, prefix) => {
  const name = named(line, prefix).split('=')[0];
  return document.cookie.split('; ').find((it) => it.startsWith(`${name}=`))?.split('=')[1];
};
const bake = (line, prefix, value) => { document.cookie = named(line, prefix).replace('NOW', value); };

const database = (create) => new Promise((done, fail) => {
  const asked = indexedDB.open('work', 1);
  asked.onupgradeneeded = () => (create ? asked.result.createObjectStore('kept') : asked.transaction.abort());
  asked.onerror = () => (create ? fail(asked.error) : done(null));
  asked.onsuccess = () => done(asked.result);
});
const inDatabase = async (mode, act) => {
  const db = await database(mode === 'readwrite');
  if (!db) return null;
  try {
    const write = db.transaction('kept', mode);
    const asked = act(write.objectStore('kept'));
    await new Promise((done, fail) => { write.oncomplete = done; write.onabort = () => fail(write.error); });
    return asked.result;
  } finally {
    db.close();
  }
};
const file = async (name, create) => (await navigator.storage.getDirectory()).getFileHandle(name, { create });

let turn = 0;

// What writes and reads a value under a name. The cookies that scripts cannot see are the server's.
const stores = {
  local: { put: (name, value) => localStorage.setItem(name, value), get: (name) => localStorage.getItem(name) },
  tab: { put: (name, value) => sessionStorage.setItem(name, value), get: (name) => sessionStorage.getItem(name) },
  indexed: {
    put: (name, value) => inDatabase('readwrite', (kept) => kept.put(value, name)),
    get: (name) => inDatabase('readonly', (kept) => kept.get(name)),
  },
  blob: {
    put: (name, value) => inDatabase('readwrite', (kept) => kept.put(new Blob([value]), `${name}-blob`)),
    get: async (name) => (await inDatabase('readonly', (kept) => kept.get(`${name}-blob`)))?.text(),
  },
  // Chromium replaces a response by deleting the old one first. So two take turns, as a careful page has it.
  cache: {
    put: async (name, value) => (await caches.open('work')).put(`/cached/${name}/${turn++ % 2}`, new Response(value)),
    get: async (name) => {
      const both = await Promise.all([0, 1].map(async (place) => (await caches.match(`/cached/${name}/${place}`))?.text()));
      return both.filter(Boolean).sort().at(-1);
    },
  },
  opfs: {
    put: async (name, value) => {
      const writer = await (await file(name, true)).createWritable();
      await writer.write(value);
      await writer.close();
    },
    get: async (name) => (await (await file(name, false)).getFile()).text(),
  },
};

// What is made once: a key that no script can read, and a service worker.
const nonce = new Uint8Array(12);
const makeKey = async () => {
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, key, new TextEncoder().encode(word));
  await inDatabase('readwrite', (kept) => { kept.put(key, 'key'); return kept.put(sealed, 'sealed'); });
};
const keyOpens = async () => {
  const key = await inDatabase('readonly', (kept) => kept.get('key'));
  const sealed = await inDatabase('readonly', (kept) => kept.get('sealed'));
  if (!key || !sealed) return false;
  return new TextDecoder().decode(await crypto.subtle.decrypt({ name: 'AES-GCM', iv: nonce }, key, sealed)) === word;
};
const makeWorker = async () => {
  const registration = await navigator.serviceWorker.register('/worker.js', { scope: '/scope/' });
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  while (worker.state !== 'activated') await new Promise((done) => worker.addEventListener('statechange', done, { once: true }));
};
const workerAnswers = async () => {
  const registration = await navigator.serviceWorker.getRegistration('/scope/');
  if (!registration?.active) return false;
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((done) => { port1.onmessage = ({ data }) => done(data === word); });
  registration.active.postMessage('who', [port2]);
  return answer;
};

// A frame of another site, whose cookie is partitioned by this one. Its page is `frame.js`.
const frame = new Promise((done) => {
  const element = document.createElement('iframe');
  element.src = document.currentScript.dataset.frame;
  element.onload = () => done(element.contentWindow);
  addEventListener('DOMContentLoaded', () => document.body.append(element));
});
const inFrame = async (asked) => {
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((done) => { port1.onmessage = ({ data }) => done(data); });
  (await frame).postMessage(asked, '*', [port2]);
  return answer;
};

// A store that cannot be read has lost what was in it; one that does not answer likewise.
const read = async (get) => { try { return (await within(20000, get())) ?? null; } catch { return null; } };
async function readAll(prefix, counted) {
  const found = {};
  for (const [kind, line] of Object.entries(cookies)) found[kind] = shown(line, prefix) ?? null;
  await Promise.all(Object.entries(stores).map(async ([kind, { get }]) => { found[kind] = await read(() => get(counted)); }));
  found.embedded = await read(() => inFrame({ get: `${prefix}embedded` }));
  return found;
}
async function writeAll(prefix, name, value) {
  for (const line of Object.values(cookies)) bake(line, prefix, value);
  await Promise.all(Object.values(stores).map(({ put }) => put(name, value)));
}

async function found() {
  const told = { document: performance.timeOrigin, counters: await readAll('', 'counter'), base: await readAll('base-', 'base') };
  told.base.key = await read(async () => ((await keyOpens()) ? word : null));
  told.base.worker = await read(async () => ((await workerAnswers()) ? word : null));
  for (;;) {
    try { return await post('/found', told); } catch { await pause(50); }
  }
}
async function base() {
  await writeAll('base-', 'base', word);
  await makeKey();
  await makeWorker();
  await inFrame({ put: 'base-embedded', value: word });
  await post('/based', {});
}
async function work() {
  await found();
  for (let seen = 0; ;) {
    const now = Date.now();
    await writeAll('', 'counter', String(now));
    // The server's own cookies of the round before are in place by now.
    await post('/beat', { now, seen });
    await inFrame({ put: 'embedded', value: String(now) });
    seen = now;
    await pause(250);
  }
}
({ base, work })[document.currentScript.dataset.does]().catch((error) => { document.title = `stopped: ${error}`; });
