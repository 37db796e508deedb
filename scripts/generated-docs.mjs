/**
 * Generates the parts of the documentation between `<!-- generated: NAME -->` and `<!-- end -->` from the built service.
 * With --check, fails if the committed ones differ.
 *
 *   npm run docs:generate
 */
import { readFile, writeFile } from 'node:fs/promises';
import { formatted } from './formatted.mjs';
import { renderErrors } from './generated-docs/errors.mjs';
import { renderPages } from './generated-docs/llms.mjs';
import { renderParts } from './generated-docs/parts.mjs';
import { renderSettingsExample } from './generated-docs/settings.mjs';

/** Without a marker, the whole file is generated. */
const PARTS = [
  { file: '.env.example', render: renderSettingsExample },
  { file: 'docs/troubleshooting.md', marker: 'errors', render: renderErrors },
  { file: 'docs/extending.md', marker: 'parts', render: renderParts },
  { file: 'docs/llms.txt', render: renderPages },
];

const faults = [];
for (const { file, marker, render } of PARTS) {
  const committed = await readFile(file, 'utf8').catch(() => '');
  const generated = await render();
  const text = marker ? await replacePart(file, committed, marker, generated) : generated;
  if (text === committed) continue;
  if (process.argv.includes('--check')) faults.push(`${file} does not match the code`);
  else await writeFile(file, text);
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) console.error('`npm run docs:generate` writes the generated parts.');
process.exit(faults.length > 0 ? 1 : 0);

/** The page with one part replaced, formatted like the repository. */
async function replacePart(file, page, marker, part) {
  const [begin, end] = [`<!-- generated: ${marker} -->`, '<!-- end -->'];
  const start = page.indexOf(begin);
  const stop = page.indexOf(end, start);
  if (start < 0 || stop < 0) throw new Error(`${file} has no "${begin}" followed by "${end}"`);
  const replaced = `${page.slice(0, start)}${begin}\n\n${part}\n\n${page.slice(stop)}`;
  return formatted(file, replaced);
}
