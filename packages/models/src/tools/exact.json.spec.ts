import { parseExactly } from './exact.json.js';

it.each<[string, unknown]>([
  ['9400111899223197428490', '9400111899223197428490'],
  ['[-12345678901234567890,9007199254740991,-0.5,1e5,0]', ['-12345678901234567890', 9007199254740991, -0.5, 1e5, 0]],
  ['{"a":"1234567890123456789","b\\"1234567890123456789":{"c":1234567890123456789}}', { a: '1234567890123456789', 'b"1234567890123456789': { c: '1234567890123456789' } }], // prettier-ignore
  ['"\\\\" ', '\\'],
])('keeps the digits of %s', (text, value) => expect(parseExactly(text)).toEqual(value));

it.each(['', '{"a":1', '12345678901234567890x', '"1'])('is as strict as JSON: %j', (text) =>
  expect(() => parseExactly(text)).toThrow(SyntaxError),
);
