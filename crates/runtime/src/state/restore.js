// Writes into an origin's storage, in an isolated world of a document of it that no server made, and
// returns JSON text: what was not written, and how many entries and databases that makes.
//
// `set` and `remove` are entries of localStorage. A database that is missing is made; with `over`,
// records are also put over those of one that is there. Nothing of a database is ever cleared, dropped
// or made anew: beside what was saved it may hold keys and files that no saved state can.
async (codec, { origin, set, remove, indexedDB: databases, over, waitMs }) => {
  const warnings = [];
  const warn = (about, error) => warnings.push({ about, reason: String(error?.message ?? error) });
  const lost = { items: 0, databases: 0 };
  const result = { origin: self.origin, warnings, lost };
  if (self.origin !== origin) return JSON.stringify(result);

  const writeItems = () => {
    let reason;
    const area = self.localStorage;
    for (const name of remove) area.removeItem(name);
    for (const { name, value } of set) {
      try {
        area.setItem(name, value);
      } catch (error) {
        lost.items++;
        reason = error;
      }
    }
    const one = lost.items === 1;
    if (lost.items) warn(`localStorage, ${lost.items} ${one ? "entry" : "entries"}`, reason);
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

  const build = (db, stores) => {
    for (const store of stores) {
      if (db.objectStoreNames.contains(store.name)) continue;
      const made = db.createObjectStore(store.name, { keyPath: path(store), autoIncrement: store.autoIncrement });
      for (const index of store.indexes) {
        made.createIndex(index.name, path(index), { unique: index.unique, multiEntry: index.multiEntry });
      }
    }
  };

  // Opens the database. One that is not there is made and filled in one transaction: all or nothing.
  const open = (database, there, stores) => new Promise((resolve, reject) => {
    const newer = there && there.version > database.version;
    const request = newer ? indexedDB.open(database.name) : indexedDB.open(database.name, database.version);
    let made = false;
    request.onupgradeneeded = ({ oldVersion }) => {
      made = oldVersion === 0;
      try {
        build(request.result, stores);
        if (made) fill(request.transaction, stores);
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

  const shape = (store) => JSON.stringify([path(store), store.autoIncrement]);

  // Puts records into the stores that are in both and look the same.
  const put = (db, stores) => new Promise((resolve, reject) => {
    const known = stores.filter((store) => db.objectStoreNames.contains(store.name));
    if (!known.length) return resolve([]);
    const transaction = db.transaction(known.map((store) => store.name), "readwrite");
    const same = known.filter((store) => {
      const target = transaction.objectStore(store.name);
      return shape(store) === shape({ keyPath: target.keyPath, autoIncrement: target.autoIncrement });
    });
    fill(transaction, same);
    transaction.oncomplete = () => resolve(same);
    transaction.onabort = () => reject(transaction.error ?? new Error("it was aborted"));
  });

  const writeDatabase = async (database, there) => {
    if (there && !over) return;
    const stores = decoded(database);
    const opening = open(database, there, stores);
    // Whoever comes too late is closed.
    const { db, made } = await limited(opening).catch((error) => {
      opening.then(({ db }) => db.close(), () => {});
      throw error;
    });
    let written;
    try {
      written = made ? stores : await put(db, stores);
    } finally {
      db.close();
    }
    if (stores.length && !written.length) lost.databases++;
    for (const store of stores) {
      const about = `database ${database.name}, store ${store.name}`;
      if (!written.includes(store)) warn(about, "the one in the profile has another form");
      else if (store.bad === 1) warn(`${about}, 1 record`, "it cannot be stored");
      else if (store.bad) warn(`${about}, ${store.bad} records`, "they cannot be stored");
    }
  };

  try {
    if (set.length || remove.length) writeItems();
  } catch (error) {
    lost.items = set.length;
    warn("localStorage", error);
  }
  if (databases.length) {
    try {
      const list = new Map((await indexedDB.databases()).map((info) => [info.name, info]));
      for (const database of databases) {
        try {
          await writeDatabase(database, list.get(database.name));
        } catch (error) {
          lost.databases++;
          warn(`database ${database.name}`, error);
        }
      }
    } catch (error) {
      lost.databases = databases.length;
      warn("indexedDB", error);
    }
  }
  return JSON.stringify(result);
}
