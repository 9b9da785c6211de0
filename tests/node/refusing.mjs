// A Chromium that refuses one command, the nth of its name with a text in it:
// `SZK_TEST_REFUSE="Method nth text"`. It is the real one, behind its own pipe. How it ended after it
// refused, and the steps that led there, are written to the file `SZK_TEST_ENDED`.
import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream, writeFileSync } from 'node:fs';

const [method, nth, text] = process.env.SZK_TEST_REFUSE.split(' ');
const chromium = spawn(process.env.SZK_TEST_CHROMIUM, process.argv.slice(2), {
  stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'],
});
let refused = false;
const steps = [];
// Chromium gets it, too, and ends by it; this process tells of it before it goes.
process.on('SIGINT', () => steps.push('interrupted'));
chromium.on('exit', (code, signal) => {
  if (refused) writeFileSync(process.env.SZK_TEST_ENDED, JSON.stringify({ code, signal, steps }));
  process.exit(code ?? 1);
});

if (!process.argv.includes('--version')) {
  const replies = createWriteStream(null, { fd: 4 });
  chromium.stdio[4].on('data', (bytes) => replies.write(bytes));
  let rest = '';
  let seen = 0;
  const commands = createReadStream(null, { fd: 3 });
  commands.setEncoding('utf8');
  commands.on('data', (more) => {
    const messages = (rest + more).split('\0');
    rest = messages.pop();
    for (const message of messages) {
      const command = JSON.parse(message);
      if (command.method === method && message.includes(text) && ++seen === Number(nth)) {
        refused = true;
        const error = { code: -32000, message: 'not today' };
        replies.write(JSON.stringify({ id: command.id, sessionId: command.sessionId, error }) + '\0');
      } else {
        if (command.method === 'Browser.close') steps.push('asked');
        chromium.stdio[3].write(message + '\0');
      }
    }
  });
  commands.on('end', () => {
    steps.push('pipe closed');
    chromium.stdio[3].end();
  });
}
