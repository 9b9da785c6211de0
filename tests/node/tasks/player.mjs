// The scripted player. It may use only what a tool's answers have shown, and the words of the task: a ref
// that no answer held, or a name that neither an answer nor the words hold, fails the task.

// How long the player thinks before each call but the first; not counted as a call's time.
const TURN_MS = 300;

/** What one task's play costs, and what it has been shown. */
export class Player {
  /** `driver` is a tool; `words` are the task; `turn` is how long it thinks before a call. */
  constructor(driver, words, { turn = TURN_MS } = {}) {
    this.driver = driver;
    this.turn = turn;
    this.words = words;
    this.answers = [];
    this.calls = [];
  }

  get characters() {
    return this.answers.reduce((sum, answer) => sum + answer.length, 0);
  }

  get milliseconds() {
    return this.calls.map(({ ms }) => ms);
  }

  /** Goes to the page and reads it, in as few calls as the tool needs. */
  open(url) {
    return this.#run(() => this.driver.open(url));
  }

  /** Begins again on a page that somebody has worked in, where the tool can. */
  anew() {
    return this.#run(() => this.driver.anew());
  }

  /** Takes these steps in as few calls as the tool needs. The answer says what they caused. */
  do(...steps) {
    for (const step of steps) for (const target of [step.target, step.to]) this.#allow(target);
    return this.#run(() => this.driver.do(steps));
  }

  /** Reads the page again; `boxes` with where everything is. */
  look(options = {}) {
    return this.#run(() => this.driver.look(options));
  }

  /** The ref of a text that stands in the page; a call only where no answer has shown a ref for it. */
  async find(text) {
    const named = new RegExp(`"${text}"|: ${text}$`);
    if (!this.#lines(named, true).length) await this.#run(() => this.driver.find(text));
    return this.see(new RegExp(text));
  }

  /** Signs in with a secret that the tool knows by name. */
  login(secret, username) {
    return this.#run(() => this.driver.login(secret, username));
  }

  /** The ref in the newest line that matches; `nth` counts the lines of one answer. */
  see(pattern, nth = 0) {
    const line = this.line(pattern, nth, true);
    return this.driver.ref(line);
  }

  /** All refs of the newest answer that has matching lines. */
  seeAll(pattern) {
    return this.#lines(pattern, true).map((line) => this.driver.ref(line));
  }

  /** The newest line that matches. */
  line(pattern, nth = 0, ref = false) {
    const found = this.#lines(pattern, ref).at(nth);
    if (found === undefined) throw new Error(`no answer shows ${pattern}${nth ? ` (${nth})` : ''}`);
    return found;
  }

  /** Whether any answer shows it. */
  has(pattern) {
    return this.answers.some((answer) => pattern.test(answer));
  }

  #lines(pattern, ref) {
    for (const answer of this.answers.toReversed()) {
      // A line that is gone shows nothing to act on.
      const lines = answer.split('\n').filter((line) => !/^- -|^-{1}\s*gone/.test(line));
      const found = lines.filter((line) => pattern.test(line) && (!ref || this.driver.ref(line)));
      if (found.length) return found;
    }
    return [];
  }

  #allow(target) {
    if (target === undefined) return;
    if (typeof target === 'string') {
      if (!this.answers.some((answer) => this.driver.refs(answer).has(target))) throw new Error(`${target} was never shown`);
    } else if (target.name !== undefined) {
      const known = [this.words, ...this.answers].some((text) => text.includes(target.name));
      if (!known) throw new Error(`the name ${JSON.stringify(target.name)} was never shown`);
    }
  }

  async #run(work) {
    // A model takes far longer between two calls.
    if (this.calls.length) await new Promise((done) => setTimeout(done, this.turn));
    this.driver.record = (request, answer, ms) => {
      this.calls.push({ request, ms });
      this.answers.push(answer);
    };
    await work();
    return this.answers.at(-1);
  }
}

// Steps. A target is a ref, `{ name, role? }` as shown, or `{ x, y }`.
export const click = (target, more = {}) => ({ kind: 'click', target, ...more });
export const fill = (target, text) => ({ kind: 'fill', target, text });
export const type = (target, text) => ({ kind: 'type', target, text });
export const press = (key, target, count = 1) => ({ kind: 'press', key, target, count });
export const hover = (target) => ({ kind: 'hover', target });
export const drag = (target, to, more = {}) => ({ kind: 'drag', target, to, ...more });
export const select = (target, ...values) => ({ kind: 'select', target, values });
export const check = (target) => ({ kind: 'check', target });
export const uncheck = (target) => ({ kind: 'uncheck', target });
export const wait = (text) => ({ kind: 'wait', text });
export const scroll = (target, more) => ({ kind: 'scroll', target, ...more });
export const upload = (target, path) => ({ kind: 'upload', target, path });
