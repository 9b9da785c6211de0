import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { CallOptions, Progress, Transport } from './call.js';
import { ConnectionError, type Failure } from './error.js';
import { errorOf } from './failures.js';

/** How to start szk. */
export interface StartOptions {
  /** The program. Default: `szk` of the path. */
  command?: string;
  /** Its environment. Default: this process's. */
  env?: NodeJS.ProcessEnv;
  /** Where it runs; relative paths begin there. */
  cwd?: string;
  /** Who is calling, as other clients of the session see it. */
  name?: string;
}

interface Message {
  id?: number;
  method?: string;
  params?: { progressToken: number; progress: number; total?: number; message?: string };
  result?: ToolResult;
  error?: { message: string };
}

interface ToolResult {
  isError?: boolean;
  content?: Array<{ type: string; text?: string }>;
  structuredContent?: unknown;
  _meta?: { 'szk/failure'?: Failure };
}

interface Waiting {
  resolve: (result: ToolResult) => void;
  reject: (error: Error) => void;
  onProgress: ((progress: Progress) => void) | undefined;
}

/** `szk mcp`, spoken to over its standard input and output. It ends with this client. */
export class Stdio implements Transport {
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;
  private ended: Error | undefined;

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    createInterface({ input: child.stdout }).on('line', (line) => this.read(line));
    // The talk of szk is for people; a full pipe would stop it.
    child.stderr.resume();
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => this.end(`szk cannot be started: ${error.message}`));
    child.on('close', () => this.end('szk has ended'));
  }

  static async start(options: StartOptions = {}): Promise<Stdio> {
    const { command = 'szk', cwd, env = process.env, name = 'szk for TypeScript' } = options;
    const stdio = new Stdio(spawn(command, ['mcp', '--tools', 'all'], { cwd, env, stdio: 'pipe' }));
    await stdio.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name, version: '0.1.0' },
    });
    stdio.send({ method: 'notifications/initialized' });
    return stdio;
  }

  async call(operation: string, input: object, options: CallOptions): Promise<unknown> {
    options.signal?.throwIfAborted();
    const result = await this.request('tools/call', { name: operation, arguments: input }, options);
    const failure = result._meta?.['szk/failure'];
    if (failure) throw errorOf(failure);
    if (result.isError) {
      throw new ConnectionError(result.content?.find((part) => part.text)?.text ?? 'the call failed');
    }
    return result.structuredContent;
  }

  /** Leaves: sessions that nobody else uses are saved and closed. */
  async close(): Promise<void> {
    if (this.ended) return;
    const gone = new Promise((resolve) => this.child.once('close', resolve));
    this.child.stdin.end();
    await gone;
  }

  private request(method: string, params: object, options: CallOptions = {}): Promise<ToolResult> {
    const { signal, onProgress } = options;
    const id = ++this.last;
    return new Promise<ToolResult>((resolve, reject) => {
      if (this.ended) return reject(this.ended);
      const cancel = () => {
        this.waiting.delete(id);
        this.send({ method: 'notifications/cancelled', params: { requestId: id } });
        reject(signal?.reason);
      };
      const done = () => signal?.removeEventListener('abort', cancel);
      this.waiting.set(id, {
        resolve: (result) => (done(), resolve(result)),
        reject: (error) => (done(), reject(error)),
        onProgress,
      });
      signal?.addEventListener('abort', cancel, { once: true });
      const meta = onProgress ? { _meta: { progressToken: id } } : {};
      this.send({ id, method, params: { ...params, ...meta } });
    });
  }

  private send(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  private read(line: string): void {
    const message = JSON.parse(line) as Message;
    if (message.method === 'notifications/progress') {
      if (!message.params) return;
      const { progressToken, progress: done, total = done, message: text = '' } = message.params;
      this.waiting.get(progressToken)?.onProgress?.({ message: text, done, total });
      return;
    }
    if (message.method !== undefined && message.id !== undefined) {
      // Nobody is here to be asked anything.
      this.send({ id: message.id, error: { code: -32601, message: 'not supported' } });
      return;
    }
    const waiting = this.waiting.get(message.id ?? 0);
    if (!waiting) return;
    this.waiting.delete(message.id ?? 0);
    if (message.error) waiting.reject(new ConnectionError(message.error.message));
    else waiting.resolve(message.result ?? {});
  }

  private end(why: string): void {
    this.ended ??= new ConnectionError(why);
    for (const { reject } of this.waiting.values()) reject(this.ended);
    this.waiting.clear();
  }
}
