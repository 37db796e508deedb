/**
 * Shards the collections that grow, for mongosh on a mongos, before or after the first start of the service:
 *
 *   mongosh "mongodb://mongos:27017/avatar_chat" deploy/shard.js
 *
 * Messages stay together by user, since every request reads those of one user; so each request goes to one shard. Chunks
 * of files spread evenly. Everything else stays on the database's primary shard. Can be run again.
 */
/* global db, sh, print */
const name = db.getName();

/** Does nothing if the collection is sharded by this key. */
function shard(collection, key) {
  const namespace = `${name}.${collection}`;
  const known = db.getSiblingDB('config').collections.findOne({ _id: namespace });
  if (known && !known.dropped && !known.unsplittable) {
    if (JSON.stringify(known.key) !== JSON.stringify(key))
      throw new Error(`${namespace} is sharded by ${JSON.stringify(known.key)}`);
    print(`${namespace}: sharded already`);
    return;
  }
  // A collection with documents needs the index first.
  db.getCollection(collection).createIndex(key);
  sh.shardCollection(namespace, key);
  print(`${namespace}: sharded by ${JSON.stringify(key)}`);
}

sh.enableSharding(name);
shard('messages', { project_id: 1, user_id: 1 });
shard('files.chunks', { files_id: 'hashed' });
