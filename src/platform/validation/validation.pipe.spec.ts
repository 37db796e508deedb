import { Transform, Type } from 'class-transformer';
import { IsArray, IsInt, IsObject, IsOptional, IsString, Matches, Min, ValidateNested } from 'class-validator';
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

const refused = (value: unknown) => refusedAs(Dto, value);

function refusedAs(type: unknown, value: unknown): [number, string, string] | undefined {
  try {
    transform(value, type);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return [error.status, error.code, error.message];
    throw error;
  }
}

describe('the validation pipe', () => {
  it('returns an instance with the fields that have rules, and no others', () => {
    const dto = transform({ first: 'a', second: 2, third: 3 });
    expect(dto).toBeInstanceOf(Dto);
    expect(dto).toEqual(Object.assign(new Dto(), { first: 'a', second: 2 }));
  });

  it('reports the first invalid field in the order of declaration', () => {
    expect(refused({ first: 'b', second: 'x' })).toEqual([400, 'bad_first', 'first must be a.']);
    expect(refused({ second: 2 })).toEqual([400, 'bad_first', 'first must be a.']);
  });

  it('refuses a body that is no object, although none of its fields is required', () => {
    class Lenient {
      @IsOptional()
      @IsInt()
      number?: number;
    }
    for (const body of [[], [null, null], 'x', 1, null]) expect(refusedAs(Lenient, body)?.[1]).toBe('invalid_json');
    for (const body of [undefined, {}]) expect(refusedAs(Lenient, body)).toBeUndefined();
  });

  it('derives a code from the field if its rule has none', () => {
    expect(refused({ first: 'a', second: 'x' })).toEqual([400, 'invalid_second', 'second is not valid.']);
  });

  it.each([undefined, null, [], 'text', 7])('treats %p as an object without fields', (value) => {
    expect(refused(value)?.[1]).toBe('bad_first');
  });

  it('takes no field from a prototype', () => {
    expect(refused(Object.create({ first: 'a', second: 2 }))?.[1]).toBe('bad_first');
  });

  it('passes single values of types without rules through', () => {
    for (const type of [String, Object, null, Date, class Plain {}]) expect(transform('x', type)).toBe('x');
    const bytes = Buffer.from('x');
    expect(transform(bytes, Buffer)).toBe(bytes);
  });

  it.each([{ role: 'admin' }, [{ role: 'admin' }], Object.create({ role: 'admin' })])(
    'drops all fields of a class without rules: %j',
    (value) => {
      const dto = transform(value, Unruled);
      expect(dto).toBeInstanceOf(Unruled);
      expect(Object.keys(dto as object)).toEqual([]);
    },
  );

  it('passes on what a parameter decorator returns', () => {
    const owner = { role: 'admin' };
    expect(new ValidationPipe().transform(owner, { type: 'custom', metatype: Unruled })).toBe(owner);
  });
});

class Unruled {
  role?: string;
}
class Guest {
  @IsString()
  name!: string;
}
/** Without `@Type`, nothing says of which class the items are. */
class Party {
  @ValidateNested({ each: true })
  guests!: Guest[];
}
class Unchecked {
  @ValidateNested({ each: true })
  @Type(() => Unruled)
  items!: Unruled[];
}

class Place {
  @IsString()
  street!: string;
}
class Item {
  @IsInt(refusal('invalid_count', 'count must be a whole number.'))
  count!: number;
}
class Order {
  @Type(() => Number)
  @Min(1)
  page!: number;
  @Transform(({ value }) => String(value).trim())
  @IsString()
  note!: string;
  @ValidateNested()
  shipTo!: Place;
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Item)
  items!: Item[];
  @IsObject()
  extra!: Record<string, unknown>;
}
const ORDER = {
  page: '2',
  note: ' a ',
  shipTo: { street: 'Elm', x: 1 },
  items: [{ count: 1, y: 2 }],
  extra: { z: { z: 1 } },
};

describe('the validation pipe, for nested classes', () => {
  it('converts only by decorators, creates instances at all levels, and drops fields without rules', () => {
    const order = transform({ ...ORDER, more: 1 }, Order) as Order;
    expect(order).toBeInstanceOf(Order);
    expect([order.shipTo, order.items[0]]).toEqual([expect.any(Place), expect.any(Item)]);
    expect({ ...order, shipTo: { ...order.shipTo }, items: order.items.map((item) => ({ ...item })) }).toEqual({
      page: 2,
      note: 'a',
      shipTo: { street: 'Elm' },
      items: [{ count: 1 }],
      extra: { z: { z: 1 } },
    });
  });

  it.each<[string, object, [number, string, string]]>([
    ['a field of one', { shipTo: { street: 1 } }, [400, 'invalid_ship_to', 'shipTo.street is not valid.']],
    ['a code of its own', { items: [{ count: 1 }, {}] }, [400, 'invalid_count', 'count must be a whole number.']],
    ['what is none', { items: [7] }, [400, 'invalid_items', 'items.0 is not valid.']],
    ['what cannot be converted', { page: 'x' }, [400, 'invalid_page', 'page is not valid.']],
  ])('names %s', (_, change, error) => {
    expect(refusedAs(Order, { ...ORDER, ...change })).toEqual(error);
  });

  it.each<[string, unknown, object, string]>([
    ['without @Type', Party, { guests: [{ name: 'Bob', evil: 2 }] }, 'guests.0 is not valid.'],
    ['without rules', Unchecked, { items: [{ role: 'admin' }] }, 'items.0 is not valid.'],
  ])('rejects items of a class %s, of which no field can be checked', (_, type, value, message) => {
    expect(refusedAs(type, value)?.[2]).toBe(message);
  });

  it('rejects values nested so deeply that their conversion would exhaust the stack', () => {
    const deep = JSON.parse(`${'['.repeat(30_000)}${']'.repeat(30_000)}`) as unknown;
    expect(refusedAs(Order, { ...ORDER, extra: deep })).toEqual([400, 'invalid_extra', 'extra is not valid.']);
  });
});
