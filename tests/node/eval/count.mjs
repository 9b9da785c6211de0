// Tokens of a text, by the tokenizer of the pages' libraries; four bytes each where it is not installed.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A function that counts. */
export async function counter(libraries) {
  if (!libraries) return (text) => Math.ceil(Buffer.byteLength(text) / 4);
  const library = createRequire(join(libraries, 'package.json'));
  const { encode } = await import(pathToFileURL(library.resolve('gpt-tokenizer/encoding/o200k_base')));
  return (text) => encode(text).length;
}
