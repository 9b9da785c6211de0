// One pass over a document: a record for each node that is worth a line. It stops after each part of its time, and goes
// on when it is asked to: meanwhile the page runs.

const CONTROLS = new Set(`button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio
scrollbar searchbox slider spinbutton switch tab textbox treeitem summary gridcell`.split(/\s+/));
// In mode `interactive` these say where the controls are.
const PLACES = new Set(`alert alertdialog banner complementary contentinfo dialog form main navigation region search status
tablist toolbar menu menubar radiogroup tabpanel grid tree treegrid heading listbox`.split(/\s+/));
// Kept even when nothing is in them.
const TELLING = new Set('alert alertdialog dialog heading status'.split(' '));
// What they say is what they are there for: in mode `interactive` their text is listed, too.
const SPEAKING = new Set('alert alertdialog dialog status'.split(' '));
// Text that only looks different.
const PHRASES = new Set('code deletion emphasis insertion mark strong subscript superscript time none'.split(' '));
const FLOWING = new Set(`a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark output q rp rt ruby s
samp slot small span strike strong sub sup time tt u var wbr`.split(/\s+/));
const SKIPPED = new Set('script style template noscript head meta link title base param source track colgroup col'.split(' '));
const REGIONS = new Set(`alertdialog article banner complementary contentinfo dialog feed figure form grid group img list listbox
main menu menubar navigation radiogroup region search table tablist tabpanel toolbar tree treegrid row canvas video audio
object`.split(/\s+/));

// Deeper than any parser nests, and less than the stack holds.
const DEEPEST = 600, MOST_NODES = 400000, LONGEST_NAME = 1000, MOST_OPTIONS = 500;
// Beside the controls: characters that one alert or dialog may say, images of a document, and the size in pixels of
// what is no image to anybody.
const SPOKEN = 600, MOST_PICTURES = 50, SPECK = 2;

// Instead of a pointing hand: inside of an entry of a tree.
const TREE = 'tree';

