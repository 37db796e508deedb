/** Prints the size of the scripts that browsers load, minified and gzipped. Fails if one exceeds its limit. */
import { gzipSync } from 'node:zlib';
import { SCRIPTS, sharedBy } from '../packages/widget/scripts.mjs';
import { bundle } from './bundle.mjs';

/** The scripts of the widget for a conversation in Hindi, which has the largest texts. @param {string[]} parts */
function scriptsOf(...parts) {
  return ['widget.js', ...['app', 'hi', ...parts].map((name) => `widget.${name}.js`)];
}

/** @type {{ name: string, entries: string[], format: import('esbuild').Format, limit: number }[]} */
const PARTS = [
  { name: 'client', entries: ['packages/client/src/index.ts'], format: 'esm', limit: 6300 },
  { name: 'client, audio', entries: ['packages/client/src/audio.ts'], format: 'esm', limit: 2 * 1024 },
  { name: 'loader of the widget', entries: ['widget.js'], format: 'iife', limit: 6000 },
  // Up to the first spoken answer. The service's responses take up the rest of 60 kB.
  { name: 'widget, live', entries: scriptsOf('live', 'worklet'), format: 'iife', limit: 55_050 },
  // In addition, when somebody else takes part.
  { name: 'widget, people', entries: ['widget.people.js'], format: 'iife', limit: 4000 },
  { name: 'widget, recordings', entries: scriptsOf('voice'), format: 'iife', limit: 50_500 },
];

for (const { name, entries, format, limit } of PARTS) {
  const scripts = await Promise.all(
    entries.map((entry) => bundle(SCRIPTS[entry] ?? entry, undefined, format, sharedBy(entry))),
  );
  const size = scripts.reduce((sum, script) => sum + gzipSync(script, { level: 9 }).length, 0);
  console.log(`${name}: ${size} of ${limit} bytes gzipped`);
  if (size > limit) process.exitCode = 1;
}
