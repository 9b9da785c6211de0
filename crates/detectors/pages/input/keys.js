// What a keyboard of a person shows.
const keys = {};

{
  const CODES = { ' ': ['Space', 32], ',': ['Comma', 188], '!': ['Digit1', 49], '.': ['Period', 190], '-': ['Minus', 189], Backspace: ['Backspace', 8], Shift: ['ShiftLeft', 16], Enter: ['Enter', 13], Tab: ['Tab', 9] };
  // Code and number of a key on a US keyboard.
  const expected = (key) => {
    if (/^[a-z]$/i.test(key)) return [`Key${key.toUpperCase()}`, key.toUpperCase().charCodeAt(0)];
    if (/^[0-9]$/.test(key)) return [`Digit${key}`, key.charCodeAt(0)];
    return CODES[key];
  };
  const SHIFTED = /^[A-Z!"#$%&()*+:<>?@^_{}|~]$/;
  const downs = () => of('keydown').filter((event) => !event.repeat);
  const shown = (event) => [event.type, event.key, event.code, event.keyCode, event.shiftKey, event.location];

  // Each press with its release.
  const presses = () => downs().map((down) => ({
    down,
    up: of('keyup').find((up) => up.code === down.code && up.timeStamp >= down.timeStamp),
  }));
  const letters = () => presses().filter(({ down }) => down.key.length === 1);
  const dwells = () => letters().filter(({ up }) => up).map(({ down, up }) => up.timeStamp - down.timeStamp);
  const rhythm = () => gaps(letters().map(({ down }) => down.timeStamp));
  // Whether Shift was down at a moment.
  const shifted = (time) => presses().some(({ down, up }) => down.key === 'Shift' && down.timeStamp <= time && up && up.timeStamp >= time);

  const judges = {
    'key.trusted': () => all(of('keydown', 'keypress', 'keyup', 'beforeinput', 'input'), (event) => event.isTrusted, shown),
    'key.text': () => verdict(document.getElementById('text').value.startsWith('Hello, World 42'), document.getElementById('text').value),
    'key.order': () => {
      // One letter, with nobody else's keys in between.
      const first = letters().find(({ down }) => !SHIFTED.test(down.key));
      if (!first?.up) return verdict(false, 'nothing happened');
      const [from, to] = [recorded.findIndex((event) => event.type === 'keydown' && event.timeStamp === first.down.timeStamp), recorded.length];
      const order = recorded.slice(from, to).filter((event) => /^key|input$/.test(event.type)).slice(0, 4).map((event) => event.type).join(' ');
      return verdict(order === 'keydown keypress beforeinput input', order);
    },
    'key.code': () => all(of('keydown', 'keyup').filter((event) => expected(event.key)), (event) =>
      event.code === expected(event.key)[0] || (event.key === 'Shift' && event.code === 'ShiftRight'), shown),
    'key.number': () => all(of('keydown', 'keyup').filter((event) => expected(event.key)), (event) =>
      event.keyCode === expected(event.key)[1] && event.which === event.keyCode && event.charCode === 0, shown),
    'key.character': () => all(of('keypress').filter((event) => event.key.length === 1), (event) =>
      event.charCode === event.key.charCodeAt(0) && event.keyCode === event.charCode && event.code !== '', (event) => [event.key, event.charCode, event.code]),
    'key.shift': () => all(downs().filter((event) => SHIFTED.test(event.key)), (event) => event.shiftKey && shifted(event.timeStamp), shown),
    'key.no-shift': () => all(downs().filter((event) => event.key.length === 1 && !SHIFTED.test(event.key)), (event) => !event.shiftKey && !shifted(event.timeStamp), shown),
    'key.shift-leads': () => {
      // Shift goes down some time before its letter.
      const leads = downs().filter((event) => SHIFTED.test(event.key)).map((event) => {
        const shift = downs().filter((down) => down.key === 'Shift' && down.timeStamp <= event.timeStamp).at(-1);
        return shift ? event.timeStamp - shift.timeStamp : 0;
      });
      return verdict(leads.length && Math.min(...leads) >= 5, leads.map(round));
    },
    'key.location': () => all(of('keydown', 'keyup'), (event) => event.location === (event.key === 'Shift' ? (event.code === 'ShiftRight' ? 2 : 1) : 0), shown),
    'key.modifiers': () => all(of('keydown', 'keypress'), (event) => event.locks.includes('Shift') === event.shiftKey && !event.locks.includes('CapsLock'), (event) => [event.key, event.locks]),
    'key.released': () => all(presses(), ({ up }) => up, ({ down }) => down.key),
    'key.once': () => all(of('keydown'), (event) => !event.repeat, shown),
    'key.dwell': () => verdict(dwells().length >= 5 && Math.min(...dwells()) >= 15 && median(dwells()) >= 30 && median(dwells()) <= 200, { median: round(median(dwells())), least: round(Math.min(...dwells())) }),
    'key.dwell-differs': () => verdict(dwells().length >= 5 && spread(dwells()) > 0.05, round(spread(dwells()))),
    'key.rhythm': () => {
      // A busy machine slows a driver down, but not all of its keys.
      const times = rhythm().sort((a, b) => a - b);
      const quick = times[Math.floor(times.length / 10)];
      return verdict(times.length >= 5 && quick >= 25 && median(times) >= 30 && median(times) <= 1000, { median: round(median(times)), quick: round(quick) });
    },
    'key.rhythm-differs': () => verdict(rhythm().length >= 5 && spread(rhythm()) > 0.1, round(spread(rhythm()))),
    'key.input': () => all(of('beforeinput', 'input').filter((event) => event.inputType !== 'deleteContentBackward'), (event) =>
      event.inputType === 'insertText' && event.data?.length === 1, (event) => [event.type, event.inputType, event.data]),
    'key.backspace': () => all(of('input').filter((event) => event.inputType.startsWith('delete')), (event) => event.inputType === 'deleteContentBackward', (event) => event.inputType),
    'key.every-letter': () => verdict(of('input').filter((event) => event.inputType === 'insertText').length === letters().length && letters().length > 0, [of('input').length, letters().length]),
    'key.source': () => all(of('keydown', 'keyup'), (event) => event.touches === false, (event) => [event.key, event.touches]),
    'key.no-paste': () => verdict(of('paste', 'compositionstart').length === 0 && downs().length > 0, of('paste', 'compositionstart').length),
    'key.clock': () => all(of('keydown', 'keyup'), (event) => event.timeStamp <= event.handled + 1 && event.timeStamp > event.handled - 20000, (event) => [event.key, event.timeStamp, event.handled]),
    'key.one-clock': () => oneClock(of('keydown', 'keyup')),
    'key.focus': () => {
      // The field got the focus from a press on it.
      const focus = of('focusin').find((event) => event.target === 'text');
      const down = focus && of('mousedown').filter((event) => event.target === 'text' && event.timeStamp <= focus.timeStamp + 1).at(-1);
      return verdict(down && focus.touches === false, focus ? { pressed: Boolean(down), touches: focus.touches } : 'no focus');
    },
  };
  for (const [name, judge] of Object.entries(judges)) keys[name] = { section: 'type', judge };
}
