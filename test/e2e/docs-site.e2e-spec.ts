import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const site = mkdtempSync(join(tmpdir(), 'docs-site-'));
afterAll(() => rmSync(site, { recursive: true, force: true }));

const pages: string[] = [];
beforeAll(() => {
  execFileSync(process.execPath, ['scripts/docs-site.mjs', '--out', site], { stdio: 'ignore' });
  pages.push(...readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html')));
});

const read = (page: string) => readFileSync(join(site, page), 'utf8');
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found!);
const idsOf = (page: string) => all(read(page), / id="([^"]+)"/g);

describe('the site of the documentation', () => {
  it('has a page for each page of docs/', () => {
    const sources = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
    expect(pages).toEqual(expect.arrayContaining(sources.map((file) => file.replace(/\.md$/, '.html'))));
  });

  it('has no link that leads nowhere', () => {
    const dead = pages.flatMap((page) =>
      all(read(page), /<(?:a|img|script|link)\b[^>]*? (?:href|src)="([^"]*)"/g)
        .filter((target) => !/^(https?|data|mailto):/.test(target))
        .filter((target) => {
          const [path, hash] = target.split('#');
          const file = path ? join(dirname(page), path) : page;
          return !existsSync(join(site, file)) || (hash && !idsOf(file).includes(hash));
        })
        .map((target) => `${page}: ${target}`),
    );
    expect(dead).toEqual([]);
  });

  it('asks nothing of other hosts', () => {
    const loaded = pages.flatMap((page) => all(read(page), /<(?:img|script|link)\b[^>]*? (?:href|src)="(\w+:[^"]*)"/g));
    const style = read('style.css') + read('search.js');
    expect(loaded.filter((url) => !url.startsWith('data:'))).toEqual([]);
    expect(style).not.toMatch(/https?:|@import|url\(/);
  });

  it('names its pages, each with one heading above the others, and has a navigation that knows where it is', () => {
    const odd = pages.filter((page) => (read(page).match(/<h1[ >]/g) ?? []).length !== 1);
    expect(odd).toEqual([]);
    expect(read('operations.html')).toContain('<a href="operations.html" aria-current="page">Operations</a>');
  });

  it('finds a section by its words', () => {
    const globals: { searchIndex?: { href: string; heading: string; text: string }[] } = {};
    new Function('globalThis', read('search-index.js'))(globals);
    const found = globals.searchIndex!.filter(({ text }) => /replSetStepDown|journal=true/.test(text));
    expect(found.map(({ href }) => href)).toContain('operations.html#a-replica-set');
  });
});