const walker = (options) => {
  const brief = options.mode === 'minimal', all = options.mode === 'all', full = all || options.mode === 'full';
  const out = [];
  // The dialog that the walk begins in.
  let over = null;
  let visited = 0, size = 0, cut = '', left = '';
  // When this part began, how long those before it took, and how long one may be.
  let began = 0, spent = 0;
  const elapsed = () => performance.now() - began;
  // Text that was read and not yet written, its depth, and the element it is in.
  let pending = '', pendingDepth = 0, pendingFrom = null;
  // The control, and the other clickable thing, that this is in.
  let inControl = null, inClickable = null;
  // Inside of what speaks, and how much it has said. Images that are listed, and that are not.
  let speaking = false, spoken = 0, pictures = 0, unlisted = 0;
  const tells = () => !brief;
  // Text that is listed if there is room for it.
  const aside = asides();

  const put = (depth, role, el, kind, name, states, value) => {
    const line = `${depth}\t${role}\t${el ? number(el) : 0}\t${kind}\t${name}\t${states}\t${value}\t${el && options.boxes ? box(el) : ''}${el && options.describe ? `\t${describe(el, role, name)}` : ''}`;
    size += line.length;
    if (size > options.most) cut = 'size';
    out.push(line);
  };
  const flush = () => {
    if (pending === '') return;
    const text = squeeze(pending);
    pending = '';
    if (text && (all || worded(text)) && (full || speaking || aside.takes(text, out.length))) put(pendingDepth, 'text', pendingFrom, 't', shortened(text, options.longest), '', '');
  };
  const say = (text, depth, el) => {
    if (speaking) {
      if (spoken > SPOKEN) return;
      spoken += squeeze(text).length;
      if (spoken > SPOKEN) text = `${text.slice(0, SPOKEN)}…`;
    }
    if (pending === '') { pendingDepth = depth; pendingFrom = el; }
    // Words of several elements stand for what holds them all.
    else if (pendingFrom !== el) pendingFrom = holderOfBoth(pendingFrom, el);
    pending += text;
  };

  // The elements that the walk is in, outermost first: their children, how far it is with them, and what these get from
  // them. `mute`: the text is in a name already. `hand`: the parent shows a pointing hand. `inside`: a control. `line`:
  // what ends with a line of their own.
  const levels = [];

  const visit = (el, depth, mute, hand, inside, hollow) => {
    if ((++visited & 1023) === 0 && (visited > MOST_NODES || spent + elapsed() > options.patience)) cut = 'time';
    if (levels.length >= DEEPEST) { left = 'depth'; return; }
    const level = look(el, depth, mute, hand, inside, hollow);
    if (level) levels.push(level);
  };

  // Says an element; returns the level that its children are on, if they are walked, too.
  const look = (el, depth, mute, hand, inside, hollow) => {
    if (depth > options.depth) return null;
    const tag = el.localName;
    if (SKIPPED.has(tag)) return null;
    const attributes = el.hasAttributes();
    if (attributes && withdrawn(el)) { if (!brief && !all) unsaid(el, depth); return null; }
    const seen = drawn(el);
    if (seen === GONE) return null;
    hollow = seen === HOLLOW;
    suspect(el, tag);
    if (tag === 'dialog' && el.getRootNode() instanceof ShadowRoot && el.matches(':modal')) met(el);
    const hidden = tag === 'label' && !hollow && !all && !mute && !inside ? drawnFor(el) : null;
    if (hidden) return labelled(el, hidden, depth, inside);
    if (tag === 'br') { if (tells() && !mute) say(' ', depth, el); return null; }
    if (tag === 'svg') { picture(el, depth, mute, hand, inside, hollow); return null; }
    const role = hollow ? '' : roleOf(el);
    if (role === 'none' && tag === 'input') return null;
    let kind = '';
    let pointing = hand;
    if (CONTROLS.has(role)) kind = role === 'gridcell' && !(attributes && focusable(el)) ? '' : 'i';
    else if (role === 'iframe') kind = 'f';
    if (kind !== 'i') {
      if (!inside && !hollow) {
        const { cursor } = getComputedStyle(el);
        pointing = cursor === 'pointer';
        const handed = hand === TREE ? pointing && blank(el) : pointing && !hand;
        if (hand === TREE && !handed) pointing = TREE;
        if (kind === '' && el.nodeType === 1 && (clickable(el, attributes, handed) || worked(el, cursor) || inClickable && glyph(el, inClickable))
          && !serves(el, tag) && !nowhere(el)) kind = 'c';
      } else if (inControl && !hollow && !brief && el.nodeType === 1 && ownPart(el, inControl)) kind = 'c';
    } else {
      // What is in an entry of a tree is drawn by the entry, except for icons that open it.
      pointing = role === 'treeitem' && !hollow && getComputedStyle(el).cursor !== 'pointer' ? TREE : true;
    }
    if (role === 'listbox' && tag !== 'select' && !all && squeezed(el)) return null;
    if (role === 'canvas' && kind === '' && !hollow) kind = 'r';
    const alone = role === 'img' && kind === '' && !inside && !mute && !hollow && pictured(el, nameOf(el, role));
    const shows = all || alone || kind !== '' || (full ? role !== '' && !PHRASES.has(role) && tag !== 'dfn' : !brief && PLACES.has(role) && worth(el, role));
    if (!shows || hollow && !all) {
      const flows = FLOWING.has(tag);
      if (!flows) flush();
      if (tells() && tag === 'label' && !mute) mute = el.control !== null && drawn(el.control) === SHOWN;
      if (tells() && !mute) pseudoText(el, '::before', depth);
      return { el, depth, mute, hand: pointing, inside, hollow, flows, line: null, children: childrenOf(el), at: 0 };
    }
    flush();
    if (kind === '' && full && REGIONS.has(role)) kind = 'r';
    const name = all ? nameOf(el, role) : lineName(el, role, kind);
    const mark = out.length;
    const of = kind === 'c' && tag === 'label' ? el.control : null;
    const states = (of ? statesOf(of, roleOf(of), of.localName) : statesOf(el, role, tag)) + moreOf(el, role, kind, name);
    put(depth, role || 'generic', el, kind, name, states, squeeze(valueOf(el, role, tag)).slice(0, options.values));
    if (depth >= options.depth || role === 'textbox' || role === 'searchbox' || kind === 'f') return null;
    if (tag === 'select') { choices(el, depth + 1); return null; }
    const within = kind === 'i' && role !== 'treeitem' && role !== 'listbox' && role !== 'combobox' && role !== 'gridcell' ? role : inside;
    const silent = mute || BY_CONTENT.has(role) && !CELLS.has(role) && role !== 'row' && name !== '' || kind === 'c' && !compound(el) && (!full || name !== '' && name === squeeze(el.textContent));
    const line = { mark, role, kind, name, alone, speaking, inControl, inClickable };
    if (within !== inside) inControl = within ? el : null;
    if (kind === 'c' && tells() && !all && !compound(el) && heard(el)) inClickable = el;
    if (!full && !brief && !speaking && SPEAKING.has(role)) { speaking = true; spoken = 0; }
    if (tells() && !silent) pseudoText(el, '::before', depth + 1);
    return { el, depth: depth + 1, mute: silent, hand: pointing, inside: within, hollow, flows: false, line, children: childrenOf(el), at: 0 };
  };

  // A box that is said where its label is drawn; what else is in the label has lines of its own.
  const labelled = (el, control, depth, inside) => {
    flush();
    const role = roleOf(control), name = lineName(control, role, 'i'), mark = out.length;
    put(depth, role, control, 'i', name, statesOf(control, role, control.localName), '');
    if (depth >= options.depth) return null;
    const line = { mark, role, kind: 'i', name, alone: false, speaking, inControl, inClickable };
    return { el, depth: depth + 1, mute: true, hand: true, inside, hollow: false, flows: false, line, children: childrenOf(el), at: 0 };
  };

  // All of them now: between two parts the page may move the one that the walk is at.
  const childrenOf = (el) => {
    const root = rootOf(el);
    if (root && owners.size) findOwners(root);
    const all = [];
    eachChild(el, (node) => { all.push(node); });
    return all;
  };

  // After the last child.
  const leave = ({ el, depth, mute, flows, line }) => {
    if (tells() && !mute) pseudoText(el, '::after', depth);
    if (!flows) flush();
    if (!line) return;
    const { mark, role, kind, name, alone } = line;
    ({ speaking, inControl, inClickable } = line);
    if (!full && kind === 'c' && out.length === mark + 2) unwrap(mark, name);
    if (!all && out.length === mark + 1 && kind === '' && (full ? role === 'paragraph' : !alone && !TELLING.has(role))) out.pop();
  };

  // Walks until this part's time is over; whether everything was walked.
  const walk = () => {
    for (let steps = 1; levels.length > 0; steps++) {
      if ((steps & 15) === 0 && elapsed() > options.part) return false;
      const level = levels[levels.length - 1];
      if (cut || level.at === level.children.length) { leave(levels.pop()); continue; }
      const node = level.children[level.at++];
      if (node.nodeType === 1) visit(node, level.depth, level.mute, level.hand, level.inside, level.hollow);
      else if (node.nodeType === 3 && !level.mute && tells() && !level.hollow && !(level.skips ??= blank(node) ? undefined : skipsContents(level.el))) say(node.data, level.depth, level.el);
    }
    return true;
  };

  // A wrapper that says and does the same as the one control in it is left out.
  const unwrap = (mark, name) => {
    const [depth, , , kind, inner] = out[mark + 1].split('\t', 5);
    if (kind === 'i' && inner === name) out.splice(mark, 2, String(depth - 1) + out[mark + 1].slice(depth.length));
  };

  const pseudoText = (el, which, depth) => {
    if (!full && !speaking) return;
    const text = pseudo(el, which);
    if (text) say(text, depth, el);
  };

  // Options that are listed, in a menu or not.
  const choices = (select, depth) => {
    const flat = select.options;
    const most = full ? MOST_OPTIONS : 12;
    let above = select, grouped = 0;
    const listed = !(select.multiple || select.size > 1);
    for (let index = 0; index < flat.length && !cut; index++) {
      if (index >= most) { put(depth, 'text', null, 'n', `${flat.length - most} more options`, '', ''); break; }
      const option = flat[index];
      if (option.hidden) continue;
      const group = option.parentElement;
      if (group !== above) {
        above = group;
        grouped = group.localName === 'optgroup' ? 1 : 0;
        if (grouped) put(depth, 'group', group, '', nameOf(group, 'group'), statesOf(group, 'group', 'optgroup'), '');
      }
      put(depth + grouped, 'option', option, listed ? '' : 'i', squeeze(option.label).slice(0, LONGEST_NAME), statesOf(option, 'option', 'option'), '');
    }
  };

  // Whether an image is listed between the controls: it says something, and there is room.
  const pictured = (el, name) => {
    if (full || brief || name === '') return false;
    const { width, height } = el.getBoundingClientRect();
    if (width <= SPECK && height <= SPECK) return false;
    if (pictures >= MOST_PICTURES) unlisted++;
    else pictures++;
    return unlisted === 0;
  };

  // Drawings count when they have a name; links in them count always.
  const picture = (el, depth, mute, hand, inside, hollow) => {
    const role = explicit(el) || 'img';
    if (role === 'none') return;
    const name = nameOf(el, role);
    const works = CONTROLS.has(role);
    const clicks = !works && (inside ? inControl !== null && !brief && ownPart(el, inControl)
      : clickable(el, true, getComputedStyle(el).cursor === 'pointer' && !hand) || iconSized(el) && (pressed.has(el) || inClickable !== null && glyph(el, inClickable)));
    const alone = !works && !clicks && !inside && !mute && role === 'img' && pictured(el, name);
    const listed = works || clicks || all || alone || full && name && !mute;
    if (listed) {
      flush();
      const kind = works ? 'i' : clicks ? 'c' : alone ? '' : 'r';
      put(depth, role, el, kind, name.slice(0, LONGEST_NAME), statesOf(el, role, 'svg') + (clicks ? moreOf(el, role, kind, name) : ''), '');
    }
    if (inside) return;
    for (const link of el.querySelectorAll('a[href],[role=button],[role=link],[tabindex]')) vector(link, listed ? depth + 1 : depth);
    if (!clicks && !works) shapes(el, depth, name);
  };
  // What the author keeps from assistive technology alone: whoever sees it presses it.
  const unsaid = (el, depth) => {
    for (const one of unsaidParts(el, inClickable)) {
      const role = roleOf(one), kind = CONTROLS.has(role) ? 'i' : 'c', name = lineName(one, role, kind);
      flush();
      put(depth, lineRole(one, role), one, kind, name, statesOf(one, role, one.localName) + moreOf(one, role, kind, name), '');
    }
  };
  const vector = (el, depth) => {
    if (drawn(el) !== SHOWN) return;
    const role = explicit(el) || (el.localName === 'a' ? 'link' : '');
    flush();
    put(depth, role || 'generic', el, CONTROLS.has(role) ? 'i' : 'c', nameOf(el, role || 'link').slice(0, LONGEST_NAME), '', '');
  };

  // `name` is that of a drawing without a line yet.
  const shapes = (drawing, depth, name) => {
    const { found, left } = shapesOf(drawing, full);
    if (!found.length) return;
    flush();
    if (!out.length || !out[out.length - 1].startsWith(`${depth}\timg\t${number(drawing)}\t`)) {
      put(depth, 'img', drawing, 'r', name, `size=${Math.round(drawing.clientWidth)}x${Math.round(drawing.clientHeight)}`, '');
    }
    for (const { el, clickable, name, words } of found) put(depth + 1, el.localName, el, clickable ? 'c' : 'r', name, words, '');
    if (left) put(depth + 1, 'text', null, 'n', `${left} more shapes`, '', '');
  };

  const end = () => {
    flush();
    if (unlisted) put(0, 'text', null, 'n', `${unlisted} more images`, '', '');
    const untold = full ? 0 : aside.trim(out);
    if (untold && !brief) put(0, 'text', null, 'n', `left out: ${untold} ${untold === 1 ? 'text' : 'texts'}; \`mode\` full has all text`, '', '');
  };

  return {
    start(root) {
      over = root ? null : modal();
      const start = root || over || document.body || document.documentElement;
      if (document.querySelector('[aria-owns]')) findOwners(document);
      if (start) visit(start, 0, false, false, '', false);
    },
    // Whether it has met a dialog that all the rest was out of reach behind.
    passed: () => modal() !== over,
    // Walks for one part of the time; returns nothing as long as there is more.
    goOn() {
      began = performance.now();
      const done = walk();
      if (done) end();
      spent += elapsed();
      return done ? { lines: out, visited, cut: cut || left } : null;
    },
  };
};

