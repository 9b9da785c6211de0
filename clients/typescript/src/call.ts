/** How far a call is. */
export interface Progress {
  /** What it does now. */
  message: string;
  /** Steps done. */
  done: number;
  /** Steps in all. */
  total: number;
}

/** What any call takes besides its input. */
export interface CallOptions {
  /** Cancels the call when it aborts; the promise is rejected with its reason. */
  signal?: AbortSignal;
  /** Is called with each report of progress. */
  onProgress?: (progress: Progress) => void;
}

/** Carries calls to szk. */
export interface Transport {
  call(operation: string, input: object, options: CallOptions): Promise<unknown>;
  close(): Promise<void>;
}
