import { dropTags } from './html-tags.js';

it.each([
  'Press <Enter>, or <Ctrl>+<C>',
  'List<String>, Array<Object>, List<object>, Vec<u8>, Map<K, V>, Option<a>',
  'a <b and c> d',
  'if a<b and c>d, or a < b',
  '<Button onClick={go}> and <my-element> and <T>',
  '1 <2> 3 <- -> <3 <> </> <',
  'help <help@example.org',
])('keeps %s', (text) => expect(dropTags(text)).toBe(text));

it.each([
  ['H<sub>2</sub>O is <b>not</b> <I>air</I>', 'H2O is not air'],
  ['x<br>y<BR/>z<br />w', 'x<br>y<br>z<br>w'],
  ['<p>one</p>\n<p class="a b">two</p>', 'one\ntwo'],
  ['<ul><li>one</li><li>two</li></ul>', 'one<br>two'],
  ["a<img src=x onerror='go()' hidden>b<input disabled />c", 'abc'],
  ['<script>let a = "<b>";</script>x<style>a {}</style><!-- y -->z<!doctype html>', 'xz'],
  ['    <div>    <div>code?', 'code?'],
])('drops the tags of %s', (text, kept) => expect(dropTags(text)).toBe(kept));

it('handles many tags', () => {
  expect(dropTags('<div> x.'.repeat(20_000))).toHaveLength(20_000 * 6 - 4);
  expect(dropTags('<a '.repeat(20_000) + ' '.repeat(20_000))).toHaveLength(80_000);
});
