import { IsInt, Matches } from 'class-validator';
import { ServiceError } from '../errors/index.js';
import { refusal, ValidationPipe } from './validation.pipe.js';

class Dto {
  @Matches(/^a$/, refusal('bad_first', 'first must be a.'))
  first!: string;
  @IsInt()
  second!: number;
}

const transform = (value: unknown, metatype: unknown = Dto) =>
  new ValidationPipe().transform(value, { type: 'body', metatype: metatype as never });

function refused(value: unknown): [number, string, string] | undefined {
  try {
    transform(value);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return [error.status, error.code, error.message];
    throw error;
  }
}

describe('the validation pipe', () => {
  it('hands on an instance with the fields that have rules, and no others', () => {
    const dto = transform({ first: 'a', second: 2, third: 3 });
    expect(dto).toBeInstanceOf(Dto);
    expect(dto).toEqual(Object.assign(new Dto(), { first: 'a', second: 2 }));
  });

  it('names the first broken field in the order of their declaration', () => {
    expect(refused({ first: 'b', second: 'x' })).toEqual([400, 'bad_first', 'first must be a.']);
    expect(refused({ second: 2 })).toEqual([400, 'bad_first', 'first must be a.']);
  });

  it('makes a code of the field where its rule has none', () => {
    expect(refused({ first: 'a', second: 'x' })).toEqual([400, 'invalid_second', 'second is not valid.']);
  });

  it.each([undefined, null, [], 'text', 7])('takes %p for an object without fields', (value) => {
    expect(refused(value)?.[1]).toBe('bad_first');
  });

  it('takes no field from a prototype', () => {
    expect(refused(Object.create({ first: 'a', second: 2 }))?.[1]).toBe('bad_first');
  });

  it('leaves alone what is no class with rules', () => {
    for (const type of [String, Object, null, class Plain {}]) expect(transform('x', type)).toBe('x');
  });
});
