import { Ajv } from 'ajv';
import { argumentsCheck } from './arguments.check.js';

it('compiles the rules of schemas once, which takes longer than most schemas do', () => {
  const validate = jest.spyOn(Ajv.prototype, 'validateSchema');
  for (let count = 0; count < 3; count++) argumentsCheck({ type: 'object', properties: { n: { type: 'string' } } });
  expect(validate).toHaveBeenCalledTimes(3);
  expect(new Set(validate.mock.contexts).size).toBe(1);
  validate.mockRestore();
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

it('is over at once, whatever a schema says of itself', () => {
  const schema = { $async: true, type: 'object', required: ['n'] };
  expect(argumentsCheck(schema)({})).toBe("arguments must have required property 'n'");
  expect(argumentsCheck(schema)({ n: 1 })).toBeUndefined();
  const n = { $ref: '#/$defs/n' };
  const within = { type: 'object', properties: { n }, $defs: { n: { $async: true, type: 'string' } } };
  expect(() => argumentsCheck(within)).toThrow('async schema');
});
