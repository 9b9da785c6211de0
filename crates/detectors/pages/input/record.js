// Writes down every input event as the page sees it, without changing what becomes of it.
const recorded = [];
const calls = {};

{
  const KINDS = [
    'pointerover', 'pointerenter', 'pointermove', 'pointerrawupdate', 'pointerdown', 'pointerup', 'pointercancel',
    'mouseover', 'mouseenter', 'mousemove', 'mousedown', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu',
    'wheel', 'scroll', 'keydown', 'keypress', 'keyup', 'beforeinput', 'input', 'change', 'paste', 'compositionstart',
    'focusin', 'focusout', 'touchstart', 'select', 'dragstart', 'drag', 'dragenter', 'dragover', 'drop', 'dragend',
  ];
  const FIELDS = [
    'isTrusted', 'timeStamp', 'clientX', 'clientY', 'screenX', 'screenY', 'movementX', 'movementY', 'button', 'buttons',
    'detail', 'pressure', 'pointerType', 'pointerId', 'isPrimary', 'width', 'height', 'tiltX', 'tiltY', 'key', 'code',
    'keyCode', 'which', 'charCode', 'location', 'repeat', 'isComposing', 'shiftKey', 'ctrlKey', 'altKey', 'metaKey',
    'inputType', 'data', 'deltaX', 'deltaY', 'deltaMode', 'wheelDeltaY',
  ];
  let frame = 0;
  const count = () => {
    frame++;
    requestAnimationFrame(count);
  };
  count();
  const plain = (event) => {
    const seen = { type: event.type, target: event.target?.id ?? '', interface: event.constructor.name };
    for (const field of FIELDS) if (field in event) seen[field] = event[field];
    return seen;
  };
  const note = (event) => {
    const seen = plain(event);
    seen.handled = performance.now();
    seen.active = navigator.userActivation.isActive;
    seen.touches = event.sourceCapabilities ? event.sourceCapabilities.firesTouchEvents : null;
    if (event.getModifierState) seen.locks = ['Shift', 'Control', 'Alt', 'Meta', 'CapsLock'].filter((name) => event.getModifierState(name));
    if (event.type === 'scroll') seen.top = event.target.scrollTop;
    if (event.type === 'pointermove') {
      seen.coalesced = (event.getCoalescedEvents?.() ?? []).map(plain);
      seen.frame = frame;
      seen.predicted = (event.getPredictedEvents?.() ?? []).length;
    }
    recorded.push(seen);
  };
  for (const kind of KINDS) addEventListener(kind, note, { capture: true, passive: true });

  // What scripts use to do what a person does with mouse and keyboard.
  const hook = (owner, name) => {
    const original = owner[name];
    calls[name] = 0;
    owner[name] = function (...args) {
      calls[name]++;
      return original.apply(this, args);
    };
  };
  for (const name of ['focus', 'click', 'blur']) hook(HTMLElement.prototype, name);
  for (const name of ['scrollIntoView', 'scrollIntoViewIfNeeded', 'scrollTo', 'scrollBy']) hook(Element.prototype, name);
  hook(EventTarget.prototype, 'dispatchEvent');
  hook(HTMLInputElement.prototype, 'setSelectionRange');
  hook(HTMLInputElement.prototype, 'select');
  hook(document, 'execCommand');
  const value = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
  calls['set value'] = 0;
  Object.defineProperty(HTMLInputElement.prototype, 'value', {
    ...value,
    set(to) {
      calls['set value']++;
      value.set.call(this, to);
    },
  });
}

const of = (...types) => recorded.filter((event) => types.includes(event.type));
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? null;
const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / (numbers.length || 1);
// How much numbers differ from each other, as a part of their mean.
const spread = (numbers) => Math.sqrt(mean(numbers.map((number) => (number - mean(numbers)) ** 2))) / (Math.abs(mean(numbers)) || 1);
const gaps = (numbers) => numbers.slice(1).map((number, index) => number - numbers[index]);
const round = (number) => (typeof number === 'number' ? Math.round(number * 100) / 100 : number);

// A verdict, and what it was made from.
const verdict = (ok, seen) => ({ ok: Boolean(ok), seen });
// `every` over at least one; `seen` has the first few that are not so.
const all = (events, fits, show = (event) => event) => {
  const bad = events.filter((event) => !fits(event));
  return verdict(events.length > 0 && bad.length === 0, events.length === 0 ? 'nothing happened' : bad.slice(0, 3).map(show));
};

// Devices count in whole milliseconds: whatever the page's own zero is, all of their events fall into the same tenth.
// Chromium blurs the border between two tenths: of a few events, two may lie beyond it, in the tenth next to it.
const oneClock = (events) => {
  const tenths = Array(10).fill(0);
  for (const event of events) tenths[Math.round(event.timeStamp * 10) % 10]++;
  const most = Math.max(...tenths), at = tenths.indexOf(most), pair = most + Math.max(tenths[(at + 1) % 10], tenths[(at + 9) % 10]);
  const enough = events.length * 0.85;
  return verdict(events.length >= 5 && most >= Math.min(enough, events.length - 2) && pair >= enough, tenths);
};
