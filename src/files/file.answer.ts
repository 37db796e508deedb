import { failure } from '../platform/errors/index.js';
import type { ByteRange, StoredFile } from './file-store.js';

/** How a request for a file is answered. */
export interface FileAnswer {
  status: 200 | 206 | 304;
  headers: Record<string, string>;
  /** What to send; nothing where the client has it already, or asks for the head alone. */
  range?: ByteRange;
}

/** The part of a request that decides. Header names are in lower case. */
export interface FileRequest {
  method: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Of every file: a browser that opens it by itself runs nothing of it. */
export const SAFE = { 'Content-Disposition': 'inline', 'Content-Security-Policy': 'sandbox' };

/** What clients that were generated from the OpenAPI document can ask for. */
export const BYTES = 'application/octet-stream';

/** The type of an answer, or none for a client that accepts nothing but bytes. */
export function typeFor({ accept }: FileRequest['headers'], type: string): Record<string, string> {
  return accept === BYTES ? { 'Content-Type': BYTES, Vary: 'Accept, Origin' } : { 'Content-Type': type };
}

/**
 * Ranges and conditions of HTTP (RFC 9110). A file never changes, so that its identifier is its strong validator.
 *
 * @throws ServiceError `range_not_satisfiable`
 */
export function answerFor(file: StoredFile, { method, headers }: FileRequest): FileAnswer {
  const etag = `"${file.file_id}"`;
  const common = {
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, max-age=3600, immutable',
    ...SAFE,
    ETag: etag,
  };
  if (hasTag(headers['if-none-match'], etag)) return { status: 304, headers: common };
  const part =
    method === 'GET' && honoured(headers['if-range'], etag) ? byteRange(headers.range, file.size) : undefined;
  const range = part ?? { start: 0, end: file.size };
  return {
    status: part ? 206 : 200,
    headers: {
      ...common,
      ...(part ? { 'Content-Range': `bytes ${part.start}-${part.end - 1}/${file.size}` } : {}),
      ...typeFor(headers, file.content_type),
      'Content-Length': String(range.end - range.start),
    },
    range: method === 'HEAD' ? undefined : range,
  };
}

/** The one range of a `Range` header. Of several, and of what cannot be understood, there is none: all is sent. */
function byteRange(header: string | string[] | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(String(header ?? '').trim()) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    if (Number(last) === 0) throw failure('range_not_satisfiable', size);
    return { start: Math.max(0, size - Number(last)), end: size };
  }
  if (last !== '' && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) throw failure('range_not_satisfiable', size);
  return { start: Number(first), end: last === '' ? size : Math.min(size, Number(last) + 1) };
}

function hasTag(header: string | string[] | undefined, etag: string): boolean {
  const tags = String(header ?? '').split(',');
  return tags.some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}

/** A range of another version, or of one known by its date alone, would not fit what the client has. */
function honoured(ifRange: string | string[] | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange === etag;
}
