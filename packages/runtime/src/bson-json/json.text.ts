import { isUtf8 } from 'node:buffer';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
/** JSON escapes by byte; bytes that need none are undefined. */
const ESCAPES = Array.from({ length: 256 }, (_, byte) => {
  const text = JSON.stringify(String.fromCharCode(byte)).slice(1, -1);
  return byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? Buffer.from(text) : undefined;
});
/** Length of the longest entry of {@link ESCAPES}. */
export const LONGEST_ESCAPE = 6;

/** A growing buffer of UTF-8 JSON text. */
export class JsonText {
  private buffer: Buffer;
  private length = 0;

  constructor(size: number) {
    this.buffer = Buffer.allocUnsafe(size);
  }

  /** Reserves room; {@link add} and {@link addByte} do so by themselves. */
  reserve(more: number): void {
    if (this.length + more <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.length + more, this.buffer.length * 2));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }

  add(text: string): void {
    this.reserve(text.length * 3);
    this.length += this.buffer.write(text, this.length);
  }

  addByte(byte: number): void {
    this.reserve(1);
    this.buffer[this.length++] = byte;
  }

  /** Appends a number as `JSON.stringify` formats it. */
  addNumber(number: number): void {
    if (!Number.isSafeInteger(number) || number <= 0) return this.add(JSON.stringify(number));
    let end = this.length;
    for (let rest = number; rest > 0; rest = Math.floor(rest / 10)) end++;
    this.length = end;
    for (let rest = number; rest > 0; rest = Math.floor(rest / 10)) this.buffer[--end] = ZERO + (rest % 10);
  }

  addBytes(bytes: Uint8Array): void {
    const { buffer } = this;
    let { length } = this;
    // For this few bytes, faster than set().
    for (let i = 0; i < bytes.length; i++) buffer[length++] = bytes[i]!;
    this.length = length;
  }

  /** Appends a BSON string, which is UTF-8, in quotes. */
  addString(bson: Uint8Array, at: number): void {
    const { buffer } = this;
    let { length } = this;
    const end = at + 3 + int32(bson, at);
    buffer[length++] = QUOTE;
    for (let i = at + 4; i < end; i++) {
      const byte = bson[i]!;
      if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) buffer[length++] = byte;
      else for (const escaped of ESCAPES[byte]!) buffer[length++] = escaped;
    }
    buffer[length++] = QUOTE;
    this.length = length;
  }

  bytes(): Buffer {
    const bytes = this.buffer.subarray(0, this.length);
    // The driver only stores valid UTF-8, but others may have written to the database.
    return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString());
  }
}

/** A BSON int32. */
export function int32(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}
