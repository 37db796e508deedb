import { readFile } from 'node:fs/promises';
import { build, transform } from 'esbuild';

/** A style sheet as text, minified. @param {string} path */
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
 * One script of an entry and all that it imports, minified.
 *
 * @param {string} entry
 * @param {string} [outfile] where to write it; left out, it is only returned
 * @param {import('esbuild').Format} [format]
 * @returns {Promise<Uint8Array>} its bytes; none if they are written
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
