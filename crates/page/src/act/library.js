// What acts need to know of a document. Evaluated in an isolated world: an object of functions that
// nothing in the page can reach. Elements are named by numbers, which are good for one act.
(() => {
  const held = [];
  const hold = (el) => {
    if (held.includes(el)) return held.indexOf(el);
    for (let tree = root(el); tree; tree = root(tree.host)) sealed.set(tree.host, tree);
    return held.push(el) - 1;
  };
  // Closed trees that are known, by what they are in.
  const sealed = new WeakMap();

  // A hidden tab has no frames.
  const frame = () => new Promise((resolve) => {
    const late = setTimeout(resolve, 100);
    requestAnimationFrame(() => { clearTimeout(late); resolve(); });
  });
  // The time of the frame that is drawn: two looks in one frame see the same, whatever moves.
  const drawn = () => document.timeline.currentTime ?? 0;
  const nextFrame = async (after, end) => {
    do await frame(); while (drawn() === after && !document.hidden && performance.now() < end);
  };
  const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

  const root = (node) => { const top = node.getRootNode(); return top instanceof ShadowRoot ? top : null; };
  const parent = (node) => node.assignedSlot || node.parentElement || root(node)?.host || null;
  const within = (node, el) => {
    for (let at = node; at; at = parent(at)) if (at === el) return true;
    return false;
  };
  const closest = (node, test) => {
    for (let at = node; at; at = parent(at)) if (test(at)) return at;
    return null;
  };

  // Also in open shadow roots. The ones below `scope` only, if it is given.
  const all = (scope, selector) => {
    const found = [];
    const search = (tree) => {
      found.push(...tree.querySelectorAll(selector));
      for (const el of tree.querySelectorAll('*')) if (el.shadowRoot) search(el.shadowRoot);
    };
    if (scope.shadowRoot) search(scope.shadowRoot);
    search(scope);
    return found;
  };

  const short = (text, most = 60) => {
    const line = String(text).replace(/\s+/g, ' ').trim();
    return line.length > most ? line.slice(0, most - 1) + '…' : line;
  };
  // Names are the page's: they can neither close their quotes nor hide what they say.
  const visible = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
  const name = (el) => {
    const named = (el.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean)
      .map((id) => (root(el) || document).getElementById(id)?.textContent).filter(Boolean).join(' ');
    const own = el instanceof HTMLInputElement || el instanceof HTMLSelectElement || el instanceof HTMLTextAreaElement
      ? [...(el.labels || [])].map((label) => label.textContent).join(' ')
        || el.placeholder || (/^(submit|button|reset)$/.test(el.type) ? el.value : '')
      : el.alt || el.innerText || el.textContent;
    return visible(short(el.getAttribute('aria-label') || named || own || el.title || ''));
  };
  const describe = (el) => {
    const id = el.id ? '#' + el.id : '';
    const classes = id ? '' : [...el.classList].slice(0, 2).map((word) => '.' + word).join('');
    const text = name(el).replace(/["\\]/g, '\\$&');
    const tag = short(el.localName + id + classes).replace(/[^\p{L}\p{N}_:.#-]/gu, '_');
    return `<${tag}>` + (text ? ` "${text}"` : '');
  };

  const view = () => ({ x: 0, y: 0, width: innerWidth, height: innerHeight });
  const overlap = (a, b) => {
    const x = Math.max(a.x, b.x), y = Math.max(a.y, b.y);
    return { x, y, width: Math.min(a.x + a.width, b.x + b.width) - x, height: Math.min(a.y + a.height, b.y + b.height) - y };
  };
  const area = (box) => Math.max(0, box.width) * Math.max(0, box.height);
  // A link that is broken over two lines has two boxes, and nothing in the middle of both.
  const box = (el) => {
    let rects = [...el.getClientRects()];
    if (!rects.length && getComputedStyle(el).display === 'contents') {
      const range = document.createRange();
      range.selectNodeContents(el);
      rects = [...range.getClientRects()];
    }
    const best = rects.sort((a, b) => area(overlap(b, view())) - area(overlap(a, view())) || area(b) - area(a))[0];
    return best ? { x: best.x, y: best.y, width: best.width, height: best.height } : { x: 0, y: 0, width: 0, height: 0 };
  };

  // What is on top at a point: through open roots, and through the closed ones that `el` is in.
  const top = (el, x, y) => {
    let hit = document.elementFromPoint(x, y);
    const roots = [];
    for (let tree = root(el); tree; tree = root(tree.host)) roots.unshift(tree);
    for (;;) {
      const tree = hit && (hit.shadowRoot || roots.find((known) => known.host === hit));
      const inner = tree && tree.elementFromPoint(x, y);
      if (!inner || inner === hit) {
        // Text that is put into a slot is nobody's but the host's: what it is drawn in is next.
        return (tree && tree.elementsFromPoint(x, y).find((at) => at.getRootNode() === tree)) || hit;
      }
      hit = inner;
    }
  };
  const reaches = (el, hit) => {
    if (!hit) return false;
    if (within(hit, el)) return true;
    if (hit.closest('label')?.control === el) return true;
    return getComputedStyle(el).pointerEvents === 'none' && within(el, hit);
  };
  const SPOTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.15, 0.15], [0.85, 0.85]];
  const aim = (el, place, at) => {
    const seen = overlap(place, view());
    if (seen.width <= 0 || seen.height <= 0) return { point: null, cover: null };
    const spots = at ? [[(at.x - seen.x) / seen.width, (at.y - seen.y) / seen.height]] : SPOTS;
    let cover = null, first = null;
    for (const [across, down] of spots) {
      const point = { x: seen.x + seen.width * across, y: seen.y + seen.height * down };
      const hit = top(el, point.x, point.y);
      if (reaches(el, hit)) return { point, cover: null };
      cover ??= hit ? describe(hit) : 'nothing';
      first ??= point;
    }
    return { point: first, cover };
  };

  // Properties whose animation leaves a box where it is.
  const PAINT = /^(opacity|.*[cC]olor|background.*|boxShadow|textShadow|filter|backdropFilter|outline.*|textDecoration.*|visibility|cursor|fill.*|stroke.*|mask.*|scale|perspective|borderRadius|border.*Radius|--.*|offset|computedOffset|easing|composite)$/;
  // How far keyframes carry a box, in pixels.
  const carry = (frames, key) => {
    try {
      const places = frames.map((one) => new DOMMatrix(one[key] === 'none' ? '' : key === 'translate' ? `translate(${one[key].trim().replace(/ +/g, ', ')})` : one[key]));
      return Math.max(...['e', 'f'].map((side) => Math.max(...places.map((at) => at[side])) - Math.min(...places.map((at) => at[side]))));
    } catch {
      return Infinity;
    }
  };
  // Whether an animation that is soon over carries the element, or something around it, elsewhere.
  const carried = (el, place) => {
    const room = Math.min(place.width, place.height) / 4;
    const far = ({ effect, playState, currentTime, playbackRate }) => {
      const timing = effect?.target && playState === 'running' && within(el, effect.target) && !effect.pseudoElement && effect.getComputedTiming();
      const left = timing ? (timing.endTime - currentTime) / Math.abs(playbackRate || 1) : 0;
      if (!(left > 0 && left < 5000)) return false;
      const frames = effect.getKeyframes();
      const keys = new Set(frames.flatMap(Object.keys));
      return [...keys].some((key) => !PAINT.test(key) && (!/^(transform|translate)$/.test(key) || carry(frames, key) > room));
    };
    for (let tree = root(el) || document; tree; tree = tree === document ? null : root(tree.host) || document) {
      if (tree.getAnimations().some(far)) return true;
    }
    return false;
  };

  const TEXT = /^(text|search|tel|url|email|password|number|date|time|datetime-local|month|week)$/;
  const sort = (el) => {
    if (el instanceof HTMLSelectElement) return 'select';
    if (el instanceof HTMLTextAreaElement) return 'text';
    if (el instanceof HTMLInputElement) return TEXT.test(el.type) ? 'text' : el.type;
    return el.isContentEditable ? 'editable' : 'other';
  };
  const checked = (el) => {
    if (el instanceof HTMLInputElement && /^(checkbox|radio)$/.test(el.type)) return el.checked;
    const said = el.getAttribute('aria-checked') ?? el.getAttribute('aria-pressed');
    return said === null ? null : said === 'true';
  };
  const active = () => {
    let at = document.activeElement;
    for (let next = at; next; next = (at.shadowRoot || sealed.get(at))?.activeElement) at = next;
    return at;
  };
  // The element that is edited as a whole when something in it is.
  const host = (el) => {
    let top = el;
    while (top.parentElement?.isContentEditable) top = top.parentElement;
    return top;
  };
  // Whether what is typed goes into an editable element: a document whose body has the focus may have no caret.
  const caret = (el, focus) => {
    const editing = host(el);
    if (document.designMode !== 'on' && focus !== editing && root(el)?.activeElement !== editing) return false;
    const { anchorNode } = getSelection();
    return !!root(el) || (!!anchorNode && within(anchorNode, el));
  };
  const look = (id, at) => {
    const el = held[id];
    if (!el.isConnected) return { connected: false };
    const place = box(el);
    const focus = active();
    return {
      connected: true,
      visible: el.checkVisibility({ visibilityProperty: true }) && area(place) > 0,
      enabled: !el.matches(':disabled') && !closest(el, (at) => at.getAttribute('aria-disabled') === 'true'),
      sort: sort(el), kind: el.type || '', multiple: !!el.multiple, editable: !el.readOnly,
      checked: checked(el), name: describe(el), empty: !(el.value ?? el.textContent),
      focused: document.hasFocus() && (el.isContentEditable ? caret(el, focus) : focus === el || root(el)?.activeElement === el),
      frame: el instanceof HTMLIFrameElement || el instanceof HTMLFrameElement,
      hidden: document.hidden, attended: document.hasFocus(), box: place, view: view(), carried: carried(el, place), drawn: drawn(), ...aim(el, place, at),
    };
  };
  const same = (a, b) => a.connected && b.connected
    && ['x', 'y', 'width', 'height'].every((side) => Math.abs(a.box[side] - b.box[side]) < 0.5);

  const pointer = { at: null, note: (event) => { pointer.at = { x: event.clientX, y: event.clientY }; } };

  // What changes while an act goes on.
  const EVENTS = ['input', 'change', 'toggle', 'submit', 'reset', 'scroll', 'play', 'pause', 'close', 'cancel', 'fullscreenchange', 'hashchange', 'popstate'];
  const seen = { changes: 0, inputs: 0, observer: null, focus: null, sent: false, wheel: false, links: [] };
  const noted = (event) => { seen.changes++; seen.inputs += event.type === 'input'; };
  // A form is sent a little later than it says so; by then everybody in the page has had a say.
  const sends = (event) => { seen.sent ||= !event.defaultPrevented && event.target.method !== 'dialog'; };
  // Nothing but the file itself tells of a link that is a download: whether it is one is known once
  // everybody in the page has had a say.
  const clicks = (event) => {
    const link = event.composedPath().find((el) => el instanceof Element && el.matches('a[href][download], area[href][download]'));
    if (link && seen.links.length < 20) seen.links.push({ event, link });
  };
  // What the press of an act really hits; the page gets the same event as without us.
  const press = { el: null, told: null, click: null, tell: null };
  const LIVE = 'a[href], area[href], button, input, select, textarea, label, summary, option, audio, video, iframe, object, embed, [onclick], [onmousedown], [onpointerdown], [role], [tabindex], [contenteditable]';
  const lively = (el) => !!closest(el, (at) => at.matches(LIVE)) || getComputedStyle(el).cursor === 'pointer';
  const struck = (event) => {
    const { el } = press, path = event.composedPath(), hit = path.find((at) => at instanceof Element) || document.documentElement;
    return {
      hit: !el || path.includes(el) || reaches(el, hit) || reaches(el, top(el, event.clientX, event.clientY)),
      name: describe(hit), live: lively(hit),
    };
  };
  const presses = (event) => {
    if (!event.isTrusted) return;
    press.told ??= struck(event);
    press.tell?.(press.told);
  };
  const released = (event) => { if (event.isTrusted && press.told) press.click ??= struck(event); };
  const PRESSES = ['pointerdown', 'mousedown'], RELEASES = ['click', 'auxclick', 'contextmenu'];
  const landing = () => press.told && { ...press.told, slipped: press.told.hit && press.click && !press.click.hit && press.el?.isConnected ? press.click.name : null };
  const download = ({ event, link }) => !event.defaultPrevented && (link.origin === location.origin || /^(blob|data):/.test(link.protocol));
  // A page that turns the wheel into something else, such as a map, keeps it from scrolling.
  const turned = (event) => { seen.wheel ||= event.defaultPrevented; };
  const stop = () => {
    seen.observer?.disconnect();
    seen.observer = null;
    for (const event of EVENTS) removeEventListener(event, noted, true);
    removeEventListener('submit', sends);
    removeEventListener('click', clicks, true);
    removeEventListener('wheel', turned);
    press.tell?.(null);
    for (const event of PRESSES) removeEventListener(event, presses, true);
    for (const event of RELEASES) removeEventListener(event, released, true);
  };

  const scroller = (el) => closest(el, (at) => {
    if (at === document.scrollingElement) return true;
    const style = getComputedStyle(at);
    return (at.scrollHeight > at.clientHeight && /auto|scroll/.test(style.overflowY))
      || (at.scrollWidth > at.clientWidth && /auto|scroll/.test(style.overflowX));
  }) || document.scrollingElement || document.documentElement;
  // Without an element: what a wheel in the middle of the page turns.
  const scrollee = (id) => scroller(id === null ? document.elementFromPoint(innerWidth / 2, innerHeight / 2) || document.documentElement : held[id]);
  const position = (el) => ({
    x: el.scrollLeft, y: el.scrollTop,
    right: el.scrollWidth - el.clientWidth - el.scrollLeft, down: el.scrollHeight - el.clientHeight - el.scrollTop,
  });

  const content = (el) => {
    const kind = sort(el);
    if (kind === 'select') return [...el.selectedOptions].map((option) => option.label).join(', ');
    if (kind === 'file') return [...el.files].map((file) => file.name).join(', ');
    if (kind === 'editable' || kind === 'other') return (el.innerText ?? el.textContent).replace(/\u00a0/g, ' ').replace(/\n+$/, '');
    return el.value;
  };
  const level = (text) => text.replace(/\r\n?/g, '\n').replace(/\n+/g, '\n').trim();
  const bare = (text) => text.normalize('NFKC').toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const number = (text) => (/\d/.test(text) ? Number(text.replace(/[^\d.-]/g, '')) : NaN);
  // Whether a field holds what was asked for, perhaps as the page writes it: `(123) 456`, `1,000`, other case.
  const alike = (el, value, expected) => {
    if (value === expected || level(value) === level(expected)) return true;
    if (el.type === 'password' || el instanceof HTMLTextAreaElement) return false;
    if (/^[\s\d.+-]+$/.test(expected) && number(value) === number(expected)) return true;
    const figures = /^[\s\d.+-]+$/.test(expected) && !/^\d+$/.test(expected.trim());
    return !figures && bare(expected) !== '' && bare(value) === bare(expected);
  };
  let typing = null;

  const plain = (text) => text.replace(/\s+/g, ' ').trim().toLowerCase();

  return {
    look,
    at: (id) => held[id],
    hold,
    seal(tree) {
      const known = sealed.has(tree.host);
      sealed.set(tree.host, tree);
      return !known;
    },
    forget: () => { held.length = 0; stop(); },

    find(selector, scope) {
      let found;
      try {
        found = all(scope === null ? document : held[scope], selector);
      } catch (error) {
        return { wrong: error.message };
      }
      const one = (el) => ({ count: 1, id: hold(el), look: look(hold(el), null) });
      if (found.length === 1) return one(found[0]);
      // The same again, when all but one cannot be seen.
      const shown = found.filter((el) => el.checkVisibility({ visibilityProperty: true }) && area(box(el)) > 0);
      if (shown.length === 1) return one(shown[0]);
      return { count: found.length, candidates: found.slice(0, 6).map(describe) };
    },
    size_of_view: view,
    // A point of this document, as the document in a frame counts it.
    into(id, x, y) {
      const el = held[id], rect = el.getBoundingClientRect(), style = getComputedStyle(el);
      const scale = { x: rect.width / el.offsetWidth || 1, y: rect.height / el.offsetHeight || 1 };
      return {
        x: (x - rect.x) / scale.x - el.clientLeft - (parseFloat(style.paddingLeft) || 0),
        y: (y - rect.y) / scale.y - el.clientTop - (parseFloat(style.paddingTop) || 0),
      };
    },
    under: (x, y) => {
      const hit = document.elementFromPoint(x, y);
      return { name: hit && describe(hit), view: view(), hidden: document.hidden, attended: document.hasFocus() };
    },
    label(id) {
      const label = [...(held[id].labels || [])].find((at) => area(box(at)) > 0);
      return label ? hold(label) : null;
    },
    active() {
      const el = active();
      return el && el !== document.body && el !== document.documentElement ? hold(el) : null;
    },

    // Waits until the element can be acted on, and stands still.
    async ready(id, wants, ms) {
      const end = performance.now() + ms;
      let before = look(id, null);
      for (;;) {
        await nextFrame(before.drawn, end);
        const now = look(id, null);
        const fit = now.connected && now.visible && now.enabled
          && (!wants.editable || now.editable) && (!wants.hit || (now.point && !now.cover));
        const still = same(before, now) && !now.carried;
        if ((fit && still) || !now.connected || performance.now() > end) return { ...now, moving: !still };
        before = now;
      }
    },
    async frames(count) { for (let nth = 0; nth < count; nth++) await frame(); },
    reveal(id, block) { held[id].scrollIntoView({ block, inline: 'center', behavior: 'instant' }); },

    // Notes where the pointer comes to; `came` says whether it was here, and ends that.
    follow() {
      removeEventListener('mousemove', pointer.note, true);
      pointer.at = null;
      addEventListener('mousemove', pointer.note, { capture: true, passive: true });
      return true;
    },
    async came(at, ms) {
      const end = performance.now() + ms;
      const here = () => pointer.at && Math.abs(pointer.at.x - at.x) < 3 && Math.abs(pointer.at.y - at.y) < 3;
      while (!here() && performance.now() < end) await turn();
      removeEventListener('mousemove', pointer.note, true);
      return !!here();
    },

    // Watches from now on; with an element, says how that is at a place, in a later frame than `after`.
    async watch(id, at, after) {
      if (at && drawn() === after) await nextFrame(after, performance.now() + 1000);
      stop();
      Object.assign(seen, { changes: 0, inputs: 0, sent: false, wheel: false, links: [], focus: active(), observer: new MutationObserver((list) => { seen.changes += list.length; }) });
      const what = { subtree: true, childList: true, attributes: true, characterData: true };
      seen.observer.observe(document, what);
      for (let tree = id === null ? null : root(held[id]); tree; tree = root(tree.host)) seen.observer.observe(tree, what);
      for (const event of EVENTS) addEventListener(event, noted, { capture: true, passive: true });
      addEventListener('submit', sends);
      addEventListener('click', clicks, true);
      addEventListener('wheel', turned, { passive: true });
      Object.assign(press, { el: id === null ? null : held[id], told: null, click: null, tell: null });
      for (const event of PRESSES) addEventListener(event, presses, { capture: true, passive: true });
      for (const event of RELEASES) addEventListener(event, released, { capture: true, passive: true });
      return id === null || !at ? true : look(id, at);
    },
    // Waits until nothing has changed for some turns, though not for ever: some pages never rest.
    async rest(turns, ms) {
      const end = performance.now() + ms;
      for (let quiet = 0; quiet < turns && performance.now() < end;) {
        const before = seen.changes;
        await turn();
        quiet = seen.changes === before ? quiet + 1 : 0;
      }
      const focus = active();
      return { changes: seen.changes, sent: seen.sent, downloads: seen.links.filter(download).length, focus: focus !== seen.focus && focus ? describe(focus) : null, press: landing(), url: location.href };
    },
    // What the press hits, as soon as it does: told before anything comes of it.
    struck: () => press.told ?? new Promise((resolve) => { press.tell = resolve; }),
    // What the press hit, and what has changed since it was waited for.
    landed: () => ({ press: landing(), changes: seen.changes }),
    // Whether the page has used the wheel itself.
    wheeled: () => seen.wheel,

    // What a field holds, and whether that is what it should hold.
    value(id, expected) {
      const el = held[id];
      const value = content(el);
      return {
        same: expected === null || alike(el, value, expected),
        value: el.type === 'password' ? '•'.repeat([...value].length) : value,
      };
    },
    // Keeps in mind what a field holds before something is typed into it.
    before(id) { typing = { el: held[id], value: content(held[id]) }; },
    // The same after typing: what was typed is there, or the page has taken it and put it elsewhere.
    typed(id, text) {
      const el = held[id], value = content(el), focus = active();
      const line = el instanceof HTMLInputElement;
      const there = value !== typing?.value || seen.inputs > 0;
      const taken = seen.inputs > 0 && (value === '' || !el.isConnected || !focus || !within(focus, el));
      const has = el.type === 'password' ? value.includes(text) : level(value).includes(level(text)) || (bare(text) !== '' && bare(value).includes(bare(text)));
      return {
        same: text === '' || (line && /[\r\n\t]/.test(text)) || taken || (there && has),
        value: el.type === 'password' ? '•'.repeat([...value].length) : value,
      };
    },
    // Waits until a switch is on or off: some ask their server first.
    async switched(id, on, ms) {
      const end = performance.now() + ms;
      while (held[id].isConnected && checked(held[id]) !== on && performance.now() < end) await frame();
      return !held[id].isConnected || checked(held[id]) === on;
    },
    // Selects all of what is in an element that is edited as a part of something larger.
    encompass(id) {
      const el = held[id];
      if (!el.isContentEditable || host(el) === el) return false;
      getSelection().selectAllChildren(el);
      return true;
    },

    options(id) {
      const el = held[id];
      return [...el.options].map((option) => ({
        label: option.label.trim(), value: option.value, selected: option.selected,
        disabled: option.matches(':disabled') || option.hidden || getComputedStyle(option).display === 'none', id: el.multiple || el.size > 1 ? hold(option) : 0,
      }));
    },
    // Waits until the menu of a list is open: keys before that would change the value at each step.
    async unfolded(id, ms) {
      const end = performance.now() + ms;
      while (held[id].isConnected && !held[id].matches(':open') && performance.now() < end) await frame();
      return held[id].matches(':open');
    },
    // An entry of a list that some widget shows, by its text.
    async choice(text, ms) {
      const end = performance.now() + ms;
      const wanted = plain(text);
      const kinds = ['[role=option], [role=menuitem], [role=menuitemradio], [role=treeitem]', 'li, [data-value], [data-option]'];
      for (;;) {
        const seenNow = kinds.flatMap((selector) => all(document, selector)
          .filter((el) => el.checkVisibility({ visibilityProperty: true }) && area(box(el)) > 0));
        const texts = (el) => [el.innerText || el.textContent, el.getAttribute('data-value') || '', el.getAttribute('aria-label') || ''].map(plain);
        const fit = seenNow.find((el) => texts(el).includes(wanted))
          || seenNow.find((el) => texts(el).some((own) => own.startsWith(wanted)));
        if (fit) return { id: hold(fit), options: [] };
        if (performance.now() > end) return { id: null, options: seenNow.slice(0, 12).map((el) => short(el.innerText || el.textContent, 40)) };
        await frame();
      }
    },
    // The order in which a date field takes its parts, and what they are for this value.
    date(id) {
      const el = held[id];
      const order = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: '2-digit', day: '2-digit' })
        .formatToParts(new Date(2026, 10, 21)).map((part) => part.type).filter((type) => /year|month|day/.test(type));
      const named = new Intl.DateTimeFormat(undefined, { month: 'long' });
      const months = Array.from({ length: 12 }, (_, month) => named.format(new Date(2026, month, 15)));
      const clock = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
      return { order, months, half: clock.resolvedOptions().hour12 === true, seconds: /:\d+:/.test(el.value) || (el.step !== '' && el.step < 60) };
    },
    range(id) {
      const el = held[id];
      const number = (text, otherwise) => (text === '' || isNaN(text) ? otherwise : Number(text));
      return { min: number(el.min, 0), max: number(el.max, 100), step: el.step === 'any' ? 0 : number(el.step, 1) || 1, value: Number(el.value) };
    },
    // As a script must: where no key and no click does it.
    set(id, value) {
      const el = held[id];
      el.value = value;
      for (const event of ['input', 'change']) el.dispatchEvent(new Event(event, { bubbles: true, composed: true }));
    },

    scrolled: (id) => position(scrollee(id)),
    async still(id, ms) {
      const el = scrollee(id);
      const end = performance.now() + ms;
      for (let calm = 0, before = position(el); calm < 3 && performance.now() < end;) {
        await frame();
        const now = position(el);
        calm = now.x === before.x && now.y === before.y ? calm + 1 : 0;
        before = now;
      }
      return position(el);
    },

    // Waits for a state of the page; says how it is when the time is over.
    async wait(wants, ms) {
      const end = performance.now() + ms;
      const url = () => !wants.url || location.href.includes(wants.url)
        || (wants.url.includes('*') && new RegExp('^' + wants.url.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*') + '$').test(location.href));
      const text = () => {
        if (!wants.text) return true;
        const has = plain(document.body?.innerText || '').includes(plain(wants.text));
        return wants.state === 'hidden' || wants.state === 'detached' ? !has : has;
      };
      const one = wants.id === undefined ? null : held[wants.id];
      const element = () => {
        if (!wants.selector && !one) return true;
        const found = one ? [one].filter((el) => el.isConnected) : all(wants.scope === null ? document : held[wants.scope], wants.selector);
        const shown = found.some((el) => el.checkVisibility({ visibilityProperty: true }) && area(box(el)) > 0);
        switch (wants.state) {
          case 'attached': return found.length > 0;
          case 'detached': return found.length === 0;
          case 'hidden': return !shown;
          case 'enabled': return found.some((el) => !el.matches(':disabled'));
          default: return shown;
        }
      };
      for (;;) {
        let fits;
        try { fits = url() && text() && element(); } catch (error) { return { wrong: error.message }; }
        if (fits) return { there: true, url: location.href };
        if (one && !one.isConnected) return { gone: true, url: location.href };
        if (performance.now() > end) return { there: false, url: location.href };
        await frame();
      }
    },
    async size(width, height, ms) {
      const end = performance.now() + ms;
      while ((innerWidth !== width || innerHeight !== height) && performance.now() < end) await frame();
      return { width: innerWidth, height: innerHeight };
    },
  };
})()
