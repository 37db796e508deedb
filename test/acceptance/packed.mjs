import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** A Markdown link or image that points to a file. */
const LINK = /\]\((?![a-z]+:)([^)#\s]+)[^)]*\)/g;
const CODE = /```[^]*?\n *```/g;

/**
 * Faults of a package as npm would publish it: from publint, from attw, and links in Markdown and source maps to
 * missing files.
 *
 * @param {string} tarball
 * @param {string} directory where it is unpacked
 * @returns {Promise<string[]>}
 */
export async function faultsOf(tarball, directory) {
  mkdirSync(directory);
  execFileSync('tar', ['-xzf', tarball, '-C', directory]);
  const root = join(directory, 'package');
  const pkg = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { messages } = await publint({ pkgDir: root, pack: false, strict: true });
  return [
    ...messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`),
    ...faultsOfTypes(tarball),
    ...['LICENSE', 'README.md'].filter((name) => !existsSync(join(root, name))).map((name) => `no ${name}`),
    ...(pkg.repository ? [] : ['no repository in package.json']),
    ...deadLinks(root),
  ];
}

/** What other packages import themselves; the types of the others are compiled with the examples. */
const IMPORTED = /avatar-chat-(client|service)-/;

/** An import from CommonJS loads an ES module, which Node supports from 20.19 on. */
function faultsOfTypes(tarball) {
  if (!IMPORTED.test(tarball)) return [];
  const rules = ['--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm'];
  try {
    execFileSync('node_modules/.bin/attw', [tarball, ...rules, '--format', 'ascii', '--no-emoji'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return [];
  } catch (error) {
    return [`attw: ${/** @type {{ stdout?: string }} */ (error).stdout || error}`];
  }
}

/** @param {string} root */
function deadLinks(root) {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name));
  return files.flatMap((file) => {
    if (file.endsWith('.md')) {
      const text = readFileSync(file, 'utf8').replace(CODE, '');
      const targets = [...text.matchAll(LINK)].map(([, target = '']) => target);
      return targets
        .filter((target) => !existsSync(join(dirname(file), target)))
        .map((target) => `${relative(root, file)}: dead link ${target}`);
    }
    if (!file.endsWith('.map')) return [];
    const { sources, sourcesContent = [] } = JSON.parse(readFileSync(file, 'utf8'));
    return sources
      .filter((source, index) => sourcesContent[index] == null && !existsSync(join(dirname(file), source)))
      .map((source) => `${relative(root, file)}: no source ${source}`);
  });
}
