// The pages of the tasks, on 127.0.0.1: `/t/NAME`, what a task's own routes answer, and the libraries.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES = { '.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript', '.svg': 'image/svg+xml' };

/** Serves `tasks`; `close` ends it. What a page sent with POST is in `posted`, by path. */
export async function serve(tasks, libraries) {
  const pages = new Map(tasks.map((task) => [task.name, task]));
  const posted = new Map();
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://a/');
    const [, kind, name, ...rest] = pathname.split('/');
    let [status, type, body] = [200, '.html', ''];
    try {
      if (request.method === 'POST') posted.set(pathname, await text(request));
      if (kind === 't') {
        const task = pages.get(name);
        body = rest.length ? task.routes[rest.join('/')] : page(task);
      } else if (kind === 'lib') {
        type = extname(pathname);
        body = await readFile(join(libraries, normalize(pathname.slice('/lib/'.length))));
      } else status = 204;
    } catch {
      status = 404;
    }
    response.writeHead(status, { 'content-type': `${TYPES[type] ?? 'application/octet-stream'}; charset=utf-8` });
    response.end(body);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    posted,
    close: () => new Promise((done) => { server.close(done); server.closeAllConnections(); }),
  };
}

// A page as short as its task writes it; `lib` names files below the libraries' folder, and
// `before` comes before them. `whole` is a page as it is.
function page({ name, lib = [], before = '', html, whole }) {
  if (whole) return whole;
  const head = lib.map((path) => path.endsWith('.css')
    ? `<link rel=stylesheet href="/lib/${path}">`
    : `<script src="/lib/${path}"></script>`);
  return `<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width"><title>${name}</title>
${before}${head.join('\n')}<style>body { font: 14px sans-serif; margin: 16px }</style>\n${html}`;
}

async function text(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}
