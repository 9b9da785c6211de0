// The official MCP SDK with a person to ask: arguments are the program, how the client asks (`form` or
// `none`), and a page. The person says yes, no, and yes when it is too late. Prints all answers.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [program, way, url] = process.argv.slice(2);
const capabilities = way === 'none' ? {} : { elicitation: { [way]: {} } };
const client = new Client({ name: 'e2e', version: '0' }, { capabilities });
const asked = [];
const answers = ['accept', 'decline', 'accept'];
const call = async (name, args) => {
  const { isError, structuredContent, content } = await client.callTool({ name, arguments: { session: 'work', ...args } });
  return { isError: isError ?? false, data: structuredContent ?? null, text: content[0].text };
};
if (way !== 'none') {
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params.message);
    const action = answers[asked.length - 1];
    // While the person thinks, the page becomes another one.
    if (asked.length === 3) await call('browser_navigate', { url: `${url}?other` });
    return action === 'accept' ? { action, content: {} } : { action };
  });
}
await client.connect(new StdioClientTransport({ command: program, args: ['mcp'], env: process.env, cwd: process.cwd() }));
await call('session_open', {});
const looked = await call('browser_navigate', { url });
const run = () => call('browser_run_code', { code: 'document.title', world: 'isolated' });
const results = [await run(), await run(), await run()];
const batch = await call('browser_batch', { steps: [
  { tool: 'browser_find', input: { text: 'a' } },
  { tool: 'browser_run_code', input: { code: '1 + 1' } },
] });
await client.close();
console.log(JSON.stringify({ asked, looked, results, batch }));
