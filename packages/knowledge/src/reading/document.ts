import { type Passage, passagesOf } from '../passages/passages.js';
import type { Blocks } from '../passages/blocks.js';
import { DocumentError } from './document.error.js';
import { kindOf, textOf } from './document.kind.js';

/** A document that has been read. */
export interface ReadDocument {
  /** The title that it gives itself. */
  readonly title?: string;
  readonly passages: readonly Passage[];
}

/** Reads a document, in the process for it: what it contains is not trusted. @throws DocumentError */
export async function parseDocument(bytes: Uint8Array, name: string): Promise<ReadDocument> {
  const { title, blocks } = await blocksOf(bytes, name);
  const passages = passagesOf(blocks, title);
  if (!passages.some(({ text }) => /[\p{L}\p{N}]/u.test(text))) throw new DocumentError('has no text');
  return { ...(title === undefined ? {} : { title }), passages };
}

async function blocksOf(bytes: Uint8Array, name: string): Promise<Blocks> {
  const kind = kindOf(bytes, name);
  try {
    switch (kind) {
      case 'pdf':
        return await (await import('./pdf.blocks.js')).pdfBlocks(bytes);
      case 'docx':
        return await (await import('./docx.blocks.js')).docxBlocks(bytes);
      case 'html':
        return (await import('./html.blocks.js')).htmlBlocks(textOf(bytes));
      case 'markdown':
        return (await import('./text.blocks.js')).markdownBlocks(textOf(bytes));
      default:
        return (await import('./text.blocks.js')).textBlocks(textOf(bytes));
    }
  } catch (error) {
    if (error instanceof DocumentError) throw error;
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    const reason = `cannot be read: the optional packages for ${kind} are not installed`;
    throw new DocumentError(isAbsent ? reason : 'is damaged');
  }
}
