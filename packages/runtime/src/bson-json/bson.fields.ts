import { int32 } from './json.text.js';

const DOUBLE = 1;
const STRING = 2;
const INT32 = 16;
const INT64 = 18;
/** Sizes of BSON types with a fixed size, in bytes. */
const SIZES: Readonly<Record<number, number>> = { [DOUBLE]: 8, 7: 12, 8: 1, 9: 8, 10: 0, [INT32]: 4, [INT64]: 8 };

/** Offsets of a document's start and end. */
export type BsonExtent = readonly [from: number, to: number];

/** The offsets of each document in a BSON array. */
export function* documentsIn(array: Uint8Array): Generator<BsonExtent> {
  for (let at = 4; array[at] === 3;) {
    const from = array.indexOf(0, at + 1) + 1;
    at = from + int32(array, from);
    yield [from, at];
  }
}

/** Finds fields of flat BSON documents, one document at a time, without creating objects. Fields are numbered. */
export class BsonFields {
  /** Offsets of the values in the last document; those of absent fields are meaningless. */
  readonly offsets: Int32Array;
  private readonly types: Int32Array;
  private readonly names: readonly Buffer[];
  /** Indexed by the length of their names. */
  private readonly byLength: number[][] = [];

  constructor(names: readonly string[]) {
    this.names = names.map((name) => Buffer.from(name));
    for (const [field, { length }] of this.names.entries()) (this.byLength[length] ??= []).push(field);
    this.types = new Int32Array(names.length);
    this.offsets = new Int32Array(names.length);
  }

  /** @returns false if a field, one of these or another, is of a type that only documents of other shapes have */
  find(bson: Uint8Array, [start, end]: BsonExtent): boolean {
    const { types, offsets } = this;
    types.fill(0);
    for (let at = start + 4; at < end - 1;) {
      const type = bson[at]!;
      const name = ++at;
      while (bson[at] !== 0) at++;
      const field = this.fieldNamed(bson, name, at - name);
      at++;
      if (field >= 0) {
        types[field] = type;
        offsets[field] = at;
      }
      const size = type === STRING ? 4 + int32(bson, at) : SIZES[type];
      if (size === undefined) return false;
      at += size;
    }
    return true;
  }

  has(field: number): boolean {
    return this.types[field] !== 0;
  }

  isString(field: number): boolean {
    return this.types[field] === STRING;
  }

  /** Whether a field is a string of exactly these bytes of UTF-8. */
  equals(bson: Uint8Array, field: number, text: Uint8Array): boolean {
    const at = this.offsets[field]!;
    if (!this.isString(field) || int32(bson, at) !== text.length + 1) return false;
    return text.every((byte, i) => bson[at + 4 + i] === byte);
  }

  /** The value of a string. */
  textOf(bson: Buffer, field: number): string {
    const at = this.offsets[field]!;
    return bson.toString('utf8', at + 4, at + 3 + int32(bson, at));
  }

  /** The value of a number; undefined for any other type, and for an int64 that is no safe integer. */
  numberOf(bson: Buffer, field: number): number | undefined {
    const [type, at] = [this.types[field], this.offsets[field]!];
    if (type === DOUBLE) return bson.readDoubleLE(at);
    if (type === INT32) return int32(bson, at);
    const number = type === INT64 ? Number(bson.readBigInt64LE(at)) : NaN;
    return Number.isSafeInteger(number) ? number : undefined;
  }

  private fieldNamed(bson: Uint8Array, at: number, length: number): number {
    const candidates = this.byLength[length];
    if (candidates)
      candidate: for (const field of candidates) {
        const name = this.names[field]!;
        for (let i = 0; i < length; i++) if (bson[at + i] !== name[i]) continue candidate;
        return field;
      }
    return -1;
  }
}
