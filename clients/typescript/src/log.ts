import { appendFile } from 'node:fs/promises';
import type { CallOptions, Transport } from './call.js';
import { SzkError } from './error.js';

/** Writes a line of JSON per call: when, which, in which session, how long, what came of it. What was
 * typed or read is not in it. */
export class Logged implements Transport {
  private written: Promise<void> = Promise.resolve();

  constructor(private readonly inner: Transport, private readonly file: string) {}

  async call(operation: string, input: object, options: CallOptions): Promise<unknown> {
    const began = new Date();
    let code = 'OK';
    try {
      return await this.inner.call(operation, input, options);
    } catch (error) {
      code = error instanceof SzkError ? error.code : 'CANCELLED';
      throw error;
    } finally {
      const { session, tab } = input as { session?: string; tab?: string };
      const ms = Date.now() - began.getTime();
      const line = JSON.stringify({ time: began.toISOString(), operation, session, tab, ms, code });
      this.written = this.written.then(() => appendFile(this.file, `${line}\n`, { mode: 0o600 }));
      await this.written;
    }
  }

  async close(): Promise<void> {
    await this.inner.close();
    await this.written;
  }
}
