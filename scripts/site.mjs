/**
 * Builds a site with search from the documentation, by VitePress of the npm registry: .cache/site/pages/.vitepress/dist,
 * with `llms.txt` and `llms-full.txt`.
 * With --serve, shows it at http://127.0.0.1:5173.
 *
 *   npm run docs:site [-- --serve]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmPackages } from './cached.mjs';

const TOOLS = ['vitepress@1.6.4', 'vitepress-plugin-mermaid@2.0.17', 'mermaid@11.17.2'];
const site = npmPackages('site', TOOLS);
if (!site) process.exit(1);
const PAGES = join(site, 'pages');

rmSync(PAGES, { recursive: true, force: true });
const tracked = execFileSync('git', ['ls-files', '-z', '*.md', 'docs'], { encoding: 'utf8' });
const files = tracked.split('\0').filter((name) => name && !/^(test|bench)\//.test(name));
for (const file of files) cpSync(file, join(PAGES, file));

// For language models: the list of pages, the pages as they are written, and all of them in one file.
const pages = files.filter((file) => file.endsWith('.md'));
for (const file of pages) cpSync(file, join(PAGES, 'public', file));
const list = readFileSync('docs/llms.txt', 'utf8')
  .replace(/\]\((?!\.\.\/)/g, '](docs/')
  .replaceAll('](../', '](');
writeFileSync(join(PAGES, 'public/llms.txt'), list);
const all = ['README.md', ...pages.filter((file) => file.startsWith('docs/') && !file.startsWith('docs/decisions/'))];
const full = all.map((file) => `<!-- ${file} -->\n\n${readFileSync(file, 'utf8').trim()}\n`).join('\n');
writeFileSync(join(PAGES, 'public/llms-full.txt'), full);

/** The lists of the README, as groups of pages. */
const readme = readFileSync('README.md', 'utf8');
const sidebar = [...readme.matchAll(/^- \*\*(.+?)\*\*: (.+)$/gm)].map(([, text, list = '']) => ({
  text,
  items: [...list.matchAll(/\[([^\]]+)\]\(([^)#]+)\.md(#[^)]*)?\)/g)].map(([, name, page, anchor = '']) => ({
    text: name[0].toUpperCase() + name.slice(1),
    link: `/${page}${anchor}`,
  })),
}));
const config = {
  title: 'Avatar chat service',
  rewrites: { 'README.md': 'index.md' },
  srcExclude: ['public/**'],
  // Links to sources; those to pages are checked by the tests.
  ignoreDeadLinks: true,
  themeConfig: { sidebar, outline: [2, 3], search: { provider: 'local' } },
};
mkdirSync(join(PAGES, '.vitepress'), { recursive: true });
writeFileSync(
  join(PAGES, '.vitepress/config.mjs'),
  `import { withMermaid } from 'vitepress-plugin-mermaid';\nexport default withMermaid(${JSON.stringify(config)});\n`,
);
const vitepress = join(site, 'node_modules/.bin/vitepress');
const words = process.argv.includes('--serve') ? ['dev', PAGES, '--host', '127.0.0.1'] : ['build', PAGES];
process.exit(spawnSync(vitepress, words, { stdio: 'inherit' }).status ?? 1);
