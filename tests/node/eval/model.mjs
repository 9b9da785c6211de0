// A model without a model: an endpoint of chat completions that plays the known solution of each task. It
// reads nothing but what the prompt shows, as the player of scripts/tasks does: a ref that no message held, or
// a name that neither a message nor the task holds, ends the task as not done.
import { createServer } from 'node:http';
import { Player } from '../tasks/player.mjs';

const MARK = /<page-([0-9a-f]{24})>/;

/**
 * Serves the solutions of `tasks` on the loopback interface: `url` is its base URL, `close` ends it. `count` says
 * how many tokens a text has; pictures are not counted.
 */
export async function serveModel(tasks, count) {
  const conversations = new Map();
  const server = createServer(async (request, response) => {
    const asked = JSON.parse(await body(request));
    let answer;
    try {
      answer = await answered(asked);
    } catch (error) {
      response.writeHead(400, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ error: { message: error.message } }));
    }
    const read = JSON.stringify([asked.messages, asked.tools]).replace(/data:image[^"]*/g, '');
    const usage = { prompt_tokens: count(read), completion_tokens: count(JSON.stringify(answer)) };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message: answer, finish_reason: 'stop' }], usage }));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close: () => new Promise((done) => { server.close(done); server.closeAllConnections(); }),
  };

  // The marks around what pages say are of one run only, so they tell conversations apart.
  async function answered({ messages, tools, response_format: format }) {
    const mark = messages.map(({ content }) => String(content).match(MARK)?.[1]).find(Boolean);
    // It knows one way only.
    if (!tools && !format) return { role: 'assistant', content: 'NONE' };
    if (!tools) {
      // The judge: the same script, which knows only whether it came to its end, and nothing of what was replayed.
      const done = conversations.get(mark)?.succeeded ?? null;
      const why = done === null ? 'the script was not played' : done ? 'the script came to its end' : 'the script did not come to its end';
      return { role: 'assistant', content: JSON.stringify({ done, why }) };
    }
    if (!conversations.has(mark)) conversations.set(mark, new Conversation(taskOf(messages), tools));
    return conversations.get(mark).next(messages);
  }

  function taskOf(messages) {
    const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => content).find((content) => content.startsWith('Task: '));
    const task = tasks.find(({ words }) => asked?.split('\n')[0] === `Task: ${words}`);
    if (!task) throw new Error('this model has no script for that task');
    return task;
  }
}

/** One run: the script goes as far as its next call, whose outcome comes with the next request. */
class Conversation {
  constructor(task, tools) {
    this.task = task;
    this.code = tools.some((tool) => tool.function.name === 'run_code');
    this.waiting = undefined;
    this.calls = 0;
  }

  /** The answer to a prompt. */
  next(messages) {
    const turn = new Promise((speak) => { this.speak = speak; });
    if (this.waiting) this.waiting(told(messages));
    // Before its first answer the page comes last; the words of the task are known anyway.
    else this.play(messages.at(-1).content, messages.map(({ content }) => String(content)).join('\n'));
    return turn;
  }

  async play(page, before) {
    const player = new Player(new Turns(this, page), this.task.words, { turn: 0 });
    let end;
    try {
      if (before.includes('has replayed all of the recipe')) throw new Error('the script cannot see whether that was all');
      await player.open();
      // It does not know how far a recipe came that stopped.
      if (before.includes('has replayed a recipe of this task')) await player.anew();
      await this.task.play(player);
      end = { success: true, text: this.task.answer?.(player) ?? 'The script came to its end.' };
    } catch (error) {
      end = { success: false, text: error.message };
    }
    this.succeeded = end.success;
    this.say([['done', end]]);
  }

  say(calls) {
    this.speak({
      role: 'assistant',
      content: null,
      tool_calls: calls.map(([name, input]) => ({ id: `call_${this.calls += 1}`, type: 'function', function: { name, arguments: JSON.stringify(input) } })),
    });
  }

  /** Calls tools, and returns what came of it. */
  async call(...calls) {
    const outcome = new Promise((done) => { this.waiting = done; });
    this.say(calls);
    return outcome;
  }
}

/** A driver of the player: its calls are the model's. */
class Turns {
  constructor(conversation, page) {
    this.conversation = conversation;
    this.page = page;
  }

  async open() {
    this.record('', this.page, 0);
  }

  /** Loads the page anew. */
  async anew() {
    await this.#call(['browser_navigate', { history: 'reload' }]);
  }

  async do(steps) {
    const acts = steps.map(input);
    if (this.conversation.code && acts.length > 1) await this.#call(['run_code', { code: `({ acts: ${JSON.stringify(acts)} })` }]);
    else await this.#call(...acts.map((act) => ['browser_act', act]));
  }

  async look({ boxes, full, scope }) {
    await this.#call(['browser_snapshot', { ...(boxes && { boxes }), ...(full && { mode: 'full' }), ...(scope && { scope }) }]);
  }

  async find(text) {
    await this.#call(['browser_find', { text }]);
  }

  async login(secret, username) {
    await this.#call(['workflow_login', { secret, username }]);
  }

  ref(line) {
    return line.match(/\[(e\d+)\]/)?.[1];
  }

  refs(text) {
    return new Set(text.match(/\be\d+\b/g));
  }

  async #call(...calls) {
    this.record(JSON.stringify(calls), await this.conversation.call(...calls), 0);
  }
}

// A step as the fields of `browser_act`.
function input({ target, to, kind, path, count, ...rest }) {
  const at = target === undefined ? {} : typeof target === 'string' ? { ref: target } : target;
  const end = to === undefined ? {} : { to: typeof to === 'object' ? `${to.x},${to.y}` : to };
  return { kind, ...at, ...end, ...(path && { paths: [path] }), ...(count > 1 && { count }), ...rest };
}

/** What szk has said since the model last spoke. */
function told(messages) {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.slice(last + 1).map(({ content }) => (Array.isArray(content) ? content.map(({ text }) => text ?? '').join('\n') : content)).join('\n');
}

async function body(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}
