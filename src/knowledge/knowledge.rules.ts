import { failure } from '../platform/errors/index.js';

const MEBIBYTES = 20;
export const MAX_DOCUMENT_BYTES = MEBIBYTES * 1024 * 1024;
/** Of a document: a UUID. */
export const DOCUMENT_ID = /^[0-9a-f-]{36}$/;
const BASE = /^[a-z0-9-]{1,64}$/;
const [MAX_TITLE, MAX_URL] = [200, 2_000];

/** A document to be added. */
export interface Upload {
  readonly bytes: Uint8Array;
  /** Of its file: without an extension, the title if there is no other. */
  readonly name: string;
  readonly title?: string;
  readonly url?: string;
}

/** @throws ServiceError `invalid_request` */
export function assertBase(base: string): void {
  if (!BASE.test(base))
    throw failure('invalid_input', 'The name of a knowledge base is 1 to 64 of a-z, 0-9 and hyphens.');
}

/** @throws ServiceError `invalid_request`, `payload_too_large` */
export function assertDocument(base: string, { bytes, name, title, url }: Upload) {
  assertBase(base);
  const named = (title ?? titleOf(name)).trim().normalize();
  if ([...named].length < 1 || [...named].length > MAX_TITLE || /[\p{C}]/u.test(named))
    throw failure('invalid_input', `title must be a line of 1 to ${MAX_TITLE} characters.`);
  if (url !== undefined && !isUrl(url))
    throw failure('invalid_input', `url must be an http or https URL of at most ${MAX_URL} characters.`);
  if (bytes.length > MAX_DOCUMENT_BYTES) throw failure('file_too_large', MEBIBYTES);
  return { bytes, title: named, url };
}

/** The name of a file without its folder and extension. */
function titleOf(name: string): string {
  const file = name.replace(/^.*[/\\]/, '');
  return file
    .replace(/(?<=.)\.[A-Za-z0-9]{1,8}$/, '')
    .replaceAll(/\p{C}/gu, ' ')
    .slice(0, MAX_TITLE)
    .toWellFormed();
}

function isUrl(url: string): boolean {
  if (url.length > MAX_URL || /[\s\p{C}]/u.test(url) || !URL.canParse(url)) return false;
  return /^https?:$/.test(new URL(url).protocol);
}
