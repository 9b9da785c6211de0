// The conformance suite of MCP. It imports `globSync` for a command that is not used here, and which Node.js
// has from 22 on: elsewhere that name is given to it.
import { register } from 'node:module';

const FS = 'export * from "node:fs"; export { default } from "node:fs"; export const globSync = undefined;';
const HOOKS = `export function resolve(name, context, next) {
  const outside = !context.parentURL?.startsWith('data:');
  if (name !== 'fs' || !outside) return next(name, context);
  return { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(FS)}`)}, shortCircuit: true };
}`;
if (Number(process.versions.node.split('.')[0]) < 22) {
  register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
}
await import('./node_modules/@modelcontextprotocol/conformance/dist/index.js');
