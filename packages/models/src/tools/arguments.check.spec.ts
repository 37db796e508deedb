import { argumentsCheck } from './arguments.check.js';

it('compiles the schemas of a large server without holding up everybody else', () => {
  const begun = process.cpuUsage();
  for (let count = 0; count < 200; count++) argumentsCheck({ type: 'object', properties: { n: { type: 'string' } } });
  expect(process.cpuUsage(begun).user).toBeLessThan(3_000_000);
});

it.each([
  [{ type: 'array' }, 'parameters whose type is not "object"'],
  [{ type: 'object', properties: { n: { type: 'nonsense' } } }, 'data/properties/n/type must be equal to one of'],
  [{ type: 'object', properties: { n: { $ref: '#/$defs/none' } } }, "can't resolve reference"],
])('says what is wrong with %j', (parameters, reason) => expect(() => argumentsCheck(parameters)).toThrow(reason));

it('checks arguments, and knows nothing of the schemas of others', () => {
  const named = (type: string) => ({ $id: 'https://example.org/one', type: 'object', properties: { n: { type } } });
  expect(argumentsCheck(named('string'))({ n: 1 })).toBe('arguments/n must be string');
  expect(argumentsCheck(named('number'))({ n: 1 })).toBeUndefined();
});
