import { readdir, readFile } from 'node:fs/promises';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { join } from 'node:path';
import { parseDocument } from '../reading/document.js';
import { KnowledgeBase } from './knowledge.base.js';

/**
 * Reads a base of Markdown files, with a folder for each language.
 *
 * @param bases the directory of all bases
 * @returns undefined if there is no such base
 */
export async function readBase(bases: string, base: string): Promise<KnowledgeBase | undefined> {
  const directory = join(bases, base);
  const languages = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!languages) return undefined;
  const read = new KnowledgeBase();
  for (const language of languages.sort())
    for (const file of (await readdir(join(directory, language))).sort()) {
      const { title = file, passages } = await parseDocument(await readFile(join(directory, language, file)), file);
      const document_id = `${base}-${language}-${file.replace(/\.md$/, '')}`;
      read.setDocument(document_id, { document_id, title });
      read.addPassages(document_id, passages);
      await yieldToOthers();
    }
  return read;
}
