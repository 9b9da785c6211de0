/** What szk says of a call that failed. */
export interface Failure {
  code: string;
  message: string;
  hint?: string;
  retryable: boolean;
  effect: 'none' | 'done' | 'unknown';
}

/** A failed call. Each code has a class of its own, such as `SessionBusyError`. */
export class SzkError extends Error {
  /** Which kind of failure. */
  readonly code: string;
  /** The next step. */
  readonly hint: string | undefined;
  /** Whether the same call may succeed if it is repeated. */
  readonly retryable: boolean;
  /** Whether anything was done before it failed. */
  readonly effect: 'none' | 'done' | 'unknown';

  constructor(failure: Failure) {
    super(failure.hint ? `${failure.message} (${failure.hint})` : failure.message);
    this.name = new.target.name;
    this.code = failure.code;
    this.hint = failure.hint;
    this.retryable = failure.retryable;
    this.effect = failure.effect;
  }
}

/** szk itself is gone, or did not answer as it should; what became of the call is unknown. */
export class ConnectionError extends SzkError {
  constructor(message: string) {
    super({ code: 'INTERNAL', message, retryable: false, effect: 'unknown' });
  }
}
