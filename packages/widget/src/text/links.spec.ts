import { replaceUrls } from './links.js';

it.each([
  ['(see https://example.org/prices)', 'https://example.org/prices'],
  ['https://example.com/help，请看这里', 'https://example.com/help'],
  ['请看https://example.com/help。谢谢', 'https://example.com/help'],
  ['こちらhttps://example.jp/a、どうぞ', 'https://example.jp/a'],
  ['सहायता https://example.org/help। और', 'https://example.org/help'],
  ['"https://example.org/a"', 'https://example.org/a'],
  ['“https://example.org”', 'https://example.org'],
  ['「https://example.org/」', 'https://example.org/'],
  ['**https://example.org/a**', 'https://example.org/a'],
  ['_https://example.org/a_b_', 'https://example.org/a_b'],
  ['~~https://example.org/a~~', 'https://example.org/a'],
  ['https://en.wikipedia.org/wiki/A_(b)', 'https://en.wikipedia.org/wiki/A_(b)'],
  ['https://zh.wikipedia.org/wiki/中文', 'https://zh.wikipedia.org/wiki/中文'],
  ['HTTP://localhost:3000/a?b=c&d=e#f.', 'HTTP://localhost:3000/a?b=c&d=e#f'],
  ['https://a.example，https://b.example', 'https://a.example https://b.example'],
  ['xhttps://example.org https:// https://', ''],
])('finds the URLs in %s', (text, urls) => {
  const found: string[] = [];
  expect(replaceUrls(text, (url) => (found.push(url), url))).toBe(text);
  expect(found.join(' ')).toBe(urls);
});
