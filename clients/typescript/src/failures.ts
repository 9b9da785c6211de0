import { SzkError, type Failure } from './error.js';
import { ERRORS } from './operations.js';

/** The failure as the error of its own class. */
export function errorOf(failure: Failure): SzkError {
  const Kind = ERRORS[failure.code] ?? SzkError;
  return new Kind(failure);
}
