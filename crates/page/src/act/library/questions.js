// What acts may ask: the object that the library is. Its helpers are in `elements.js`.

return {
  is_library: true,
  look,
  at: (id) => held[id],
  // What an element is drawn as.
  drawn_as: (id) => (held[id] instanceof HTMLAreaElement && imageOf(held[id])) || held[id],
  hold,
  // The same for what an act is about: of a text, perhaps some words only.
  adopt(el, words) { return mean(hold(saying(el, words)), words); },
  meet(el, words) { const id = mean(hold(saying(el, words)), words); return [id, look(id, null)]; },
  // The same for one that the snapshot's script knows by a number, if it is still what it was. From then on it is asked
  // again whenever that counts.
  recognize(script, known, ...words) {
    const is = () => script.is(known, ...words);
    if (!is()) return null;
    const node = script.node(known), id = mean(hold(node.nodeType === 1 ? node : node.parentElement), null);
    certain.set(id, is);
    const now = look(id, null), read = script.place(known);
    // What is where it was when it was read stands still: no further frame has to show that.
    if (read && same({ connected: true, box: read }, now)) now.drawn = read.drawn;
    return [id, now];
  },
  seal(tree) {
    const known = sealed.has(tree.host);
    sealed.set(tree.host, tree);
    return !known;
  },
  forget: () => { held.length = 0; meant.clear(); certain.clear(); shownBefore = choosing = null; stop(); for (const event of HEARD) removeEventListener(event, hears, true); },

  find(selector, scope) {
    let found;
    try {
      found = all(scope === null ? document : held[scope], selector);
    } catch (error) {
      return { wrong: error.message };
    }
    const one = (el) => ({ count: 1, id: mean(hold(el), null), look: look(hold(el), null) });
    if (found.length === 1) return one(found[0]);
    // The same again, when all but one cannot be seen.
    const shown = found.filter((el) => seeable(el) && area(box(el)) > 0);
    if (shown.length === 1) return one(shown[0]);
    return { count: found.length, candidates: found.slice(0, 6).map(describe), ids: found.slice(0, 6).map(hold) };
  },
  // How far beyond a point of one thing another of the same list has to be taken to get its place: lists make room only
  // once the pointer has crossed the middle.
  past(id, other, at) {
    const [from, to] = entries(held[id], held[other]).map(box);
    if (!to) return [0, 0];
    const dx = to.x + to.width / 2 - from.x - from.width / 2, dy = to.y + to.height / 2 - from.y - from.height / 2;
    const far = (distance, start, size, at) => {
      if (Math.abs(distance) <= size / 2) return 0;
      const way = Math.sign(distance), left = start + size / 2 + way * Math.min(size / 4, 12) - at;
      return left * way > 0 ? Math.round(left) : 0;
    };
    const same = (one, two) => Math.abs(one - two) <= Math.max(one, two) / 10;
    return [same(from.height, to.height) ? far(dx, to.x, to.width, at.x) : 0, same(from.width, to.width) ? far(dy, to.y, to.height, at.y) : 0];
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
  // What gets the pointer over an element that lets it through.
  receiver(id) {
    const place = spot(id), hit = top(held[id], place.x + place.width / 2, place.y + place.height / 2);
    return hit && within(held[id], hit) ? hold(hit) : null;
  },
  // Whether another document gets what the pointer does there.
  framed: (x, y) => /^(iframe|frame|object|embed)$/i.test(document.elementFromPoint(x, y)?.localName),
  // The element on top at a point, if there is one.
  struck_at: (x, y) => {
    const hit = document.elementFromPoint(x, y);
    return hit ? hold(top(hit, x, y) || hit) : null;
  },
  // What a press on an element, or Enter in it, does without any script: the address a form goes to, that of a
  // link. Something below the element counts as well, because the press may hit that.
  leads(id, enter) {
    const el = held[id];
    const attribute = (of, name) => Element.prototype.getAttribute.call(of, name);
    const absolute = (address) => { try { return address ? new URL(address, document.baseURI).href : location.href; } catch { return address; } };
    const sends = (at) => (at instanceof HTMLButtonElement && at.type === 'submit') || (at instanceof HTMLInputElement && /^(submit|image)$/.test(at.type));
    const link = (at) => /^(a|area)$/i.test(at.localName) && (attribute(at, 'href') ?? attribute(at, 'xlink:href')) !== null;
    const labelled = closest(el, (at) => at instanceof HTMLLabelElement)?.control ?? null;
    const near = (test, below) => closest(el, test) ?? (labelled && test(labelled) ? labelled : null) ?? (enter ? null : all(el, below).find(test)) ?? null;
    let button = near(sends, 'button, input');
    let form = button?.form ?? null;
    if (enter && !form && el instanceof HTMLInputElement && el.form) {
      form = el.form;
      const parts = Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, 'elements').get.call(form);
      button = [...parts].find(sends) ?? null;
    }
    const at = near(link, 'a, area');
    return {
      submits: form && absolute((button && attribute(button, 'formaction')) || attribute(form, 'action')),
      leads: at && absolute(attribute(at, 'href') ?? attribute(at, 'xlink:href')),
      name: describe(button ?? at ?? el),
      unseen: /^(iframe|frame|object|embed)$/i.test(el.localName),
    };
  },
  label(id) {
    const label = [...(held[id].labels || [])].find((at) => area(box(at)) > 0);
    if (!label) return null;
    const stands = mean(hold(label), null);
    if (certain.has(id)) certain.set(stands, certain.get(id));
    return stands;
  },
  // Whether what has the focus can be edited, and what may hold it further inside: a frame, or a tree that is closed.
  focus_takes() {
    const el = active();
    const text = document.designMode === 'on' || (!!el && (/^(text|editable)$/.test(sort(el)) || !!el.editContext));
    return { text, inside: el ? hold(el) : null, frame: !!el && /^(iframe|frame|object|embed)$/i.test(el.localName) };
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
  reveal(id, block) {
    this.drawn_as(id).scrollIntoView({ block, inline: 'center', behavior: 'instant' });
    const said = meant.has(id) && wordsBox(held[id], meant.get(id));
    if (!said) return;
    // An element may be larger than what can be seen of it at once.
    const pane = scroller(held[id]), around = pane === document.scrollingElement ? view() : pane.getBoundingClientRect();
    const off = (start, size) => said[start] + said[size] / 2 - around[start] - around[size] / 2;
    pane.scrollBy({ left: off('x', 'width'), top: off('y', 'height'), behavior: 'instant' });
  },

  // The viewport, once this page has the focus or the time is over.
  async placed(ms) {
    const end = performance.now() + ms;
    while (!document.hasFocus() && performance.now() < end) await turn();
    return { width: innerWidth, height: innerHeight, ratio: devicePixelRatio, attended: document.hasFocus() && !document.hidden };
  },
  // Counts what the mouse does here from now on; `heard` waits until something has happened so often.
  hear() {
    for (const event of HEARD) removeEventListener(event, hears, true);
    Object.assign(heard, { down: 0, up: 0, wheel: 0, drag: 0, over: null, taken: null });
    for (const event of HEARD) addEventListener(event, hears, { capture: true, passive: true });
    return true;
  },
  async heard(what, count, ms) {
    const end = performance.now() + ms;
    while (heard[what] < count && performance.now() < end) await turn();
    return heard[what] >= count;
  },
  // Whether the browser drags an element that was pressed; waits only where it will.
  async drags(id, ms) {
    const wait = closest(held[id], (at) => at.draggable) ? ms : 0;
    return this.heard('drag', 1, wait);
  },
  // Waits until what is dragged has come to a point, or nothing is dragged any more.
  async over(x, y, ms) {
    const end = performance.now() + ms, there = () => heard.over && Math.abs(heard.over.x - x) < 2 && Math.abs(heard.over.y - y) < 2;
    while (!there() && !heard.up && performance.now() < end) await turn();
    return !!there();
  },
  // Listens only for the end of a drag; `taken` is whether anything took it, and null until the page has seen that end.
  await_drop() {
    heard.taken = null;
    for (const event of ['drop', 'dragend']) addEventListener(event, hears, { capture: true, passive: true });
    return true;
  },
  taken: () => heard.taken,

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
    Object.assign(seen, { selection: selected(), changes: 0, ticks: 0, rested: 0, shows: false, inputs: 0, own: 0, sent: false, printed: false, wheel: false, links: [], put: [], invalid: [], trees: [window], focus: active(), observer: new MutationObserver(observed) });
    seen.observer.observe(document, TOLD);
    for (let tree = id === null ? null : root(held[id]); tree; tree = root(tree.host)) { seen.observer.observe(tree, TOLD); seen.trees.push(tree); }
    listen();
    for (const tree of seen.trees) tree.addEventListener('invalid', objects, { capture: true, passive: true });
    for (const event of EVENTS) addEventListener(event, noted, { capture: true, passive: true });
    addEventListener('submit', sends);
    addEventListener('click', clicks, true);
    addEventListener('wheel', turned, { passive: true });
    Object.assign(press, { el: id === null ? null : held[id], sign: id === null ? '' : sign(held[id]), told: null, click: null, tell: null, menu: null, part: null, mark: '', heir: null, clicked: false });
    for (const event of PRESSES) addEventListener(event, presses, { capture: true, passive: true });
    for (const event of LIFTS) addEventListener(event, lifts, { capture: true, passive: true });
    for (const event of RELEASES) addEventListener(event, released, { capture: true, passive: true });
    return id === null || !at ? true : { ...look(id, at), other: other(id) };
  },
  // Waits until nothing has changed for some turns, though not for ever: some pages never rest. With a question about
  // a field, answers that, too.
  async rest(turns, ms, field) {
    const end = performance.now() + ms;
    for (let quiet = 0; quiet < turns && performance.now() < end;) {
      const before = seen.changes;
      await turn();
      quiet = seen.changes === before ? quiet + 1 : 0;
    }
    const focus = active(), selection = selected();
    seen.rested = seen.changes;
    return { selection: selection !== seen.selection && selection ? selection : null, changes: seen.changes, ticks: seen.ticks, own: seen.own, working: seen.put.some(working), sent: seen.sent, printed: seen.printed, downloads: seen.links.filter(download).length, focus: focus !== seen.focus && focus ? describe(focus) : null, led: !!focus && isLed(focus), press: landing(), refused: refusal(), url: location.href, field: field && this[field[0]](...field.slice(1)) };
  },
  // Whether anything has changed since then.
  changed_since: () => !!seen.observer && seen.changes > seen.rested,
  // What the press hits, as soon as it does: told before anything comes of it.
  struck: () => press.told ?? new Promise((resolve) => { press.tell = resolve; }),
  // What the press hit, and what has changed since it was waited for; and whether keys would go there.
  landed: (id) => ({ press: landing(), changes: seen.changes, entered: held[id] && { focused: hasFocus(held[id]), empty: isEmpty(held[id]) } }),
  // Whether the press has opened the browser's menu: the page has not prevented it.
  menu: () => !!press.menu && !press.menu.defaultPrevented,
  // Whether the page has used the wheel itself.
  wheeled: () => seen.wheel,

  // What a field holds, and whether that is what it should hold.
  value(id, expected) {
    const el = current(held[id]);
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
    const own = held[id], el = current(own), value = content(el), focus = active();
    const line = el instanceof HTMLInputElement;
    // `-5` is not in `15`, and `3,5` is not in `35`.
    const signed = figure(text);
    const there = value !== typing?.value || seen.inputs > 0;
    // What is no number has no value, and is no empty field either.
    const bad = el.validity?.badInput === true;
    // What a field takes for good is seen elsewhere, such as in a list of tags.
    const taken = !bad && seen.inputs > 0 && ((value === '' && seen.shows) || !own.isConnected || !focus || !within(focus, el));
    const has = el.type === 'password' ? value.includes(text) : level(value).includes(level(text)) || (signed ? equal(value, text) : bare(text) !== '' && bare(value).includes(bare(text)) && marked(value, text));
    return {
      same: text === '' || (line && /[\r\n]/.test(text)) || taken || (there && has),
      value: el.type === 'password' ? '•'.repeat([...value].length) : value,
    };
  },
  // Waits until a switch is on or off: some ask their server first. A box of the browser's that was mixed is the
  // opposite at once, and stays that.
  async switched(id, on, mixed, ms) {
    const end = performance.now() + ms, own = switchedBy(held[id]) instanceof HTMLInputElement;
    const is = () => switchState(held[id], on);
    while (is() !== 'as_asked' && !(own && mixed && is() !== 'mixed') && performance.now() < end) await frame();
    return is();
  },
  // What a switch is now.
  switch_is: (id, on) => ({ switch: switchState(held[id], on) }),
  // Selects all of what is in an element that is edited as a part of something larger.
  encompass(id) {
    const el = held[id];
    if (!el.isContentEditable || host(el) === el) return false;
    getSelection().selectAllChildren(el);
    return true;
  },

  options(id) {
    const el = held[id];
    const listed = el.options !== undefined && (el.multiple || el.size > 1);
    // A field may suggest some, those without words by their values.
    return [...(el.options ?? el.list?.options ?? [])].map((option) => ({
      label: option.label.trim() || (el.options ? '' : option.value), value: option.value, selected: option.selected,
      disabled: option.matches(':disabled'), hidden: option.hidden || getComputedStyle(option).display === 'none', id: listed ? hold(option) : 0,
    }));
  },
  // Waits until the menu of a list is open: keys before that would change the value at each step.
  async unfolded(id, ms) {
    const end = performance.now() + ms;
    while (held[id].isConnected && !held[id].matches(':open') && performance.now() < end) await frame();
    return held[id].matches(':open');
  },
  // Notes which entries can be seen before a control is opened.
  note_entries() { shownBefore = noteEntries(); },
  // An entry of the list of a control, by its text. Until the control was `opened`, what can be seen elsewhere is not its.
  async choice(id, text, opened, ms) {
    const el = held[id], end = performance.now() + ms, wanted = plain(text);
    if (!opened) shownBefore = null;
    for (;;) {
      const own = ownEntries(el), others = shownBefore ? appeared(own) : openAlready(el, own);
      const fit = fitting([own, others], wanted);
      if (fit.length === 1) {
        choosing = { el, entry: fit[0], before: showing(el) };
        return { id: hold(fit[0]), chosen: isChosen(fit[0]) && !!closest(fit[0], (at) => at.getAttribute('aria-multiselectable') === 'true') };
      }
      if (performance.now() > end) {
        return {
          id: null, several: fit.map(entryText), options: [...new Set([...own.flat(), ...others.flat()].map(entryText))].filter(Boolean).slice(0, 12),
          open: own.flat().length > 0 && el.matches(LISTS), closed: shownBefore !== null && fitting([vanished()], wanted).length > 0,
        };
      }
      await frame();
    }
  },
  // Waits until anything shows that the last choice was taken.
  async took(ms) {
    const end = performance.now() + ms;
    while (!showsChoice() && performance.now() < end) await frame();
    return showsChoice();
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
  // Waits until it is elsewhere: what the wheel does can come long after the wheel has turned.
  async moves(id, from, ms) {
    const el = scrollee(id);
    const end = performance.now() + ms;
    for (let now = from; now.x === from.x && now.y === from.y && !seen.wheel && performance.now() < end; now = position(el)) await frame();
  },
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
    let urls, texts;
    try { urls = pattern(wants.url, false); texts = pattern(wants.text, true); } catch (error) { return { wrong: error.message }; }
    const url = () => !wants.url || (urls ? urls.test(location.href) : location.href.includes(wants.url))
      || (!urls && wants.url.includes('*') && new RegExp('^' + wants.url.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*') + '$').test(location.href));
    const text = () => {
      if (!wants.text) return true;
      const shown = document.body?.innerText || '';
      const has = texts ? texts.test(shown.replace(/[^\S\n]+/g, ' ')) || texts.test(composed(shown).replace(/ +/g, ' ')) : plain(shown).includes(plain(wants.text));
      return wants.state === 'hidden' || wants.state === 'detached' ? !has : has;
    };
    const one = wants.id === undefined ? null : held[wants.id];
    const element = () => {
      if (!wants.selector && !one) return true;
      const found = one ? [one].filter((el) => el.isConnected) : all(wants.scope === null ? document : held[wants.scope], wants.selector);
      const shown = found.some((el) => seeable(el) && area(box(el)) > 0);
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
      if (performance.now() >= end) return { there: false, url: location.href };
      await frame();
    }
  },
  async size(width, height, ms) {
    const end = performance.now() + ms;
    while ((innerWidth !== width || innerHeight !== height) && performance.now() < end) await frame();
    return { width: innerWidth, height: innerHeight };
  },
};
