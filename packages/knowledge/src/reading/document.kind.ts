import { DocumentError } from './document.error.js';

export type DocumentKind = 'pdf' | 'docx' | 'html' | 'markdown' | 'text';

/** Names that promise a format: such a file is not taken for text. */
const BINARY = /\.(pdf|docx?|dotx|odt|rtf|pptx?|xlsx?|epub|zip|gz|png|jpe?g|gif|webp|mp3|mp4|wav)$/i;
const HEADER = 1024;
const TYPES = 'is not a PDF, DOCX, HTML, Markdown or text file';

/** The kind of a document by its content and, among kinds of text, its name. @throws DocumentError */
export function kindOf(bytes: Uint8Array, name: string): DocumentKind {
  const head = Buffer.from(bytes.subarray(0, HEADER)).toString('latin1');
  if (head.startsWith('%PDF-') || (head.includes('%PDF-') && /\.pdf$/i.test(name))) return 'pdf';
  if (head.startsWith('PK\u0003\u0004')) return 'docx';
  // Microsoft's older container: of an encrypted DOCX, or of a DOC.
  if (head.startsWith('\u00d0\u00cf\u0011\u00e0')) throw new DocumentError('is encrypted, or in an old Office format');
  if (head.startsWith('{\\rtf') || BINARY.test(name)) throw new DocumentError(TYPES);
  const start = textOf(bytes.subarray(0, 64 * 1024), true)
    .trimStart()
    .slice(0, HEADER);
  if (/\.x?html?$/i.test(name) || isHtml(start)) return 'html';
  const isMarkdown = /\.(md|markdown|mdx)$/i.test(name) || (!/\.\w{1,5}$/.test(name) && /^#{1,6} \S/m.test(start));
  return isMarkdown ? 'markdown' : 'text';
}

/** Whether a text begins like a page, after a declaration of XML and comments. */
function isHtml(start: string): boolean {
  let rest = start;
  for (const [opening, closing] of [
    ['<?xml', '>'],
    ['<!--', '-->'],
  ] as const)
    while (rest.startsWith(opening)) {
      const end = rest.indexOf(closing, opening.length);
      if (end < 0) return false;
      rest = rest.slice(end + closing.length).trimStart();
    }
  return /^<(?:!doctype html|html|head|body)\b/i.test(rest);
}

/**
 * Text in UTF-8, or in UTF-16 with a byte order mark; else in Windows-1252.
 *
 * @param isCut whether it is the start of a longer text, which may end within a character
 * @throws DocumentError if it has control characters, as other files have
 */
export function textOf(bytes: Uint8Array, isCut = false): string {
  const text = decode(bytes, isCut).replaceAll('\r\n', '\n');
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text)) throw new DocumentError(TYPES);
  return text;
}

function decode(bytes: Uint8Array, stream: boolean): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes, { stream });
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes, { stream });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