// The name as a line shows it: what the cells of a table hold has lines of its own.
const lineName = (el, role, kind) => {
  if (shape(el)) return shapeName(el);
  let name;
  if (kind === 'c' && !el.hasAttribute('aria-label') && !el.hasAttribute('aria-labelledby') && compound(el)) return squeeze(el.title || '').slice(0, LONGEST_NAME);
  if (kind !== 'i' && kind !== 'c') {
    if (CELLS.has(role) || role === 'row') name = el.hasAttributes() ? attributeName(el, { by: false }) : '';
    else name = el.hasAttributes() || BY_CONTENT.has(role) || NAMED.has(el.localName) ? nameOf(el, role) : '';
  } else {
    name = nameOf(el, role);
    if (name === '' && kind === 'c') name = worded(shortText(el)) || squeeze(el.title || '');
  }
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name;
};

// The beginning of a long text, which says how much is left out.
const shortened = (text, most) => {
  const left = text.length - most;
  return left > 0 ? `${text.slice(0, most)}… (${left} ${left === 1 ? 'character' : 'characters'} left out)` : text;
};

const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
const NAMED = new Set('fieldset figure table optgroup output meter progress img'.split(' '));

// The accessible description: what the author refers to or says, else a hint that is not the name.
const describe = (el, role, name) => {
  if (role === 'text' || el.nodeType !== 1 || !el.hasAttributes()) return '';
  const others = el.hasAttribute('aria-describedby') ? el.ariaDescribedByElements : null;
  const parts = others && others.length
    ? others.map((other) => alternative(other, { seen: new Set(), label: null, hidden: true, by: true, self: el }))
    : [el.getAttribute('aria-description') || el.title || ''];
  const text = squeeze(parts.join(' '));
  return text === name ? '' : text.slice(0, LONGEST_NAME);
};

