import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { launch } from './browser.js';

let browser: Browser;
let page: Page;

beforeAll(async () => {
  const contents = `import { markdown, plainText } from './packages/widget/src/text/markdown.ts';
    Object.assign(globalThis, { plainText, markdown(text) {
      document.body.replaceChildren(...markdown(text));
      return document.body.innerHTML.replaceAll(' target="_blank" rel="noopener noreferrer"', '');
    } });`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    charset: 'utf8',
  });
  browser = await launch({ devices: false });
  page = await browser.newPage();
  await page.evaluate(outputFiles[0]!.text);
});
afterAll(() => browser.close());

const html = (text: string) => page.evaluate<string>(`markdown(${JSON.stringify(text)})`);

it.each([
  ['(see https://a.example/b)', '<p>(see <a href="https://a.example/b">https://a.example/b</a>)</p>'],
  [
    '**https://a.example/b_c_d**',
    '<p><strong><a href="https://a.example/b_c_d">https://a.example/b_c_d</a></strong></p>',
  ],
  ['看https://a.example/，好', '<p>看<a href="https://a.example/">https://a.example/</a>，好</p>'],
  ['<https://a.example/x>y', '<p><a href="https://a.example/x">https://a.example/x</a>y</p>'],
  ['<help@a.example>', '<p><a href="mailto:help@a.example">help@a.example</a></p>'],
  ['[https://a.example](https://b.example/)', '<p><a href="https://b.example/">https://a.example</a></p>'],
  ['[t](https://a.example/b_(c) "Title")', '<p><a href="https://a.example/b_(c)">t</a></p>'],
  ['[bad](javascript:go()) [1] [open', '<p>bad [1] [open</p>'],
  ['Press <Enter>, List<String>, a <b and c> d', '<p>Press &lt;Enter&gt;, List&lt;String&gt;, a &lt;b and c&gt; d</p>'],
  ['&lt;br&gt; &amp;', '<p>&lt;br&gt; &amp;</p>'],
  ['a_b_c, $5, `<b>_x_`', '<p>a_b_c, $5, <code>&lt;b&gt;_x_</code></p>'],
  ['- [ ] a\n- [x] b', '<ul><li><span>☐</span> a</li><li><span>☑</span> b</li></ul>'],
  [
    '|a|b|\n|-|-|\n|x<br>y|z|',
    '<div class="wide" tabindex="0"><table><tr><th>a</th><th>b</th></tr><tr><td>x<br>y</td><td>z</td></tr></table></div>',
  ],
])('renders %s', async (text, expected) => expect(await html(text)).toBe(expected));

it('separates the words of lines, cells and blocks in plain text', async () => {
  const plain = (text: string) => page.evaluate(`plainText(${JSON.stringify(text)})`);
  expect(await plain('|a|\n|-|\n|x<br>y|')).toBe('a x y');
  expect(await plain('<li>one</li><li>two</li> <Enter>')).toBe('one two <Enter>');
});

it.each([
  ['quotes', '> '.repeat(3000)],
  ['quotes without spaces', '>'.repeat(4000)],
  ['quotes over many lines', Array.from({ length: 300 }, (_, n) => '>'.repeat(n)).join('\n')],
  ['lists', Array.from({ length: 300 }, (_, n) => `${'  '.repeat(n)}- x`).join('\n')],
  ['numbered lists', Array.from({ length: 200 }, (_, n) => `${'   '.repeat(n)}1. x`).join('\n')],
  ['lists in quotes', '> - '.repeat(2000)],
  ['emphasis', '*a **b _c ~~d '.repeat(600)],
  ['links', '['.repeat(2000) + 'x' + '](https://a.example)'.repeat(300)],
  ['links with emphasis', '[*'.repeat(2000) + '*](https://a.example)'.repeat(300)],
  ['HTML', '<div><b><ul><li>'.repeat(500)],
])('bounds the depth of %s', async (_, text) => {
  await html(`${text}the end`);
  const depth = await page.evaluate<number>(`(function depthOf(node) {
    return Math.max(0, ...Array.from(node.children, (child) => 1 + depthOf(child)));
  })(document.body)`);
  expect(depth).toBeLessThanOrEqual(12);
  expect(await page.evaluate('document.body.textContent')).toMatch(/the end$/);
  expect(await page.evaluate(`plainText(${JSON.stringify(text)} + 'the end')`)).toMatch(/the end$/);
});

it('renders what follows deeply nested blocks as usual', async () => {
  expect(await html(`${'> '.repeat(40)}deep\n\n**bold**`)).toMatch(/deep.*<p><strong>bold<\/strong><\/p>$/);
});
