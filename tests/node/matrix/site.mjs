// The pages that features are tried on. Every one of them watches for what gives a driver away.
import { createServer } from 'node:http';

// Counts what happens to objects that a page logs, and who asks for a stack. A browser without any
// client reads the name and the message of a logged error once each, for its own log, and no stack.
const WATCH = `<script>(() => {
  const seen = (window.seen = { logged: 0, getters: 0, stacks: 0 });
  class Trap extends Error {
    get name() { seen.getters++; return 'Trap'; }
    get message() { seen.getters++; return ''; }
  }
  Error.prepareStackTrace = (error) => { seen.stacks++; return String(error); };
  window.watch = () => { seen.logged++; console.debug(new Trap()); console.debug(new Error('x')); };
  window.watch();
  setInterval(window.watch, 25);
  window.given = () => ({ getters: seen.getters - 2 * seen.logged, stacks: seen.stacks });
})()</script>`;

const PAGES = {
  '/': '<title>start</title><h1>start</h1>',
  '/next': '<title>next</title><a href="/">back</a>',
  '/form': `<title>form</title><input id=name><button onclick="document.title = 'hello ' + document.querySelector('#name').value">Greet</button>
    <input type=file id=file onchange="document.title = this.files[0].name">`,
  '/frames': `<title>frames</title><iframe name=near src="/inner"></iframe><iframe name=far src="OTHER/inner"></iframe>
    <iframe name=text srcdoc="<p id=text>text</p>"></iframe>`,
  '/inner': '<title>inner</title><p id=inner>inner</p><button onclick="this.textContent = \'pressed\'">press</button>',
  '/shadow': `<title>shadow</title><div id=host></div><script>
    document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML = '<button onclick="document.title = \\'deep\\'">deep</button>'</script>`,
  '/opener': '<title>opener</title><button onclick="window.open(\'/next\')">open</button><a id=away target=_blank href="OTHER/next">away</a>',
  '/worker': '<title>worker</title><script>window.worker = new Worker("/worker.js")</script>',
  '/service': '<title>service</title><script>window.ready = navigator.serviceWorker.register("/service.js").then(() => navigator.serviceWorker.ready)</script>',
  '/dialog': '<title>dialog</title><button onclick="document.title = String(confirm(\'sure?\'))">ask</button>',
  '/download': '<title>download</title><a href="/file" download="notes.txt">get</a>',
  '/fetch': '<title>fetch</title><script>window.get = (path) => fetch(path).then((it) => it.text())</script>',
  '/console': '<title>console</title><script>console.log("early", 1)</script><button onclick="console.log(\'late\', 5, { a: 1 })">log</button>',
  '/errors': `<title>errors</title><button id=throw onclick="setTimeout(() => { throw new TypeError('boom') })">throw</button>
    <button id=reject onclick="Promise.reject(new RangeError('far'))">reject</button>`,
  '/early': '<title>early</title><script>window.early = typeof window.fromHere === "function" ? window.fromHere(20) : "none"</script>',
};

const FILES = {
  '/worker.js': ['text/javascript', 'self.answer = 42; onmessage = (event) => postMessage(event.data * 2)'],
  '/service.js': ['text/javascript', 'self.answer = 43'],
  '/file': ['text/plain', 'the notes'],
  '/data': ['text/plain', 'from the server'],
};

export async function serve() {
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    const page = PAGES[path];
    if (page !== undefined) {
      response.setHeader('content-type', 'text/html');
      const other = `http://localhost:${server.address().port}`;
      return response.end('<!doctype html>' + WATCH + page.replaceAll('OTHER', other));
    }
    const [type, body] = FILES[path] ?? [];
    if (!type) {
      response.statusCode = 404;
      return response.end();
    }
    response.setHeader('content-type', type);
    if (path === '/file') response.setHeader('content-disposition', 'attachment; filename="notes.txt"');
    response.end(body);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}
