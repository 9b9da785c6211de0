(value) => {
  // The same for the page's own world, where most functions may be the page's: only the value itself, and of functions
  // only those of a value that is such a one.
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.getTime() === value.getTime() ? value.toISOString() : 'Invalid Date';
  if (value instanceof RegExp) return `${value}`;
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof Set || value instanceof Int8Array || value instanceof Uint8Array || value instanceof Uint8ClampedArray
    || value instanceof Int16Array || value instanceof Uint16Array || value instanceof Int32Array || value instanceof Uint32Array
    || value instanceof Float32Array || value instanceof Float64Array) return [...value];
  if (!(value instanceof Map)) return value;
  const object = {};
  for (const [key, one] of value) {
    if (typeof key !== 'string' && typeof key !== 'number' || key === '__proto__') return [...value];
    object[key] = one;
  }
  return object;
}
