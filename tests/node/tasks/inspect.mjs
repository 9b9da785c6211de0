// What there is to work with on a page, seen from outside of szk: listeners, roles, tabindex, native controls,
// and where a press lands. Over a CDP connection of its own.
import WebSocket from 'ws';

const PRESSES = new Set(['click', 'dblclick', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart', 'contextmenu', 'dragstart']);
const ROLES = new Set(('button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option slider spinbutton textbox '
  + 'searchbox combobox treeitem').split(' '));
const TAGS = new Set(['BUTTON', 'INPUT', 'SELECT', 'TEXTAREA', 'SUMMARY']);
const LIMIT_MS = 10_000;

// Whether a press in the middle of the element reaches it, and whether one in the middle of something shown does.
const LOOK = `function (points) {
  const { x, y, width, height } = this.getBoundingClientRect();
  const at = { x: x + width / 2, y: y + height / 2 };
  if (width < 3 || height < 3 || at.x < 0 || at.y < 0 || at.x >= innerWidth || at.y >= innerHeight) return null;
  const root = this.getRootNode();
  const reaches = (x, y) => { const hit = root.elementFromPoint(x, y); return !!hit && (this.contains(hit) || this.control === hit) };
  if (!reaches(at.x, at.y)) return null;
  const words = [this.localName, this.id && '#' + this.id, ...[...this.classList].map((name) => '.' + name)].filter(Boolean).join('');
  return { words: words.slice(0, 80), text: this.textContent.trim().slice(0, 30), box: [x, y, width, height].map(Math.round),
    shown: points.some(([x, y]) => reaches(x, y)), idle: this.matches(':disabled, [aria-disabled=true], :not(details) > summary') };
}`;

// The element of about this box that a press in its middle reaches.
const LANDS = `function (box) {
  const [left, top, width, height] = box;
  const [x, y] = [left + width / 2, top + height / 2];
  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return 'outside';
  let hit = document.elementFromPoint(x, y);
  while (hit?.shadowRoot) { const inner = hit.shadowRoot.elementFromPoint(x, y); if (!inner || inner === hit) break; hit = inner }
  for (let el = hit; el; el = el.parentElement ?? el.getRootNode().host) {
    const one = el.getBoundingClientRect();
    if ([one.x - left, one.y - top, one.width - width, one.height - height].every((off) => Math.abs(off) <= 3)) return 'it';
  }
  return 'other';
}`;

/** A connection to the page whose address begins with `url`; `send` and `close`. */
export async function inspect(port, url) {
  const targets = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const target = targets.find((one) => one.type === 'page' && one.url.startsWith(url));
  if (!target) throw new Error(`no page at ${url}`);
  const socket = new WebSocket(target.webSocketDebuggerUrl, { maxPayload: 1 << 28 });
  await new Promise((done, failed) => socket.once('open', done).once('error', failed));
  const waiting = new Map();
  socket.on('message', (data) => {
    const { id, result, error } = JSON.parse(data);
    waiting.get(id)?.(error ? Promise.reject(new Error(error.message)) : result);
    waiting.delete(id);
  });
  let last = 0;
  const send = (method, params = {}) => new Promise((done, failed) => {
    const id = ++last;
    waiting.set(id, done);
    setTimeout(() => { if (waiting.delete(id)) failed(new Error(`${method} is not answered`)) }, LIMIT_MS).unref();
    socket.send(JSON.stringify({ id, method, params }));
  });
  return new Inspected(send, () => socket.close());
}

class Inspected {
  constructor(send, close) {
    Object.assign(this, { send, close });
  }

  /** What can be worked, by listener, role, tabindex or tag, and is hit in its middle; not in frames. */
  async workable(points) {
    const { root } = await this.send('DOM.getDocument', { depth: -1, pierce: true });
    const [elements, trees] = [new Map(), [root.backendNodeId]];
    const visit = (node) => {
      const attributes = Object.fromEntries((node.attributes ?? []).flatMap((one, n, all) => (n % 2 ? [] : [[one, all[n + 1]]])));
      const why = [
        ROLES.has(attributes.role?.split(' ')[0]) && `role ${attributes.role}`,
        +attributes.tabindex >= 0 && 'tabindex',
        (TAGS.has(node.nodeName) && attributes.type !== 'hidden' || node.nodeName === 'A' && 'href' in attributes) && 'control',
        ['', 'true', 'plaintext-only'].includes(attributes.contenteditable) && 'editable',
        attributes.draggable === 'true' && 'draggable',
      ].filter(Boolean);
      if (why.length) elements.set(node.backendNodeId, why);
      for (const tree of node.shadowRoots ?? []) {
        // The browser's own controls are drawn in trees of theirs.
        if (tree.shadowRootType === 'user-agent') continue;
        trees.push(tree.backendNodeId);
        visit(tree);
      }
      for (const child of node.children ?? []) visit(child);
    };
    visit(root);
    for (const tree of trees) {
      const { object } = await this.send('DOM.resolveNode', { backendNodeId: tree, objectGroup: 'crawl' });
      const { listeners } = await this.send('DOMDebugger.getEventListeners', { objectId: object.objectId, depth: -1 });
      for (const { type, backendNodeId } of listeners) {
        if (!PRESSES.has(type) || !backendNodeId) continue;
        elements.set(backendNodeId, [...(elements.get(backendNodeId) ?? []), type]);
      }
    }
    const found = [];
    for (const [backendNodeId, why] of elements) {
      const { object } = await this.send('DOM.resolveNode', { backendNodeId, objectGroup: 'crawl' });
      if (!/^(html|body|#document)/i.test(object.description)) {
        const look = await this.#call(object.objectId, LOOK, [{ value: points }]).catch(() => null);
        if (look) found.push({ ...look, node: backendNodeId, why: [...new Set(why)].join(', ') });
      }
    }
    await this.send('Runtime.releaseObjectGroup', { objectGroup: 'crawl' });
    return found;
  }

  /** What Chromium calls an element, else the beginning of its text. */
  async name({ node, text }) {
    const { nodes } = await this.send('Accessibility.getPartialAXTree', { backendNodeId: node, fetchRelatives: false });
    const name = nodes[0]?.ignored ? '' : nodes[0]?.name?.value ?? '';
    return (name.trim() || text).replace(/\s+/g, ' ');
  }

  /** Whether a press in the middle of a box lands on an element of that box: `it`, `other` or `outside`. */
  async lands(box) {
    const { result } = await this.send('Runtime.evaluate', { expression: 'globalThis', objectGroup: 'crawl' });
    return this.#call(result.objectId, LANDS, [{ value: box }]);
  }

  async #call(objectId, functionDeclaration, args) {
    const answer = await this.send('Runtime.callFunctionOn', { objectId, functionDeclaration, arguments: args, returnByValue: true });
    return answer.result.value;
  }
}
