import { readFile } from 'node:fs/promises';
import { format } from 'oxfmt';

/**
 * Formats text for `npm run check -- format`.
 *
 * @param {string} file a path, whose extension determines the language
 * @param {string} text
 */
export async function formatted(file, text) {
  const { ignorePatterns: _, ...style } = JSON.parse(await readFile('.oxfmtrc.json', 'utf8'));
  const { code, errors } = await format(file, text, style);
  if (errors.length > 0)
    throw new Error(`${file} cannot be formatted: ${errors.map(({ message }) => message).join('; ')}`);
  return code;
}
