import { failure } from '../platform/errors/index.js';
import type { ByteRange, StoredFile } from './file-store.js';

/** The response to a request for a file. */
export interface FileResponse {
  status: 200 | 206 | 304;
  headers: Record<string, string>;
  /** What to send; nothing if the client already has it, or sent HEAD. */
  range?: ByteRange;
}

/** The relevant part of a request. Header names are in lower case. */
export interface FileRequest {
  method: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The client's address. */
  ip?: string;
}

/** For every file: a browser that opens it directly runs none of it. */
export const SAFE_HEADERS = { 'Content-Disposition': 'inline', 'Content-Security-Policy': 'sandbox' };

/** Media types that clients generated from the OpenAPI document may request. */
export const OCTET_STREAM = 'application/octet-stream';

/** The content type of a response; none for a client that accepts only bytes. */
export function typeFor({ accept }: FileRequest['headers'], type: string): Record<string, string> {
  return accept === OCTET_STREAM ? { 'Content-Type': OCTET_STREAM, Vary: 'Accept, Origin' } : { 'Content-Type': type };
}

/**
 * HTTP ranges and conditional requests (RFC 9110). A file never changes, so its identifier is its strong validator.
 *
 * @throws ServiceError `range_not_satisfiable`
 */
export function fileResponse(file: StoredFile, { method, headers }: FileRequest): FileResponse {
  const etag = `"${file.file_id}"`;
  const common = {
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, max-age=3600, immutable',
    ...SAFE_HEADERS,
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

/** The two numbers of a `Range` header with one range, as written; both are empty for multiple or invalid ranges. */
export function rangeBounds(header: string | string[] | undefined): [first: string, last: string] {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(String(header ?? '').trim()) ?? [];
  return [first, last];
}

/** The single range of a `Range` header. Multiple or invalid ranges are ignored, and the whole file is sent. */
function byteRange(header: string | string[] | undefined, size: number): ByteRange | undefined {
  const [first, last] = rangeBounds(header);
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

/** A range of another version, or of one identified only by its date, would not fit what the client has. */
function honoured(ifRange: string | string[] | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange === etag;
}
