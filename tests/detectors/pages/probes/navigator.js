// What `navigator` says of itself, walked generically so that no property is forgotten.

const SKIP = new Set(['storage', 'serviceWorker']);

// A value as far as it can be compared; objects by their class.
function plain(value, depth = 0) {
  if (value === null || ['string', 'number', 'boolean', 'undefined'].includes(typeof value)) return value ?? String(value);
  if (typeof value === 'function') return 'function';
  if (Array.isArray(value) && depth < 3) return value.map((part) => plain(part, depth + 1));
  return Object.prototype.toString.call(value);
}

probe('navigator values', () => {
  const values = {};
  for (let holder = navigator; holder && holder !== Object.prototype; holder = Object.getPrototypeOf(holder)) {
    for (const key of Object.getOwnPropertyNames(holder)) {
      if (key === 'constructor' || SKIP.has(key)) continue;
      try {
        values[key] = plain(navigator[key]);
      } catch (error) {
        values[key] = `throws ${steady(error)}`;
      }
    }
  }
  return values;
});

probe('navigator shape', () => ({own: shape(navigator), prototype: shape(Object.getPrototypeOf(navigator))}));
