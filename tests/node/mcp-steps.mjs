// The official MCP SDK with a person who answers by heart: arguments are the program, a list of calls
// `[tool, arguments]`, and a list of answers (`accept`, `decline`). Prints what was asked and all results;
// each result says how many questions it took.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [program, calls, answers] = process.argv.slice(2).map((arg, at) => (at ? JSON.parse(arg) : arg));
const client = new Client({ name: 'e2e', version: '0' }, { capabilities: { elicitation: { form: {} } } });
const asked = [];
client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
  asked.push(params.message);
  const action = answers[asked.length - 1] ?? 'decline';
  return action === 'accept' ? { action, content: {} } : { action };
});
await client.connect(new StdioClientTransport({ command: program, args: ['mcp', '--tools', 'all'], env: process.env, cwd: process.cwd() }));
const results = [];
for (const [name, args] of calls) {
  const before = asked.length;
  const { isError, structuredContent, content } = await client.callTool({ name, arguments: args });
  results.push({ name, isError: isError ?? false, data: structuredContent ?? null, text: content[0].text, asked: asked.slice(before) });
}
await client.close();
console.log(JSON.stringify({ asked, results }));
