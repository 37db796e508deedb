import { readFile } from 'node:fs/promises';
import { build, transform } from 'esbuild';

/** A minified style sheet as a string. @param {string} path */
export async function styleSheet(path) {
  const { code } = await transform(await readFile(path, 'utf8'), { loader: 'css', minify: true });
  return code.trim();
}

const styleSheets = {
  name: 'style-sheets',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => ({ contents: await styleSheet(path), loader: 'text' }));
  },
};

/**
 * Bundles an entry and all its imports into one minified script.
 *
 * @param {string} entry
 * @param {string} [outfile] where to write it; if omitted, it is only returned
 * @param {import('esbuild').Format} [format]
 * @returns {Promise<Uint8Array>} its bytes; empty if it was written
 */
export async function bundle(entry, outfile, format = 'iife') {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format,
    target: 'es2022',
    charset: 'utf8',
    plugins: [styleSheets],
    ...(outfile ? { outfile } : { write: false }),
  });
  return outputFiles?.[0].contents ?? new Uint8Array();
}
