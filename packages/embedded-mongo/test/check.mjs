import { ServerState } from '../dist/server/server-state.js';
import { decode } from '../dist/values/bson.js';
import { keysOf, prefix, recordIdOf, verifiedDocument } from '../dist/storage/records.js';

/** Opens a data directory and compares every index with its documents. Returns the faults as strings. */
export async function check(path) {
  const state = new ServerState(path);
  const faults = [];
  try {
    state.refresh();
    for (const collection of state.catalogue.all()) {
      const expected = new Map(collection.indexes.map((index) => [index, new Set()]));
      for (const { key, value } of state.store.docs.getRange({
        start: prefix(collection.id),
        end: prefix(collection.id + 1),
      })) {
        const doc = decode(verifiedDocument(value, collection));
        for (const [index, set] of expected) {
          const keys = keysOf(index, doc);
          if (keys.length > 1 && !index.multikey) faults.push(`${index.spec.name} is not marked as multikey`);
          for (const one of keys) set.add(Buffer.concat([one, recordIdOf(key)]).toString('latin1'));
        }
      }
      for (const [index, set] of expected) {
        let found = 0;
        for (const key of state.store.keys.getKeys({ start: prefix(index.id), end: prefix(index.id + 1) })) {
          found++;
          if (!set.has(key.toString('latin1')))
            faults.push(`${collection.namespace} ${index.spec.name}: an entry without its document`);
        }
        if (found !== set.size)
          faults.push(`${collection.namespace} ${index.spec.name}: ${found} entries, ${set.size} expected`);
      }
    }
  } finally {
    await state.close();
  }
  return faults;
}
