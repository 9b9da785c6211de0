import type { CallOptions, Transport } from './call.js';
import { Http, type HttpOptions } from './http.js';
import { Logged } from './log.js';
import { Operations } from './operations.js';
import { Stdio, type StartOptions } from './stdio.js';

export * from './call.js';
export * from './error.js';
export * from './operations.js';
export type { HttpOptions, StartOptions };

/** Where calls are logged, if anywhere. */
export interface LogOptions {
  /** A file that gets a line of JSON per call. */
  log?: string;
}

/** szk, with every operation as a typed method. */
export class Szk extends Operations {
  private constructor(private readonly transport: Transport) {
    super();
  }

  /** Starts `szk mcp` on this machine. Close it when you are done. */
  static async start(options: StartOptions & LogOptions = {}): Promise<Szk> {
    return Szk.over(await Stdio.start(options), options);
  }

  /** Uses a running `szk serve`. */
  static http(url: string | URL, options: HttpOptions & LogOptions): Szk {
    return Szk.over(new Http(url, options), options);
  }

  private static over(transport: Transport, { log }: LogOptions): Szk {
    return new Szk(log ? new Logged(transport, log) : transport);
  }

  override async call<T>(operation: string, input: object, options: CallOptions = {}): Promise<T> {
    return (await this.transport.call(operation, input, options)) as T;
  }

  /** Leaves szk. */
  async close(): Promise<void> {
    await this.transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
