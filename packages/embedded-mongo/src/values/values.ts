import { BSONSymbol } from 'bson';
import { Binary, Decimal128, Double, Long, isDocument, isLong, isNumber, toNumber } from './bson.js';
import { CommandError } from '../wire/errors.js';
import { unsupported } from '../wire/options.js';
import { EMPTY, compare, rank, rankOf, sortable } from './order.js';

/** The four types of numbers, from narrow to wide. */
const kinds = ['int', 'long', 'double', 'decimal'] as const;
type Kind = (typeof kinds)[number];

export const isInt = (value: unknown): value is number =>
  typeof value === 'number' && (value | 0) === value && !Object.is(value, -0);

export function kindOf(value: unknown): Kind {
  if (isLong(value)) return 'long';
  if (value instanceof Decimal128) return 'decimal';
  return isInt(value) ? 'int' : 'double';
}

export const widest = (values: unknown[]): Kind =>
  kinds[Math.max(0, ...values.map((value) => kinds.indexOf(kindOf(value))))]!;

/** A double, even for an integral value. */
export const double = (value: number): number | Double => (isInt(value) ? new Double(value) : value);

export const bigOf = (value: unknown): bigint => (isLong(value) ? value.toBigInt() : BigInt(toNumber(value)));

/** A 32-bit integer if it fits and `long` is not set, else a 64-bit one; beyond 64 bits a double. */
export function integer(value: bigint, long = false): number | Long | Double {
  if (!long && BigInt.asIntN(32, value) === value) return Number(value);
  return BigInt.asIntN(64, value) === value ? Long.fromBigInt(value) : double(Number(value));
}

/** Null or missing. */
export const isNullish = (value: unknown): value is null | undefined => value === null || value === undefined;

/** True in an expression: everything but false, null, missing, and 0. */
export const isTrue = (value: unknown): boolean =>
  isNumber(value) ? toNumber(value) !== 0 : value !== false && !isNullish(value);

/** Compares as expressions do: a missing value is less than null. */
export const compareValues = (a: unknown, b: unknown): number => compare(a ?? whole(a), b ?? whole(b));
const whole = (value: unknown): unknown => (value === undefined ? EMPTY : value);

/** Equal values have the same key, different values different ones. */
export function keyOf(value: unknown): string {
  if (typeof value === 'string') return `s${value}`;
  if (isNumber(value) && !(value instanceof Decimal128)) {
    const number = toNumber(value);
    if (Number.isSafeInteger(number)) return `n${number}`;
  }
  return `b${sortable(value === undefined ? EMPTY : value).toString('latin1')}`;
}

const types: [number, string][] = [
  [rank.min, 'minKey'],
  [rank.string, 'string'],
  [rank.object, 'object'],
  [rank.array, 'array'],
  [rank.binary, 'binData'],
  [rank.id, 'objectId'],
  [rank.boolean, 'bool'],
  [rank.date, 'date'],
  [rank.timestamp, 'timestamp'],
  [rank.regex, 'regex'],
  [rank.code, 'javascript'],
  [rank.scope, 'javascriptWithScope'],
  [rank.max, 'maxKey'],
];
const names = new Map(types);

/** The alias of a value's BSON type; `missing` for undefined. */
export function typeOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (isNumber(value)) return kindOf(value);
  if (value instanceof BSONSymbol) return 'symbol';
  return names.get(rankOf(value))!;
}

/** The approximate heap size of a value, in bytes. */
export function heapSizeOf(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length * 2;
  if (typeof value !== 'object' || value === null) return 16;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + heapSizeOf(item), 40);
  if (value instanceof Binary) return 120 + value.buffer.length;
  if (!isDocument(value)) return 80;
  let sum = 56;
  for (const key in value) sum += 16 + key.length + heapSizeOf(value[key]);
  return sum;
}

/** The memory limit of a stage in bytes, as in MongoDB. */
export const MAX_STAGE_MEMORY = 100 * 1024 * 1024;

/** Counts the memory that a stage holds. */
export class StageMemory {
  private bytes = 0;

  constructor(private readonly stage: string) {}

  /** @throws CommandError 292 if it exceeds the limit. */
  add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes <= MAX_STAGE_MEMORY) return;
    throw new CommandError(
      'QueryExceededMemoryLimit',
      `${this.stage} exceeded the memory limit of ${MAX_STAGE_MEMORY} bytes; embedded-mongo does not spill to the disk`,
    );
  }
}

/** The sum of numbers as MongoDB computes it: exact for integers, with compensated summation for doubles. */
export class Total {
  private small = 0;
  private large = 0n;
  private high = 0;
  private low = 0;
  private special?: number;
  private kind: Kind = 'int';
  count = 0;

  constructor(private readonly name: string) {}

  add(value: unknown): void {
    this.count++;
    if (isInt(value)) {
      this.small += value;
      if (Math.abs(this.small) > 2 ** 52) this.flush();
      return;
    }
    const kind = kindOf(value);
    if (kind === 'decimal') throw noDecimal(this.name);
    if (this.kind !== 'double') this.kind = kind;
    if (kind === 'long') this.large += (value as Long).toBigInt();
    else this.addDouble(toNumber(value));
  }

  /** Whether all were integers. */
  get exact(): boolean {
    return this.kind !== 'double';
  }

  get integer(): bigint {
    this.flush();
    return this.large;
  }

  get number(): number {
    const whole = this.integer;
    if (this.exact) return Number(whole);
    const near = Number(whole);
    this.addDouble(near);
    if (Number.isFinite(near)) this.addDouble(Number(whole - BigInt(near)));
    this.large = 0n;
    return this.special ?? this.high + this.low;
  }

  /** In the widest input type, or a wider one if the sum does not fit. */
  get value(): number | Long | Double {
    return this.exact ? integer(this.integer, this.kind === 'long') : double(this.number);
  }

  private flush(): void {
    this.large += BigInt(this.small);
    this.small = 0;
  }

  private addDouble(value: number): void {
    if (!Number.isFinite(value)) {
      this.special = (this.special ?? 0) + value;
      return;
    }
    const sum = this.high + value;
    const part = sum - this.high;
    this.low += this.high - (sum - part) + (value - part);
    this.high = sum;
    if (!Number.isFinite(sum)) {
      this.special = sum;
      this.high = this.low = 0;
    }
  }
}

export const noDecimal = (name: string): CommandError =>
  unsupported(`${name} of a Decimal128 is`, 'CommandNotSupported');
