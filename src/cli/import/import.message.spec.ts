import { readMessage } from './import.message.js';

const projects = new Set(['default', 'other']);
const NOW = 1_763_700_000_000;
const DAY = 86_400_000;

const outgoing = {
  user_id: 'u_1',
  direction: 'outgoing',
  request: 'How far is the moon?',
  avatar_id: 'ada',
  date: 1_700_000_000_000,
  chat_type: 'text',
  language_code: 'en',
};
const incoming = { ...outgoing, direction: 'incoming', answer: 'About 384,400 km.', avatar_name: 'Ada' };

function read(line: string | Buffer | object, number = 2) {
  const text = typeof line === 'string' || Buffer.isBuffer(line) ? line : JSON.stringify(line);
  return readMessage({ number, bytes: Buffer.from(text as string), end: 0 }, projects, NOW);
}

function messageOf(line: string | object, number?: number) {
  const reading = read(line, number);
  if (!reading || !('message' in reading)) throw new Error(`not a message: ${JSON.stringify(reading)}`);
  return reading.message;
}

describe('takes', () => {
  it('an outgoing message', () => {
    expect(messageOf(outgoing)).toEqual({ ...outgoing, _id: expect.any(String), project_id: 'default' });
  });

  it('an incoming message with all fields', () => {
    const fileUrl = 'https://a.example/b.mp3?c=d#e';
    const full = { ...incoming, _id: 'A-1_b', project_id: 'other', fileUrl, rating: 'down' };
    expect(messageOf(full)).toEqual(full);
  });

  it.each<[string, object]>([
    ['an empty request', { request: '' }],
    ['8,000 characters', { request: 'x'.repeat(8000) }],
    ['8,000 characters of two UTF-16 code units each', { request: '😀'.repeat(8000) }],
    ['a NUL, a newline and Unicode separators', { request: 'a\0b\n\u2028\u2029\uFEFF' }],
    ['a text of another script', { request: 'Как далеко до Луны? 🌒' }],
    ['the first date', { date: 0 }],
    ['the last date', { date: NOW + DAY }],
    ['voice', { chat_type: 'voice' }],
    ['video', { chat_type: 'video' }],
    ['a language with a region', { language_code: 'pt-BR' }],
    ['an unknown avatar', { avatar_id: 'x'.repeat(128) }],
    ['a recording', { fileUrl: 'http://127.0.0.1:3000/files/1' }],
    ['8,000 characters that each have a variation selector', { request: '❤️'.repeat(8000) }],
    ['a URL of 2,000 characters', { fileUrl: `http://a.example/${'x'.repeat(1983)}` }],
  ])('%s', (_, fields) => {
    expect(messageOf({ ...outgoing, ...fields })).toMatchObject(fields);
  });

  it('escaped characters as what they stand for', () => {
    expect(messageOf(JSON.stringify(outgoing).replace('moon', '\\ud83c\\udf12')).request).toBe('How far is the 🌒?');
  });

  it('negative zero as zero', () => {
    expect(Object.is(messageOf(JSON.stringify({ ...outgoing, date: 7 }).replace(':7', ':-0')).date, 0)).toBe(true);
  });

  it('a line with a carriage return, and a first one with a byte order mark', () => {
    expect(messageOf(`\uFEFF${JSON.stringify(outgoing)}\r`, 1)).toMatchObject(outgoing);
  });

  it('only the fields of a message', () => {
    const more = {
      follows: 'x',
      rating: 'up',
      answer: 'x',
      avatar_name: 'x',
      constructor: 1,
      $where: '1',
      nested: { a: [1] },
    };
    expect(messageOf({ ...outgoing, ...more })).toEqual(messageOf(outgoing));
    expect(messageOf(JSON.stringify(outgoing).replace('{', '{"__proto__":{"fileUrl":"http://x"},'))).toEqual(
      messageOf(outgoing),
    );
  });
});

it.each(['', ' ', '\t \r'])('skips a blank line: %j', (line) => {
  expect(read(line)).toBeUndefined();
});

