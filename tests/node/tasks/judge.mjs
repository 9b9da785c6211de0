// Whether a task is done, seen from outside: the page's state over a CDP connection of the bench's own.
import WebSocket from 'ws';

const PATIENCE_MS = 1500;

/** Whether `expression` becomes true in the page whose address ends with `path`. */
export async function judge(port, path, expression) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await value(port, path, expression);
    if (found === true) return { solved: true };
    if (Date.now() > end) return { solved: false, found };
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** The value of `expression` in that page. */
export async function value(port, path, expression) {
  const targets = await (await fetch(`http://127.0.0.1:${port}/json/list`, { signal: AbortSignal.timeout(PATIENCE_MS) })).json();
  const target = targets.find((one) => one.type === 'page' && new URL(one.url).pathname.startsWith(path));
  if (!target) return `no page at ${path}: ${targets.map((one) => one.url)}`;
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  try {
    await new Promise((done, failed) => socket.once('open', done).once('error', failed));
    const answer = new Promise((done, failed) => {
      socket.once('message', (data) => done(JSON.parse(data)));
      // A page with an open dialog runs nothing.
      AbortSignal.timeout(PATIENCE_MS).addEventListener('abort', () => failed(new Error('the page does not answer')));
    });
    const params = { expression, returnByValue: true, awaitPromise: true };
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }));
    const { result } = await answer;
    return result?.exceptionDetails ? result.exceptionDetails.exception?.description : result?.result.value;
  } finally {
    socket.close();
  }
}
