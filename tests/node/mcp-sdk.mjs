// The official MCP SDK against `szk mcp`: arguments are the program and a page to go to.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [program, url] = process.argv.slice(2);
const client = new Client({ name: 'e2e', version: '0' });
await client.connect(new StdioClientTransport({ command: program, args: ['mcp'], env: process.env, cwd: process.cwd() }));
const { tools } = await client.listTools();

let progress = 0;
const call = (name, args) => client.callTool({ name, arguments: args }, undefined, { onprogress: () => progress++ });
await call('session_open', { session: 'work' });
await call('browser_navigate', { session: 'work', url });
const read = await call('browser_run_code', { session: 'work', code: 'document.title' });
const failure = await call('session_open', { session: '..' });
await client.close();

console.log(JSON.stringify({
  server: client.getServerVersion().name,
  tools: tools.length,
  title: read.structuredContent.value,
  failed: failure.isError,
  progress,
}));
