/** The message histories to read, in the service's stored format. */
import { mongo } from 'mongoose';

export const USERS = Array.from({ length: 50 }, (_, i) => `bench-${i}`);
export const LENGTH = 1000;
const BATCH = 5000;

/** Plausible requests and answers. Some have non-ASCII characters, some line breaks. */
const SAYINGS = [
  'Hello! Could you tell me what the weather is going to be like in Lisbon on Saturday?',
  'Thanks.\nAnd on Sunday?',
  '¿Y cuánto cuesta la entrada para dos adultos y un niño?',
  'How do I get from the station to the museum, and is it open today?',
];
const ANSWERS = [
  'It will be sunny with a light breeze from the sea, around 24 °C in the afternoon. Take a hat along!',
  'A little cooler, "but pleasant": 21 °C, and perhaps a few clouds in the evening.',
  'La entrada cuesta 12 € por adulto; los niños entran gratis hasta los doce años.',
  'It is a walk of ten minutes: leave by the main exit, turn left, follow the river as far as the second bridge, and the museum is the tall brick building right in front of you. It is open until six.',
];

/** @param {number} i the index in its history, from 0 @param {number} serial the index over all histories, from 0 */
function message(user_id, i, serial) {
  const id = (n) => `65${n.toString(16).padStart(22, '0')}`;
  const turn = Math.floor(i / 2);
  const incoming = i % 2 === 1;
  return {
    _id: id(serial),
    project_id: 'default',
    user_id,
    avatar_id: 'ada',
    request: SAYINGS[turn % SAYINGS.length],
    chat_type: 'text',
    language_code: 'en',
    direction: incoming ? 'incoming' : 'outgoing',
    ...(incoming ? { answer: ANSWERS[turn % ANSWERS.length], avatar_name: 'Ada', answers: id(serial - 1) } : {}),
    date: 1.76e12 + i * 1000,
    follows: i === 0 ? '' : id(serial - 1),
  };
}

/**
 * Fills the database of the service, after the service has built its indexes, and those of its peers.
 *
 * @param {string} uri
 * @param {Record<string, number>} [more] further users, and their numbers of messages
 * @param {{ parseUri: string, catalogue: any }} [peers]
 */
export async function fill(uri, more = {}, peers) {
  const client = await new mongo.MongoClient(uri).connect();
  const db = client.db();
  /** @type {mongo.Collection<any>} */
  const messages = db.collection('messages');
  let serial = 0;
  const lengths = { ...Object.fromEntries(USERS.map((user) => [user, LENGTH])), ...more };
  for (const [user_id, length] of Object.entries(lengths)) {
    for (let from = 0; from < length; from += BATCH) {
      const count = Math.min(BATCH, length - from);
      await messages.insertMany(Array.from({ length: count }, (_, i) => message(user_id, from + i, serial++)));
    }
  }
  if (peers) await fillPeers(client, peers, serial);
  await client.close();
}

async function fillPeers(client, { parseUri, catalogue }, serial) {
  // The same in Parse Server's format: its class, its index, its field names.
  /** @type {mongo.Collection<any>} */
  const parse = client.db(new URL(parseUri).pathname.slice(1)).collection('Message');
  await parse.createIndex({ project_id: 1, user_id: 1, date: -1 });
  for (const user_id of USERS) {
    const now = new Date();
    const all = Array.from({ length: LENGTH }, (_, i) => message(user_id, i, serial++));
    await parse.insertMany(all.map(({ _id, ...rest }) => ({ _id, ...rest, _created_at: now, _updated_at: now })));
  }
  const db = client.db();
  await db.collection('bench_avatars').insertMany(catalogue.avatars_info);
  await db.collection('bench_languages').insertMany(catalogue.languages);
}