// Whether a place is worth a line when only controls are listed.
const worth = (el, role) => role !== 'region' && role !== 'form' ? true : named(el);

// Whether an element says nothing.
const blank = (el) => el.textContent.trim() === '';

// Nothing that anybody sees, such as what keeps the focus in a dialog.
const nowhere = (el) => {
  if (el.firstElementChild || rootOf(el) || !blank(el)) return false;
  const { width, height } = el.getBoundingClientRect();
  const bare = (which) => /^(none|normal)$/.test(getComputedStyle(el, which).content);
  const line = (width < 2 || height < 2) && !GRIPS.test(getComputedStyle(el).cursor);
  return (line || width < 1 || height < 1) && bare('::before') && bare('::after');
};

// A list without any room, which some widgets keep for assistive technology beside the one they draw, or which has no
// entries yet.
const squeezed = (el) => {
  if (el.clientWidth > 1 && el.clientHeight > 1) return false;
  if (!el.firstElementChild && !rootOf(el) && !squeeze(el.textContent)) return true;
  const { overflowX, overflowY } = getComputedStyle(el);
  return overflowX !== 'visible' && overflowY !== 'visible';
};

// A label of a control that is there to be clicked itself.
const serves = (el, tag) => tag === 'label' && el.control !== null && drawn(el.control) === SHOWN;

