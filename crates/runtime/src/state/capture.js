// Reads what an origin has stored, in an isolated world of one of its documents, and returns it as
// JSON text. The page sees nothing of it: databases are opened as they are and closed at once, also
// when the page wants to change or delete one; nothing is created, nothing written.
async (codec, options) => {
  const warnings = [];
  const warn = (about, error) => warnings.push({ about, reason: String(error?.message ?? error) });
  const result = { origin: self.origin, top: self === self.top, localStorage: [], sessionStorage: [], warnings };
  // Nothing but websites can be restored.
  if (!/^https?:/.test(self.origin)) return JSON.stringify(result);
  let room = options.maxBytes;

  const items = (what) => {
    const list = [];
    try {
      // By index: a key may be called `length`.
      const area = self[what];
      for (let index = 0; index < area.length; index++) {
        const name = area.key(index);
        const value = area.getItem(name);
        if (value !== null) list.push({ name, value });
      }
    } catch (error) {
      warn(what, error);
    }
    return list;
  };

  // Opens a database that exists, or rejects. A late success is closed, whoever waits for it.
  const open = (name) => new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    let waiting = true;
    const timer = setTimeout(() => {
      waiting = false;
      reject(new Error("it is being upgraded or deleted"));
    }, options.openMs);
    const settle = (how, what) => {
      clearTimeout(timer);
      waiting = false;
      how(what);
    };
    // It was deleted meanwhile: aborting leaves none behind.
    request.onupgradeneeded = () => request.transaction.abort();
    request.onerror = (event) => {
      event.preventDefault();
      settle(reject, request.error);
    };
    request.onsuccess = () => {
      const db = request.result;
      db.onversionchange = () => db.close();
      if (waiting) settle(resolve, db);
      else db.close();
    };
  });

  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    // A record that cannot be read must not abort the reading of the others.
    request.onerror = (event) => {
      event.preventDefault();
      reject(request.error);
    };
  });

  const keyPath = (path) => Array.isArray(path) ? { keyPathArray: path } : path === null ? {} : { keyPath: path };

  // All records of a store, some at a time. Values that cannot be read together are read alone.
  const read = async (store, visit) => {
    const some = 256;
    let range = null;
    for (;;) {
      const keys = await done(store.getAllKeys(range, some));
      let values = null;
      try {
        values = await done(store.getAll(range, some));
      } catch {}
      for (let index = 0; index < keys.length; index++) {
        try {
          visit(keys[index], values ? values[index] : await done(store.get(keys[index])));
        } catch (error) {
          if (error?.name === "NoRoom") throw error;
          visit(null, null, error);
        }
      }
      if (keys.length < some) return;
      range = IDBKeyRange.lowerBound(keys[keys.length - 1], true);
    }
  };

  const database = async ({ name, version }) => {
    const before = room;
    const later = [];
    const spend = (bytes) => {
      room -= bytes;
      if (room < 0) throw Object.assign(new Error("it is too large"), { name: "NoRoom" });
    };
    const db = await open(name);
    try {
      const stores = [];
      const names = [...db.objectStoreNames];
      const transaction = names.length ? db.transaction(names, "readonly") : null;
      for (const storeName of names) {
        const store = transaction.objectStore(storeName);
        const records = [];
        const skipped = new Map();
        await read(store, (key, value, error) => {
          try {
            if (error) throw error;
            const record = {};
            // Blobs are read when the transaction is over; until then the record is kept apart.
            const contents = [];
            const put = (plain, encoded, value) => {
              const coded = codec.encode(value, spend, (content) => contents.push(content));
              if ("encoded" in coded) record[encoded] = coded.encoded;
              else record[plain] = coded.plain;
            };
            if (store.keyPath === null) put("key", "keyEncoded", key);
            put("value", "valueEncoded", value);
            records.push(record);
            if (contents.length) {
              later.push(Promise.all(contents).catch((error) => {
                records.splice(records.indexOf(record), 1);
                warn(`database ${name}, store ${storeName}, one record`, error);
              }));
            }
          } catch (error) {
            if (error?.name === "NoRoom") throw error;
            const reason = String(error?.message ?? error);
            skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
          }
        });
        for (const [reason, count] of skipped) {
          warn(`database ${name}, store ${storeName}, ${count} records`, reason);
        }
        const indexes = [...store.indexNames].map((indexName) => {
          const index = store.index(indexName);
          return { name: index.name, ...keyPath(index.keyPath), multiEntry: index.multiEntry, unique: index.unique };
        });
        stores.push({ name: storeName, ...keyPath(store.keyPath), autoIncrement: store.autoIncrement, records, indexes });
      }
      // The version of what was read, which need not be that of the list any more.
      version = db.version;
      db.close();
      await Promise.all(later);
      return { name, version, stores };
    } catch (error) {
      // Half a database is worse than none.
      room = before;
      throw error;
    } finally {
      db.close();
    }
  };

  result.localStorage = items("localStorage");
  result.sessionStorage = items("sessionStorage");
  if (options.indexedDB) {
    try {
      result.indexedDB = [];
      result.unread = [];
      const list = await indexedDB.databases();
      list.sort((a, b) => (a.name < b.name ? -1 : 1));
      for (const info of list) {
        try {
          result.indexedDB.push(await database(info));
        } catch (error) {
          result.unread.push(info.name);
          warn(`database ${info.name}`, error);
        }
      }
    } catch (error) {
      delete result.indexedDB;
      warn("indexedDB", error);
    }
  }
  return JSON.stringify(result);
}
