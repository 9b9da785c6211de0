(value) => {
  // A value as people expect it in JSON, where the browser would give `{}`: maps, sets, dates, errors and so on, also inside
  // of others. Runs in our own world; Rust puts it on one line, so comments have lines of their own.
  const DEEPEST = 1000, LONGEST = 1 << 24;
  const kindOf = (one) => Object.prototype.toString.call(one).slice(8, -1);
  const list = (all, depth) => Array.from(all, (one) => go(one, depth + 1));
  const fields = (one, depth) => Object.fromEntries(Object.keys(one).map((key) => [key, go(one[key], depth + 1)]));
  const mapped = (map, depth) => {
    const pairs = Array.from(map);
    const keyed = pairs.every(([key]) => typeof key === 'string' || typeof key === 'number');
    return keyed ? Object.fromEntries(pairs.map(([key, one]) => [key, go(one, depth + 1)])) : list(pairs, depth);
  };
  const go = (one, depth) => {
    if (typeof one === 'bigint') return `${one}n`;
    if (typeof one === 'symbol') return String(one);
    if (typeof one === 'function') return undefined;
    if (typeof one !== 'object' || one === null) return one;
    // What contains itself is left to the browser, which refuses it.
    if (depth > DEEPEST) throw new RangeError('too deep');
    if (one instanceof Error || kindOf(one) === 'DOMException') return { name: one.name, message: one.message, ...fields(one, depth) };
    if (ArrayBuffer.isView(one) && kindOf(one) !== 'DataView') return one.length > LONGEST ? one : list(one, depth);
    if (Array.isArray(one)) return list(one, depth);
    switch (kindOf(one)) {
      case 'Map': return mapped(one, depth);
      case 'Set': case 'Map Iterator': case 'Set Iterator': case 'Array Iterator': return list(one, depth);
      case 'Date': return Number.isNaN(one.getTime()) ? 'Invalid Date' : one.toISOString();
      case 'RegExp': return String(one);
      case 'ArrayBuffer': return one.byteLength > LONGEST ? one : list(new Uint8Array(one), depth);
    }
    if (typeof one.toJSON === 'function') return go(one.toJSON(), depth + 1);
    return kindOf(one) === 'Object' ? fields(one, depth) : one;
  };
  // The value itself may be one that the browser has a kind for.
  if (typeof value !== 'object') return value;
  try { return go(value, 0); } catch { return value; }
}