describe('refuses', () => {
  it.each<[string, string | Buffer, string]>([
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'is not UTF-8'],
    ['truncated JSON', '{"user_id":', 'is not valid JSON'],
    ['two objects', '{}{}', 'is not valid JSON'],
    ['a byte order mark that is not at the start', '\uFEFF{}', 'is not valid JSON'],
    ['an array', '[]', 'is not a JSON object'],
    ['null', 'null', 'is not a JSON object'],
    ['a text', '"a"', 'is not a JSON object'],
  ])('%s', (_, line, fault) => {
    expect(read(line)).toEqual({ faults: [fault] });
  });

  it('a line above the limit', () => {
    expect(readMessage({ number: 1, bytes: 'too long', end: 0 }, projects, NOW)).toEqual({ faults: ['is too long'] });
  });

  it.each([
    'user_id',
    'direction',
    'request',
    'avatar_id',
    'date',
    'chat_type',
    'language_code',
    'answer',
    'avatar_name',
  ])('an incoming message without %s', (field) => {
    const { [field]: _, ...rest } = incoming as Record<string, unknown>;
    expect(read(rest)).toMatchObject({ faults: expect.arrayContaining([`${field} is missing`]) });
  });

  it.each<[string, unknown[]]>([
    ['_id', ['', 'x'.repeat(129), 'a.b', 'a b', 'a\n', 'é', 1, null, { $gt: '' }]],
    ['project_id', ['', 'x'.repeat(65), 'a_b', 'default\n', 1, null, ['default']]],
    ['user_id', ['', 'x'.repeat(129), 'a b', 'a\n', 'é', 1, null, ['u']]],
    ['direction', ['Outgoing', '', 1, null]],
    ['request', [1, null, ['a'], 'x'.repeat(8001), '😀'.repeat(8001), '\ud800', 'a\udc00b']],
    ['answer', [1, null, {}, 'x'.repeat(100_001), '\udfff']],
    ['avatar_id', ['', 'a b', 'x'.repeat(129), 1, null]],
    ['avatar_name', ['', 'x'.repeat(201), 1, null]],
    ['date', [-1, 1.5, NOW + DAY + 1, 8_640_000_000_000_000, 2 ** 53, '1', null, true, '2026-01-01']],
    ['rating', ['Up', '', null, 1]],
    ['chat_type', ['Text', 'audio', '', null, 1]],
    ['language_code', ['', 'e', 'english-', 'en_US', 'en US', 'toolongacode', 1, null]],
    [
      'fileUrl',
      [
        '',
        '/files/1',
        'ftp://a.example/b',
        'http://',
        'https://a b',
        'http://a.example/\n',
        'javascript:alert(1)',
        null,
        1,
        `http://a.example/${'x'.repeat(1984)}`,
      ],
    ],
  ])('an invalid %s', (field, values) => {
    for (const value of values) {
      const faults = [expect.stringMatching(new RegExp(`^${field} must be`))];
      // A discriminated union: with an invalid direction, answer and avatar_name are not validated.
      expect([value, read({ ...incoming, [field]: value })]).toEqual([value, { faults }]);
    }
  });

  it('a number that overflows', () => {
    expect(read(JSON.stringify({ ...outgoing, date: 7 }).replace(':7', ':1e400'))).toMatchObject({
      faults: [/^date must/].map(expect.stringMatching),
    });
  });

  it('an unknown project', () => {
    expect(read({ ...outgoing, project_id: 'nowhere' })).toEqual({ faults: ['project_id names no project'] });
  });

  it('several faults, all at once, without quoting the line', () => {
    const reading = read({
      ...incoming,
      user_id: 'SECRET SECRET',
      date: 'SECRET',
      request: ['SECRET'],
      project_id: 'SECRET',
    });
    expect(reading).toMatchObject({
      faults: [expect.stringMatching(/^user_id/), expect.stringMatching(/^request/), expect.stringMatching(/^date/)],
    });
    expect(JSON.stringify(reading)).not.toContain('SECRET');
    expect(JSON.stringify(read('{"SECRET":SECRET}'))).not.toContain('SECRET');
  });
});

describe('the identifier of a line without one', () => {
  it('is 24 hexadecimal digits, regardless of the order of the fields and of extra ones', () => {
    const { _id } = messageOf(outgoing);
    expect(_id).toMatch(/^[0-9a-f]{24}$/);
    expect(
      messageOf({ more: 1, ...Object.fromEntries(Object.entries(outgoing).reverse()), project_id: 'default' })._id,
    ).toBe(_id);
  });

  it.each<[string, object]>([
    ['project_id', { project_id: 'other' }],
    ['user_id', { user_id: 'u_2' }],
    ['request', { request: 'How far is the Moon?' }],
    ['answer', { answer: '' }],
    ['avatar_id', { avatar_id: 'bruno' }],
    ['avatar_name', { avatar_name: 'ada' }],
    ['date', { date: 1_700_000_000_001 }],
    ['chat_type', { chat_type: 'voice' }],
    ['language_code', { language_code: 'de' }],
    ['fileUrl', { fileUrl: 'http://a.example/b' }],
    ['direction', { direction: 'outgoing' }],
  ])('changes with its %s', (_, fields) => {
    expect(messageOf({ ...incoming, ...fields })._id).not.toBe(messageOf(incoming)._id);
  });

  it('is the same in every release, or importing again would add everything again', () => {
    expect(messageOf(outgoing)._id).toBe('e10f66ed27d7cd718c04f816');
    expect(messageOf({ ...incoming, fileUrl: 'http://a.example/b' })._id).toBe('f9d6f23800f134dc1043d4bd');
  });
});

it('a memory, all of whose fields are checked', () => {
  const [project_id] = projects;
  const memory = { memory_id: 'a'.repeat(24), project_id, user_id: 'ann', text: 'Likes tea.', created: 1000 };
  expect(read({ memory: { ...memory, more: 1 } })).toEqual({ memory });
  expect(read({ memory: { ...memory, text: 'x'.repeat(301) } })).toEqual({ faults: ['memory.text is not valid'] });
  expect(read({ memory: { ...memory, project_id: 'nobody' } })).toEqual({ faults: ['project_id names no project'] });
  expect(read({ memory: 7 })).toMatchObject({ faults: { length: 5 } });
});
