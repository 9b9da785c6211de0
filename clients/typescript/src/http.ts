import type { CallOptions, Progress, Transport } from './call.js';
import { ConnectionError, type Failure } from './error.js';
import { errorOf } from './failures.js';
import { ROUTES } from './operations.js';

/** How to reach `szk serve`. */
export interface HttpOptions {
  /** What `szk token create` printed. */
  token: string;
  /** Who is calling, as other clients of the session see it. */
  name?: string;
  /** Session of calls that name none. */
  session?: string;
}

/** `szk serve`, on this machine or another. */
export class Http implements Transport {
  private readonly base: string;

  constructor(url: string | URL, private readonly options: HttpOptions) {
    this.base = String(url).replace(/\/+$/, '');
  }

  async call(operation: string, input: object, options: CallOptions): Promise<unknown> {
    const { url, init } = this.request(operation, input, options);
    const response = await reached(fetch(url, init), options.signal);
    const events = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (events && response.body) return told(response.body, options);
    const answer = await reached(response.json(), options.signal);
    if (!response.ok) throw errorOf((answer as { error: Failure }).error);
    return answer;
  }

  /** Nothing is held open between calls. */
  async close(): Promise<void> {}

  private request(operation: string, input: object, options: CallOptions) {
    const route = ROUTES[operation];
    if (!route) throw new TypeError(`there is no operation ${operation}`);
    const { token, name, session } = this.options;
    const fields: Record<string, unknown> = { ...input };
    if (route.path.includes('{session}')) fields.session ??= session;
    const path = route.path.replace(/\{(\w+)\}/g, (_, field: string) => {
      const value = fields[field];
      if (value === undefined) throw new TypeError(`${operation} needs \`${field}\` over HTTP`);
      delete fields[field];
      return encodeURIComponent(String(value));
    });
    const headers: Record<string, string> = {
      accept: options.onProgress ? 'text/event-stream' : 'application/json',
      authorization: `Bearer ${token}`,
    };
    if (name) headers['szk-client'] = name;
    const init: RequestInit = { method: route.method, headers, signal: options.signal ?? null };
    const url = new URL(this.base + path);
    if (route.method === 'POST') {
      headers['content-type'] = 'application/json';
      init.body = JSON.stringify(fields);
    } else {
      for (const [field, value] of Object.entries(fields)) add(url.searchParams, field, value);
    }
    return { url, init };
  }
}

function add(query: URLSearchParams, field: string, value: unknown): void {
  if (value === undefined) return;
  if (Array.isArray(value)) value.forEach((each) => add(query, field, each));
  else query.append(field, typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** The answer, or why there is none: what the caller gave up is not szk's failure. */
async function reached<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new ConnectionError(`szk cannot be reached: ${(cause as Error).message}`);
  }
}

/** Reads server-sent events until the result. */
async function told(body: ReadableStream<Uint8Array>, options: CallOptions): Promise<unknown> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reached(reader.read(), options.signal);
    if (done) throw new ConnectionError('the stream of events broke off');
    text += decoder.decode(value, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = text.slice(0, end);
      text = text.slice(end + 2);
      const data = /^data: ?(.*)$/m.exec(event)?.[1];
      if (data === undefined) continue;
      const said: unknown = JSON.parse(data);
      const kind = /^event: ?(.*)$/m.exec(event)?.[1];
      if (kind === 'progress') options.onProgress?.(said as Progress);
      if (kind === 'result') return said;
      if (kind === 'error') throw errorOf((said as { error: Failure }).error);
    }
  }
}
