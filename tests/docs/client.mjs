// Stands in for the command lines of AI clients: takes the server that it is told of (`mcp add NAME -- CMD…`
// or `--add-mcp JSON`), starts it as the client would, and ends with 0 if it answers.
import { spawn } from 'node:child_process';

const words = process.argv.slice(2);
let server;
if (words[0] === 'mcp' && words[1] === 'add' && words[3] === '--') {
  server = { name: words[2], command: words[4], args: words.slice(5) };
} else if (words[0] === '--add-mcp') {
  server = JSON.parse(words[1]);
}
if (!server?.name || !server.command) {
  console.error(`not understood: ${words.join(' ')}`);
  process.exit(2);
}

const child = spawn(server.command, server.args, { stdio: ['pipe', 'pipe', 'inherit'] });
const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'client', version: '1' } },
};
child.stdin.write(`${JSON.stringify(hello)}\n`);
let text = '';
for await (const part of child.stdout) {
  text += part;
  if (text.includes('\n')) break;
}
child.stdin.end();
const answer = JSON.parse(text.split('\n')[0]);
process.exitCode = answer.result?.serverInfo?.name ? 0 : 1;
