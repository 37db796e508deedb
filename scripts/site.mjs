/**
 * Builds a site with search from the documentation, by VitePress of the npm registry: .cache/site/pages/.vitepress/dist.
 * With --serve, shows it at http://127.0.0.1:5173.
 *
 *   npm run docs:site [-- --serve]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TOOLS = ['vitepress@1.6.4', 'vitepress-plugin-mermaid@2.0.17', 'mermaid@11.17.2'];
const SITE = '.cache/site';
const PAGES = join(SITE, 'pages');

mkdirSync(SITE, { recursive: true });
writeFileSync(join(SITE, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
const install = ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', ...TOOLS];
if (spawnSync('npm', install, { cwd: SITE, stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0) {
  console.error(`${TOOLS.join(', ')} are not available here.`);
  process.exit(1);
}

rmSync(PAGES, { recursive: true, force: true });
const tracked = execFileSync('git', ['ls-files', '-z', '*.md', 'docs'], { encoding: 'utf8' });
for (const file of tracked.split('\0').filter((name) => name && !/^(test|bench)\//.test(name)))
  cpSync(file, join(PAGES, file));

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
  // Links to sources; those to pages are checked by the tests.
  ignoreDeadLinks: true,
  themeConfig: { sidebar, outline: [2, 3], search: { provider: 'local' } },
};
mkdirSync(join(PAGES, '.vitepress'), { recursive: true });
writeFileSync(
  join(PAGES, '.vitepress/config.mjs'),
  `import { withMermaid } from 'vitepress-plugin-mermaid';\nexport default withMermaid(${JSON.stringify(config)});\n`,
);
const vitepress = join(SITE, 'node_modules/.bin/vitepress');
const words = process.argv.includes('--serve') ? ['dev', PAGES, '--host', '127.0.0.1'] : ['build', PAGES];
process.exit(spawnSync(vitepress, words, { stdio: 'inherit' }).status ?? 1);
