// Values of IndexedDB to JSON and back.
//
// What JSON can say stays as it is, so that files can be read by people and by Playwright. All else
// takes the form that Playwright 1.65 gives it (v, d, bi, e, r, ta, ab, a, o, m, s, ref). What it has
// no form for is an `szk` object that also says {v: "undefined"}: others read it as undefined.
// Runs in an isolated world, where prototypes are the ones of values read from the database and out of
// the page's reach.
() => {
  const arrays = {
    i8: Int8Array, ui8: Uint8Array, ui8c: Uint8ClampedArray, i16: Int16Array, ui16: Uint16Array,
    i32: Int32Array, ui32: Uint32Array, f32: Float32Array, f64: Float64Array,
    bi64: BigInt64Array, bui64: BigUint64Array,
  };
  const boxes = { Number, String, Boolean, BigInt };

  const toBase64 = (bytes) => {
    let text = "";
    // Arguments of a call live on the stack: not too many at once.
    for (let at = 0; at < bytes.length; at += 8192) {
      text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    }
    return btoa(text);
  };
  const fromBase64 = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const view = (value) => new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  const own = (t, fields) => ({ v: "undefined", szk: { t, ...fields } });
  const number = (value) => {
    if (Number.isNaN(value)) return { v: "NaN" };
    if (Object.is(value, -0)) return { v: "-0" };
    if (!Number.isFinite(value)) return { v: value > 0 ? "Infinity" : "-Infinity" };
    return value;
  };

  // Encodes one value. `spend(bytes)` throws when there is no room left; `later(promise)` is told of
  // contents that can only be read outside of a transaction.
  const encode = (value, spend, later) => {
    const seen = new Map();
    let plain = true;
    const enter = (object) => {
      seen.set(object, seen.size + 1);
      return seen.size;
    };
    const pairs = (entries, walk) => Array.from(entries, ([k, v]) => ({ k: walk(k), v: walk(v) }));
    const walk = (value) => {
      spend(16);
      switch (typeof value) {
        case "string":
          spend(value.length);
          return value;
        case "boolean":
          return value;
        case "number": {
          const encoded = number(value);
          if (encoded !== value || Object.is(value, -0)) plain = false;
          return encoded;
        }
        case "bigint":
          plain = false;
          return { bi: value.toString() };
        case "undefined":
          plain = false;
          return { v: "undefined" };
      }
      if (value === null) return { v: "null" };
      if (seen.has(value)) {
        plain = false;
        return { ref: seen.get(value) };
      }
      if (Array.isArray(value)) {
        const id = enter(value);
        const a = [];
        for (let index = 0; index < value.length; index++) {
          if (index in value) a.push(walk(value[index]));
          else {
            spend(16);
            plain = false;
            a.push(own("hole", {}));
          }
        }
        // Names beside the elements have no place in an array of JSON; holes do not count as names.
        if (Object.keys(value).length > value.length) throw new Error("an array with named properties");
        return { a, id };
      }
      const type = Object.prototype.toString.call(value).slice(8, -1);
      if (type === "Object" && Object.getPrototypeOf(value) === Object.prototype) {
        const id = enter(value);
        return { o: Object.keys(value).map((k) => (spend(k.length), { k, v: walk(value[k]) })), id };
      }
      plain = false;
      if (value instanceof Date) {
        return Number.isNaN(value.getTime()) ? own("date", {}) : { d: value.toJSON() };
      }
      if (value instanceof RegExp) return { r: { p: value.source, f: value.flags } };
      if (value instanceof Map) {
        const id = enter(value);
        return { m: pairs(value, walk), id };
      }
      if (value instanceof Set) {
        const id = enter(value);
        return { s: Array.from(value, walk), id };
      }
      if (ArrayBuffer.isView(value)) {
        spend(value.byteLength * 1.4);
        const b = toBase64(view(value));
        if (value instanceof DataView) return own("dataview", { b });
        const k = Object.keys(arrays).find((k) => value instanceof arrays[k]);
        return k ? { ta: { b, k } } : own("array", { type, b });
      }
      if (value instanceof ArrayBuffer) {
        spend(value.byteLength * 1.4);
        return { ab: { b: toBase64(new Uint8Array(value)) } };
      }
      if (value instanceof Blob) {
        spend(value.size * 1.4);
        const file = value instanceof File ? { name: value.name, modified: value.lastModified } : {};
        const encoded = own("blob", { type: value.type, ...file });
        later(value.arrayBuffer().then((buffer) => {
          encoded.szk.b = toBase64(new Uint8Array(buffer));
        }));
        return encoded;
      }
      if (value instanceof Error) {
        return { e: { n: value.name, m: value.message, s: String(value.stack ?? "") } };
      }
      if (type in boxes && typeof value.valueOf() !== "object") {
        return own("box", { value: walk(value.valueOf()) });
      }
      throw new Error(`a ${type}`);
    };
    const encoded = walk(value);
    // Decided last: an object is plain only if everything in it is.
    return plain ? { plain: value } : { encoded };
  };

  const decodeOwn = (szk, walk) => {
    switch (szk.t) {
      case "date":
        return new Date(NaN);
      case "dataview":
        return new DataView(fromBase64(szk.b).buffer);
      case "array":
        return new globalThis[szk.type](fromBase64(szk.b).buffer);
      case "box":
        return Object(walk(szk.value));
      case "blob":
        return szk.name === undefined
          ? new Blob([fromBase64(szk.b)], { type: szk.type })
          : new File([fromBase64(szk.b)], szk.name, { type: szk.type, lastModified: szk.modified });
    }
    throw new Error("an unknown kind of value");
  };

  const decode = (encoded) => {
    const seen = new Map();
    const specials = { undefined, null: null, NaN, Infinity, "-Infinity": -Infinity, "-0": -0 };
    const enter = (id, object) => {
      seen.set(id, object);
      return object;
    };
    const walk = (value) => {
      if (value === null || typeof value !== "object") return value;
      if ("szk" in value) return decodeOwn(value.szk, walk);
      if ("ref" in value) return seen.get(value.ref);
      if ("v" in value) return specials[value.v];
      if ("d" in value) return new Date(value.d);
      if ("u" in value) return String(value.u);
      if ("bi" in value) return BigInt(value.bi);
      if ("r" in value) return new RegExp(value.r.p, value.r.f);
      if ("ta" in value) return new arrays[value.ta.k](fromBase64(value.ta.b).buffer);
      if ("ab" in value) return fromBase64(value.ab.b).buffer;
      if ("e" in value) {
        const error = new Error(value.e.m);
        error.name = value.e.n;
        error.stack = value.e.s;
        return error;
      }
      if ("a" in value) {
        const array = enter(value.id, []);
        for (const item of value.a) {
          if (item?.szk?.t === "hole") array.length++;
          else array.push(walk(item));
        }
        return array;
      }
      if ("m" in value) {
        const map = enter(value.id, new Map());
        for (const { k, v } of value.m) map.set(walk(k), walk(v));
        return map;
      }
      if ("s" in value) {
        const set = enter(value.id, new Set());
        for (const item of value.s) set.add(walk(item));
        return set;
      }
      if ("o" in value) {
        const object = enter(value.id, {});
        for (const { k, v } of value.o) {
          // Not by assignment: `__proto__` is a name like any other here.
          Object.defineProperty(object, k, { value: walk(v), configurable: true, enumerable: true, writable: true });
        }
        return object;
      }
      throw new Error("an unknown kind of value");
    };
    return walk(encoded);
  };

  return { encode, decode };
}
