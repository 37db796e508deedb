import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build, transform } from 'esbuild';
import { REBuilder } from 'linkify-it';

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

/** See the module that it replaces. */
const urlPattern = {
  name: 'url-pattern',
  setup({ onLoad }) {
    const contents = `export const URL_PATTERN = ${new REBuilder().get_http_validator()}`;
    onLoad({ filter: /\burl-pattern\.ts$/ }, () => ({ contents }));
  },
};

/** Takes modules from another script of the page, by the names under which it has added them to the shared state. */
const modulesOf = (shared) => ({
  name: 'shared-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path, resolveDir }) => {
      const name = shared[resolve(resolveDir, path).replace(/\.js$/, '.ts')];
      return name && { path: name, namespace: 'shared' };
    });
    onLoad({ filter: /^/, namespace: 'shared' }, ({ path }) => ({
      contents: `module.exports = globalThis[Symbol.for('avatar-chat')].modules.${path}`,
    }));
  },
});

/**
 * Bundles an entry and all its imports into one minified script.
 *
 * @param {string} entry
 * @param {string} [outfile] where to write it; if omitted, it is only returned
 * @param {import('esbuild').Format} [format]
 * @param {Record<string, string>} [shared] paths of modules that another script provides, with their names
 * @returns {Promise<Uint8Array>} its bytes; empty if it was written
 */
export async function bundle(entry, outfile, format = 'iife', shared = {}) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format,
    target: 'es2022',
    charset: 'utf8',
    plugins: [styleSheets, urlPattern, modulesOf(shared)],
    ...(outfile ? { outfile } : { write: false }),
  });
  return outputFiles?.[0].contents ?? new Uint8Array();
}
