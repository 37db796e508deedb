import fc from 'fast-check';
import { mongo } from 'mongoose';
import type { FileUrls } from '../../files/index.js';
import { historyJson } from './history.json.js';
import { present, type MessageDocument } from '../../messages/index.js';

const urls = { sign: (id: string) => `http://chat.test/files/${id}?signature="` } as FileUrls;

/** An array as BSON, as the database returns it. */
function batchOf(documents: readonly object[]): Uint8Array {
  return mongo.BSON.serialize(Object.fromEntries(documents.entries()));
}

/** The reference result, from the driver's objects. */
function plainly(documents: readonly object[], limit: number): string {
  const stored = documents.map((document) => mongo.BSON.deserialize(mongo.BSON.serialize(document)) as MessageDocument);
  return JSON.stringify({
    payload: stored.slice(0, limit).map((message) => present(message, urls)),
    has_more_messages: documents.length > limit,
  });
}

/** Any code point, also half of a pair. The library's own `binary` makes a table of all of them first, which takes seconds. */
const character = fc.nat(0x10ffff).map(
  (code) => String.fromCodePoint(code),
  (one) => String(one).codePointAt(0)!,
);
const text = fc.oneof(
  fc.string({ unit: character, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\u0000', '\u001f', '\u007f', '\u2028', 'é', '😀', '\ud800') }),
);
const date = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.maxSafeInteger(),
  fc.maxSafeInteger().map((n) => mongo.Long.fromNumber(n)),
);
/** Values that this service never stores, but others might. */
const foreign = fc.oneof(
  fc.constantFrom(null, true, new Date(1.7e12), new mongo.ObjectId('65f0a0b0c0d0e0f0a0b0c0d0'), mongo.Long.MAX_VALUE),
  fc.array(text, { maxLength: 2 }),
  fc.record({ nested: text }),
  fc.uint8Array({ maxLength: 5 }),
);
const message = (value: fc.Arbitrary<unknown>, when: fc.Arbitrary<unknown>) =>
  fc.record(
    {
      _id: text,
      project_id: text,
      direction: fc.oneof(fc.constantFrom('incoming', 'outgoing', 'incomin', 'incoming '), value),
      user_id: value,
      request: value,
      answer: value,
      avatar_id: value,
      avatar_name: value,
      date: when,
      chat_type: value,
      language_code: value,
      fileUrl: value,
      file_id: text,
      follows: value,
      lease_until: when,
      another: foreign,
    },
    { requiredKeys: ['_id'] },
  );
const shuffled = (one: fc.Arbitrary<object>) =>
  one.chain((document) =>
    fc
      .shuffledSubarray(Object.entries(document), { minLength: Object.keys(document).length })
      .map((entries) => Object.fromEntries(entries)),
  );

describe('a page of a history as JSON text', () => {
  it("equals JSON.stringify, for any messages in this service's format", () => {
    fc.assert(
      fc.property(
        fc.array(shuffled(message(text, date)), { maxLength: 5 }),
        fc.integer({ min: 1, max: 6 }),
        (all, limit) => {
          expect(historyJson(batchOf(all), limit, urls).toString()).toBe(plainly(all, limit));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('equals JSON.stringify, for messages in any format', () => {
    const any = message(fc.oneof(text, foreign), fc.oneof(date, text, foreign));
    fc.assert(
      fc.property(fc.array(shuffled(any), { maxLength: 4 }), fc.integer({ min: 1, max: 5 }), (all, limit) => {
        expect(historyJson(batchOf(all), limit, urls).toString()).toBe(plainly(all, limit));
      }),
      { numRuns: 1000 },
    );
  });

  it('grows its buffer as needed', () => {
    const all = Array.from({ length: 300 }, (_, n) => ({ _id: String(n), request: '\u0001'.repeat(n * 10), date: n }));
    expect(historyJson(batchOf(all), 300, urls).toString()).toBe(plainly(all, 300));
  });

  it('equals JSON.stringify, for a message without an identifier', () => {
    const all = [
      { _id: 'a', request: 'x', date: 1 },
      { request: 'y', date: 2 },
    ];
    expect(historyJson(batchOf(all), 2, urls).toString()).toBe(plainly(all, 2));
  });

  it('is valid UTF-8 even if the stored text is not', () => {
    const batch = batchOf([{ _id: 'a', request: 'XY' }]);
    batch[batch.indexOf('X'.charCodeAt(0))] = 0xff;
    const json = historyJson(batch, 1, urls);
    expect(JSON.parse(json.toString())).toEqual({
      payload: [{ _id: 'a', request: '\ufffdY' }],
      has_more_messages: false,
    });
    expect(Buffer.from(json.toString()).equals(json)).toBe(true);
  });
});
