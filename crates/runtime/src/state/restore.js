// Writes what an origin had stored, in an isolated world of a document of it that no server made, and
// returns JSON text: what was written, and what was not.
//
// `fill` adds the entries and databases that are missing; `prefer` writes over those that are there,
// save for databases of a newer version; `everything` writes over these, too. Entries and databases
// that the saved state does not have are never removed.
async (codec, { origin, policy, localStorage: items, indexedDB: databases, waitMs }) => {
  const warnings = [];
  const warn = (about, error) => warnings.push({ about, reason: String(error?.message ?? error) });
  const result = { origin: self.origin, items: 0, databases: 0, warnings };
  if (self.origin !== origin) return JSON.stringify(result);

  const writeItems = () => {
    let refused = 0;
    let reason;
    const area = self.localStorage;
    for (const { name, value } of items) {
      const there = area.getItem(name);
      if (there === value || (policy === "fill" && there !== null)) continue;
      try {
        area.setItem(name, value);
        result.items++;
      } catch (error) {
        refused++;
        reason = error;
      }
    }
    if (refused) warn(`localStorage, ${refused} entries`, reason);
  };

  const limited = (promise) => new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("another page holds it")), waitMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });

  const path = (item) => item.keyPathArray ?? item.keyPath ?? null;

  // Everything is decoded before the transaction is there; it would not wait.
  const decoded = (database) => database.stores.map((store) => {
    let bad = 0;
    const records = [];
    for (const record of store.records) {
      try {
        const value = "value" in record ? record.value : codec.decode(record.valueEncoded);
        const key = "key" in record ? record.key : codec.decode(record.keyEncoded);
        records.push([value, key]);
      } catch {
        bad++;
      }
    }
    return { ...store, records, bad };
  });

  // In one transaction with the schema or with the removal of what was there: all or nothing.
  const fill = (transaction, stores) => {
    for (const store of stores) {
      const target = transaction.objectStore(store.name);
      for (const [value, key] of store.records) {
        try {
          target.put(value, key).onerror = (event) => {
            // E.g. two values for a unique index; the rest is of use without it.
            event.preventDefault();
            store.bad++;
          };
        } catch {
          store.bad++;
        }
      }
    }
  };

  const build = (db, transaction, stores) => {
    for (const name of [...db.objectStoreNames]) db.deleteObjectStore(name);
    for (const store of stores) {
      const made = db.createObjectStore(store.name, { keyPath: path(store), autoIncrement: store.autoIncrement });
      for (const index of store.indexes) {
        made.createIndex(index.name, path(index), { unique: index.unique, multiEntry: index.multiEntry });
      }
    }
    fill(transaction, stores);
  };

  // Opens the database, made anew if its version is lower than the saved one or it is not there.
  const open = (database, stores) => new Promise((resolve, reject) => {
    const request = indexedDB.open(database.name, database.version);
    let made = false;
    request.onupgradeneeded = () => {
      made = true;
      try {
        build(request.result, request.transaction, stores);
      } catch (error) {
        request.transaction.abort();
        reject(error);
      }
    };
    request.onerror = (event) => {
      event.preventDefault();
      reject(request.error);
    };
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close();
      resolve({ db: request.result, made });
    };
  });

  const drop = (name) => limited(new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = resolve;
    request.onerror = () => reject(request.error);
  }));

  const shape = (store) => JSON.stringify([path(store), store.autoIncrement]);

  // Same version: the schema stays, the records of the stores that are in both are replaced.
  const replace = (db, stores) => new Promise((resolve, reject) => {
    const known = stores.filter((store) => db.objectStoreNames.contains(store.name));
    if (!known.length) return resolve();
    const transaction = db.transaction(known.map((store) => store.name), "readwrite");
    const same = known.filter((store) => {
      const target = transaction.objectStore(store.name);
      return shape(store) === shape({ keyPath: target.keyPath, autoIncrement: target.autoIncrement });
    });
    for (const store of same) transaction.objectStore(store.name).clear();
    fill(transaction, same);
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error ?? new Error("it was aborted"));
  });

  const writeDatabase = async (database, there) => {
    if (there && policy === "fill") return;
    if (there && policy === "everything") await drop(database.name);
    else if (there && there.version > database.version) throw new Error("the one in the profile has a newer version");
    const stores = decoded(database);
    const opening = open(database, stores);
    // Whoever comes too late is closed.
    const { db, made } = await limited(opening).catch((error) => {
      opening.then(({ db }) => db.close(), () => {});
      throw error;
    });
    try {
      if (!made) await replace(db, stores);
    } finally {
      db.close();
    }
    result.databases++;
    for (const store of stores) {
      if (store.bad) warn(`database ${database.name}, store ${store.name}, ${store.bad} records`, "they cannot be stored");
    }
  };

  try {
    if (items.length) writeItems();
  } catch (error) {
    warn("localStorage", error);
  }
  if (databases.length) {
    try {
      const list = new Map((await indexedDB.databases()).map((info) => [info.name, info]));
      for (const database of databases) {
        try {
          await writeDatabase(database, list.get(database.name));
        } catch (error) {
          warn(`database ${database.name}`, error);
        }
      }
    } catch (error) {
      warn("indexedDB", error);
    }
  }
  return JSON.stringify(result);
}
