import { readFileSync } from 'node:fs';

/** Ranges of a file, and bytes (Latin-1) to write between them. */
export type ModelEdit = readonly (string | readonly [from: number, to: number])[];

/**
 * Edits of published models, which are Protocol Buffers messages, by their names in the list of models, whose digests
 * check the results.
 */
export const EDITS = JSON.parse(readFileSync(new URL('../assets/edits.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, { readonly about: string; readonly parts: ModelEdit }>
>;

export function edited(content: Buffer, edit: ModelEdit): Buffer {
  return Buffer.concat(
    edit.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : content.subarray(...part))),
  );
}
