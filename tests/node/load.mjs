// Load on a server: `load.mjs URL PID SECONDS`, with a token in LOAD_TOKEN. See scripts/load.
import { readFileSync } from 'node:fs';
import net from 'node:net';

const [, , address, pid, seconds] = process.argv;
const { hostname, port, host } = new URL(address);
const token = process.env.LOAD_TOKEN;
const span = Number(seconds) * 1000;
const SESSIONS = Array.from({ length: 10 }, (_, number) => `load-${number}`);
const CLIENTS = 200;
const STREAMS = 1000;

/** Megabytes that the server has in memory. */
function memory() {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
}

/** Seconds of processor time that the server has used. */
function processor() {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** A connection that asks one thing after the other; it reads no more of HTTP than this server sends. */
class Connection {
  constructor(name) {
    this.name = name;
    this.buffer = Buffer.alloc(0);
    this.socket = net.connect({ host: hostname, port }).setNoDelay(true);
    this.socket.on('data', (data) => this.read(data));
    this.socket.on('error', (error) => this.end(error));
    this.socket.on('close', () => this.end(new Error('the connection was closed')));
  }

  ask(method, path, body) {
    const text = body === undefined ? '' : JSON.stringify(body);
    const kind = text && `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n`;
    const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n`;
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(`${head}Szk-Client: ${this.name}\r\n${kind}\r\n${text}`);
    });
  }

  read(data) {
    this.buffer = this.buffer.length ? Buffer.concat([this.buffer, data]) : data;
    const end = this.buffer.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.buffer.toString('latin1', 0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.buffer.length < end + 4 + length) return;
    const body = this.buffer.subarray(end + 4, end + 4 + length);
    this.buffer = this.buffer.subarray(end + 4 + length);
    const { resolve } = this.waiting;
    this.waiting = undefined;
    resolve({ status: Number(head.slice(9, 12)), body });
  }

  end(error) {
    this.waiting?.reject(error);
    this.waiting = undefined;
  }

  close() {
    this.socket.destroy();
  }
}

const problems = [];

/** So many connections that ask until the time is over: what came of it. */
async function load(count, next) {
  const connections = Array.from({ length: count }, (_, number) => new Connection(`load-${number}`));
  const times = [];
  const samples = [];
  const sampling = setInterval(() => samples.push(memory()), span / 20);
  const used = processor();
  const began = performance.now();
  const until = began + span;
  await Promise.all(
    connections.map(async (connection, number) => {
      for (let step = 0; performance.now() < until; step += 1) {
        const at = performance.now();
        const [method, path, body, right] = next(number, step);
        const answer = await connection.ask(method, path, body).catch((error) => ({ error }));
        if (answer.error || answer.status !== 200 || !right(answer.body.toString())) {
          const what = answer.error?.message ?? `${answer.status} ${answer.body.toString().slice(0, 300)}`;
          problems.push(`${path}: ${what}`);
          if (answer.error) return;
        }
        times.push(performance.now() - at);
      }
    }),
  );
  clearInterval(sampling);
  const took = (performance.now() - began) / 1000;
  connections.forEach((connection) => connection.close());
  times.sort((a, b) => a - b);
  const part = (share) => times[Math.floor((times.length - 1) * share)]?.toFixed(2);
  return {
    answers: times.length,
    'per second': Math.round(times.length / took),
    'ms p50': part(0.5),
    'ms p95': part(0.95),
    'ms p99': part(0.99),
    'server processors': ((processor() - used) / took).toFixed(2),
    samples,
  };
}

/** Whether memory only ever grows: then its second half lies above all of the first. */
function grows(samples) {
  const half = samples.length >> 1;
  if (half < 4) return false;
  const early = Math.max(...samples.slice(2, half));
  const late = samples.slice(half);
  return Math.min(...late) > early * 1.05 && late.at(-1) > late[0] * 1.02;
}

function report(name, { samples, ...rest }) {
  const shown = samples.map((sample) => sample.toFixed(0));
  console.log(JSON.stringify({ part: name, ...rest, 'MB first': shown[0], 'MB last': shown.at(-1) }));
  if (grows(samples)) problems.push(`${name}: memory grows: ${shown.join(' ')} MB`);
}

const begin = new Connection('load');
const page = 'data:text/html,<title>load</title><h1>Load</h1><button>Press</button>';
for (const session of SESSIONS) {
  const opened = await begin.ask('POST', '/v1/sessions', { session, url: page });
  if (opened.status !== 201) throw new Error(opened.body.toString());
}
const stored = await begin.ask('POST', '/v1/sessions', { session: 'stored' });
if (stored.status !== 201) throw new Error(stored.body.toString());
await begin.ask('DELETE', '/v1/sessions/stored');

// Streams that nobody says anything in.
const before = memory();
const streams = await Promise.all(
  Array.from({ length: STREAMS }, async (_, number) => {
    const socket = net.connect({ host: hostname, port });
    const path = `/v1/sessions/${SESSIONS[number % SESSIONS.length]}/events`;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    const first = await new Promise((resolve, reject) => {
      socket.once('data', resolve).once('error', reject).once('close', () => resolve('closed'));
    });
    if (!String(first).startsWith('HTTP/1.1 200')) problems.push(`${path}: ${first}`);
    return socket.on('error', () => {});
  }),
);
const idle = processor();
await new Promise((resolve) => setTimeout(resolve, Math.min(span, 20_000)));
const spent = (processor() - idle) / (Math.min(span, 20_000) / 1000);
const gone = streams.filter((socket) => socket.destroyed).length;
if (gone) problems.push(`${gone} of ${STREAMS} event streams ended`);
console.log(
  JSON.stringify({
    part: `${STREAMS} idle event streams`,
    'KB each': (((memory() - before) * 1024) / STREAMS).toFixed(1),
    'server processors': spent.toFixed(2),
  }),
);
streams.forEach((socket) => socket.destroy());

report(
  `${CLIENTS} clients on ${SESSIONS.length} sessions`,
  await load(CLIENTS, (number, step) => {
    const session = SESSIONS[number % SESSIONS.length];
    return step % 10 === 0
      ? ['GET', `/v1/sessions/${session}/snapshot?mode=full&tab=t1`, undefined, (text) => text.includes('Press')]
      : ['GET', `/v1/sessions/${session}/tabs`, undefined, (text) => text.includes(session)];
  }),
);
report(
  'a stored session',
  await load(32, () => ['GET', '/v1/sessions/stored', undefined, (text) => text.includes('"stored"')]),
);
begin.close();
for (const problem of new Set(problems.slice(0, 20))) console.error(problem);
if (problems.length) {
  console.error(`${problems.length} problems`);
  process.exitCode = 1;
}
