import type { Blocks } from '../passages/blocks.js';
import { DocumentError } from './document.error.js';
import { htmlBlocks } from './html.blocks.js';

/** The parts of a DOCX that hold its text: pictures, embedded files and macros are never unpacked. */
const TEXT_PARTS = /^(\[Content_Types\]\.xml|_rels\/\.rels|word\/(?:_rels\/[^/]+\.rels|[^/]+\.xml))$/;
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;
const MAX_ENTRIES = 10_000;

/** @throws DocumentError */
export async function docxBlocks(bytes: Uint8Array): Promise<Blocks> {
  const [{ unzipSync, zipSync }, { default: mammoth }] = await Promise.all([import('fflate'), import('mammoth')]);
  let [unpacked, entries] = [0, 0];
  const parts = unzipSync(bytes, {
    filter({ name, originalSize }) {
      if (++entries > MAX_ENTRIES) throw new DocumentError('has too many parts');
      if (!TEXT_PARTS.test(name)) return false;
      // No part is unpacked beyond the size that it declares.
      unpacked += originalSize;
      if (unpacked > MAX_UNPACKED_BYTES) throw new DocumentError('is too large when unpacked');
      return true;
    },
  });
  if (!parts['word/document.xml']) throw new DocumentError('is not a PDF, DOCX, HTML, Markdown or text file');
  const safe = zipSync(parts, { level: 0 });
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(safe.buffer, safe.byteOffset, safe.byteLength) },
    // Pictures would be read, from files too if they are linked.
    {
      styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"],
      convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
      externalFileAccess: false,
    } as object,
  );
  const { blocks } = htmlBlocks(value);
  return { blocks };
}
