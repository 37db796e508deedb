/**
 * Parses every Mermaid diagram of the documentation with Mermaid itself, which the npm registry has.
 *
 *   npm run verify -- diagrams
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { npmPackages } from '../../scripts/cached.mjs';
import { Report } from './harness.mjs';

const cache = npmPackages('mermaid', ['mermaid@11.17.2', 'happy-dom@20.14.6']);
if (!cache) process.exit(1);
// Mermaid needs a document, even to parse.
writeFileSync(
  join(cache, 'parse.mjs'),
  `import { Window } from 'happy-dom';
const window = new Window();
for (const [name, value] of Object.entries({ window, document: window.document }))
  Object.defineProperty(globalThis, name, { value, configurable: true });
const { default: mermaid } = await import('mermaid');
export const parse = (text) => mermaid.parse(text);
`,
);
const { parse } = await import(pathToFileURL(join(cache, 'parse.mjs')).href);
const report = new Report('npm run verify -- diagrams');
const pages = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).trim().split('\n');
let parsed = 0;
const faults = [];
for (const page of pages) {
  for (const [, text] of readFileSync(page, 'utf8').matchAll(/^```mermaid\n([^]*?)^```/gm)) {
    parsed++;
    await parse(text).catch((error) => faults.push(`${page}: ${error.message}`));
  }
}
for (const fault of faults) console.log(fault);
report.row('Diagrams that Mermaid parses', 'all', `${parsed - faults.length} of ${parsed}`, faults.length === 0);
report.end();
