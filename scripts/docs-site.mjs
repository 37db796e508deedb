/**
 * Makes a site of the documentation: pages for browsers in `site/`, which work from a server and from the disk, and ask
 * nothing of other hosts. docs/index.md is the first page and, with its lists, the navigation. Files of the repository that
 * a page links to become pages too.
 *
 *   npm run docs:build [-- --out DIR]
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Marked } from 'marked';

const { values } = parseArgs({ options: { out: { type: 'string', default: 'site' } } });
const OUT = values.out;
const TITLE = 'Avatar chat service';
const LOOKS = fileURLToPath(new URL('./docs-site/', import.meta.url));

const read = (file) => readFileSync(file, 'utf8');
const escape = (text) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]);
const isPage = (path) => path.endsWith('.md');

/** Where a file of the repository goes in the site. */
function placeOf(path) {
  if (isPage(path)) {
    const plain = path.replace(/^docs\//, '').replace(/\.md$/, '.html');
    return plain.includes('/') || path.startsWith('docs/') ? plain : plain.toLowerCase();
  }
  if (/\.(svg|jpg|png|webp)$/.test(path)) return path.replace(/^docs\//, '');
  return posix.join('source', statSync(path).isDirectory() ? posix.join(path, 'index.html') : `${path}.html`);
}

/** The anchor that a heading has on GitHub, where these pages are read too. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

/** What has still to be written; a page adds what it links to. */
const queue = ['docs/index.md', ...pagesUnder('docs')];
const done = new Set();
const search = [];
const navigation = navigationOf('docs/index.md');

function pagesUnder(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(isPage)
    .map((file) => posix.join(folder, file))
    .sort();
}

/** Its headings and their lists of links. */
function navigationOf(index) {
  return read(index)
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      heading: part.split('\n', 1)[0],
      links: [...part.matchAll(/^- \[(.+?)\]\((.+?)\)/gm)].map(([, name, target]) => ({ name, target })),
    }));
}

/** A link in a page of the repository as one between pages of the site; undefined where there is nothing at its end. */
function linkFrom(page, target, folder = posix.dirname(page)) {
  if (/^[a-z]+:/.test(target)) return target;
  const [path, hash] = target.split('#');
  const file = path ? posix.normalize(posix.join(folder, path)).replace(/\/$/, '') : page;
  if (!existsSync(file)) {
    console.warn(`${page} links to ${target}, which is not there`);
    return undefined;
  }
  queue.push(file);
  const href = posix.relative(posix.dirname(placeOf(page)), placeOf(file)) || posix.basename(placeOf(file));
  return hash ? `${href}#${hash}` : href;
}

function render(page) {
  const headings = [];
  const renderer = {
    heading({ tokens, depth, text }) {
      const id = anchorOf(text.replace(/[`*_]|\[(.*?)\]\(.*?\)/g, '$1'));
      headings.push({ depth, id, html: this.parser.parseInline(tokens) });
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
    },
    link({ href, tokens }) {
      const to = linkFrom(page, href);
      const words = this.parser.parseInline(tokens);
      return to ? `<a href="${escape(to)}">${words}</a>` : words;
    },
    image({ href, text }) {
      return `<img src="${escape(linkFrom(page, href))}" alt="${escape(text)}" loading="lazy">`;
    },
    table(token) {
      const cell = (name, { tokens }) => `<${name}>${this.parser.parseInline(tokens)}</${name}>`;
      const head = token.header.map((one) => cell('th', one)).join('');
      const rows = token.rows.map((row) => `<tr>${row.map((one) => cell('td', one)).join('')}</tr>`).join('\n');
      return `<div class="wide" role="region" aria-label="Table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>\n`;
    },
    code({ text, lang = '' }) {
      return `<pre tabindex="0"><code class="${escape(lang.split(' ', 1)[0])}">${escape(text)}</code></pre>\n`;
    },
  };
  const html = new Marked({ renderer }).parse(read(page).replace(/<!--[^]*?-->/g, ''));
  return { html, headings };
}

/** A page's sections as plain text, for the search. */
function indexSections(page, title, html) {
  const plain = (part) =>
    part
      .replace(/<a class="anchor".*?<\/a>/g, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name])
      .replace(/\s+/g, ' ')
      .trim();
  for (const part of html.split(/(?=<h[123] id=)/)) {
    const [, id, heading] = /^<h[123] id="([^"]*)">(.*?)<\/h[123]>/.exec(part) ?? [];
    if (id === undefined) continue;
    search.push({ page: title, heading: plain(heading), href: `${placeOf(page)}#${id}`, text: plain(part) });
  }
}

function write(page, title, body, headings = []) {
  const place = placeOf(page);
  const up = posix.relative(posix.dirname(place), '.') || '.';
  const groups = navigation.map(({ heading, links }) => {
    const items = links.map(({ name, target }) => {
      const href = posix.relative(posix.dirname(place), linkTarget(target));
      const here = linkTarget(target) === place ? ' aria-current="page"' : '';
      return `<li><a href="${escape(href || basename(place))}"${here}>${escape(name)}</a></li>`;
    });
    return `<h2>${escape(heading)}</h2><ul>${items.join('')}</ul>`;
  });
  const sections = headings.filter(({ depth }) => depth === 2);
  const contents =
    sections.length > 2
      ? `<details class="contents"><summary>On this page</summary><ul>${sections
          .map(({ id, html }) => `<li><a href="#${id}">${html.replace(/<\/?a\b[^>]*>/g, '')}</a></li>`)
          .join('')}</ul></details>`
      : '';
  const filled = read(join(LOOKS, 'page.html')).replace(
    /\{\{(\w+)\}\}/g,
    (_, name) => ({ title: escape(title), site: TITLE, up, navigation: groups.join(''), contents, body })[name],
  );
  mkdirSync(dirname(join(OUT, place)), { recursive: true });
  writeFileSync(join(OUT, place), filled);
}

function linkTarget(target) {
  return linkFrom('docs/index.md', target).replace(/^\.\//, '');
}

/** A file or a folder of the repository as a page. */
function writeSource(path) {
  const body = statSync(path).isDirectory()
    ? `<ul>${readdirSync(path)
        .filter((name) => !name.startsWith('.') && name !== 'node_modules')
        .map((name) => `<li><a href="${escape(linkFrom(path, name, path))}">${escape(name)}</a></li>`)
        .join('')}</ul>`
    : `<pre tabindex="0"><code>${escape(read(path))}</code></pre>`;
  write(path, path, `<h1>${escape(path)}</h1>\n${body}`);
}

rmSync(OUT, { recursive: true, force: true });
for (let path; (path = queue.shift()) !== undefined;) {
  if (done.has(path)) continue;
  done.add(path);
  if (isPage(path)) {
    const { html, headings } = render(path);
    const title = /^# (.+)$/m.exec(read(path))?.[1] ?? TITLE;
    indexSections(path, title, html);
    write(path, title, html, headings);
  } else if (extname(placeOf(path)) === '.html') writeSource(path);
  else {
    mkdirSync(dirname(join(OUT, placeOf(path))), { recursive: true });
    cpSync(path, join(OUT, placeOf(path)));
  }
}
for (const name of ['style.css', 'search.js']) cpSync(join(LOOKS, name), join(OUT, name));
// A script and no JSON: pages that come from the disk may not fetch.
writeFileSync(join(OUT, 'search-index.js'), `globalThis.searchIndex = ${JSON.stringify(search)};\n`);
console.log(`${done.size} pages and pictures in ${OUT}`);