const clickable = (el, attributes, hand) => {
  if (hand) return true;
  if (!attributes) return false;
  if (el.hasAttribute('onclick') || el.hasAttribute('onmousedown') || el.hasAttribute('onpointerdown')) return true;
  return el.hasAttribute('tabindex') && el.tabIndex >= 0 && el !== document.body;
};

// The beginning of what an element shows.
const shortText = (el) => {
  const text = contentOf(el, { seen: new Set([el]), label: null, hidden: false, by: false });
  return text.length > 400 ? text.slice(0, 100) : squeeze(text).slice(0, 100);
};

// Modal dialogs that a walk has met in shadow trees, which no selector finds.
const deepDialogs = new Set();
const met = (dialog) => { if (![...deepDialogs].some((known) => known.deref() === dialog)) deepDialogs.add(new WeakRef(dialog)); };
const deepActive = () => {
  let at = document.activeElement;
  for (let next = at; next; next = rootOf(at)?.activeElement) at = next;
  return at;
};
const isAround = (outer, el) => {
  for (let at = el; at; at = above(at)) if (at === outer) return true;
  return false;
};
// The dialog that makes everything else unreachable.
const modal = () => {
  const focus = deepActive(), open = new Set(document.querySelectorAll('dialog:modal'));
  for (const reference of deepDialogs) {
    const dialog = reference.deref();
    if (dialog?.isConnected && dialog.matches(':modal')) open.add(dialog); else deepDialogs.delete(reference);
  }
  // What has the focus is in it mostly, wherever that is.
  for (let at = focus; at; at = above(at)) if (at.localName === 'dialog' && at.matches(':modal')) open.add(at);
  const all = [...open];
  for (const dialog of all) if (isAround(dialog, focus) && !all.some((other) => other !== dialog && isAround(dialog, other))) return dialog;
  return all.at(-1) ?? null;
};

const box = (el) => {
  const { x, y, width, height } = drawnAs(el).getBoundingClientRect();
  return [x, y, width, height].map(Math.round).join(',');
};
