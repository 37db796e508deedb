import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { join } from 'node:path';
import { KnowledgeBase } from './knowledge.base.js';

// The same from src and from dist.
const SHIPPED = fileURLToPath(new URL('../../catalogue/knowledge', import.meta.url));

/** Reads a base that is shipped with the service: a folder of Markdown files for each language. */
export async function readShippedBase(base: string): Promise<KnowledgeBase | undefined> {
  const languages = await readdir(join(SHIPPED, base)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!languages) return undefined;
  const { parseDocument, PassageIndex } = await import('avatar-chat-knowledge');
  const read = new KnowledgeBase(new PassageIndex());
  for (const language of languages.sort())
    for (const file of (await readdir(join(SHIPPED, base, language))).sort()) {
      const { title = file, passages } = await parseDocument(await readFile(join(SHIPPED, base, language, file)), file);
      const document_id = `${base}-${language}-${file.replace(/\.md$/, '')}`;
      read.setDocument(document_id, { document_id, title });
      read.addPassages(document_id, passages);
      await yieldToOthers();
    }
  return read;
}
