// The official MCP SDK with a person to ask: arguments are the program, a login page, how the client asks
// (`form`, `url` or `none`), and what the person answers.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [program, url, way, answer] = process.argv.slice(2);
const capabilities = way === 'none' ? {} : { elicitation: { [way]: {} } };
const client = new Client({ name: 'e2e', version: '0' }, { capabilities });
const asked = [];
const call = (name, args) => client.callTool({ name, arguments: args }, undefined, { timeout: 120_000 });

// The person's part, in the page itself; then they say so in the live view where the client has only opened it.
const part = async () => {
  await call('browser_act', { session: 'work', kind: 'fill', selector: '[name=code]', text: '424242' });
  await call('browser_act', { session: 'work', kind: 'click', selector: 'button' });
  if (way === 'url') await call('session_handoff', { session: 'work', end: 'done' });
};
if (way !== 'none') {
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push({ mode: params.mode ?? 'form', message: params.message, url: params.url ?? null, fields: Object.keys(params.requestedSchema?.properties ?? {}) });
    if (answer !== 'accept') return { action: answer };
    if (way === 'url') { part(); return { action: 'accept' }; }
    await part();
    return { action: 'accept', content: {} };
  });
}
await client.connect(new StdioClientTransport({ command: program, args: ['mcp'], env: process.env, cwd: process.cwd() }));
await call('session_open', { session: 'work' });
const login = await call('workflow_login', { session: 'work', url, username: 'jane@example.org', secret: 'shop' });
await client.close();
console.log(JSON.stringify({ asked, login: login.structuredContent, error: login.isError ? login.content[0].text : null }));
