import { SPOKEN_LIMIT, spokenFrom, spokenText } from './spoken.text.js';

describe('spokenText', () => {
  it.each([
    ['A *very* **good** `idea`', 'A very good idea'],
    ['# Title\n\n* one\n* two', 'Title one two'],
    ['See [the docs](https://example.org/a?b=c) or http://x.test/y!', 'See the docs or !'],
    ['详情请看 https://example.com/help，欢迎再来。', '详情请看 ，欢迎再来。'],
    ['请看https://example.com/帮助页面', '请看 帮助页面'],
    ['(see https://en.wikipedia.org/wiki/Moon_(x)) or "https://x.test", www.example.org.', '(see ) or " ", .'],
    ['**https://example.org/ö** is on https://ar.wikipedia.org/wiki/القاهرة now', 'is on now'],
    ['[the Moon](https://en.wikipedia.org/wiki/Moon_(x) "A title") and [it][1]', 'the Moon and it'],
    ['Press <Enter>, or write to <help@example.org>.', 'Press Enter , or write to help@example.org .'],
    ['A List<String> where a <b and c> d', 'A List String where a b and c d'],
    ['Press <Menu>, <Del>, </Button> or <Option>.', 'Press Menu , Del , /Button or Option .'],
    ['A List<Object>, Vec<a> or Option<object>', 'A List Object , Vec a or Option object'],
    ['H<sub>2</sub>O, <I>air</I>, x<BR>y and <strike>old</strike>', 'H 2 O, air , x y and old'],
    ['In HTML, `<b>` and ``<p class="a">`` are tags.', 'In HTML, b and p class="a" are tags.'],
    ['One<!-- hidden --> and <script>let a = "<b>";</script>two<style>a {}</style> <!-- x', 'One and two !-- x'],
    ['| x<br>y | <b>bold</b><a href="/p" target=_blank>link</a><input disabled/> |', 'x y bold link'],
    ['One [1], two [2, 3], three[^4], four【5†source】 and [5](/p)', 'One , two , three, four and 5'],
    ['So:\n```js\nlet x = 1;\n```\nThat is `all`.', 'So: That is all .'],
    ['So:\n~~~\nlet x = 1;\n', 'So:'],
    ['A → B ⇒ C -> D => E <-- F', 'A B C D E F'],
    ['The area is $$\\pi r^2$$ or $$, \\[a=b\\] I think', 'The area is or , I think'],
    ['> '.repeat(3000) + 'deep', 'deep'],
    ['Well done 👍🏽 👩‍👩‍👧 🇫🇷!', 'Well done !'],
    ['See [Ada](/people/ada) and [Bob](</b>)', 'See Ada and Bob'],
    ['[[h@l]] 2 ^ 3', 'h@l 2 3'],
    ['nul\0 and\u0007 bell \ud800', 'nul and bell'],
    ['你好！我叫艾达。', '你好！我叫艾达。'],
    ['नमस्ते, क्या हाल है?', 'नमस्ते, क्या हाल है?'],
    ['It’s 3.5 % – “really”.', 'It’s 3.5 % – “really”.'],
  ])('reads %j as %j', (text, spoken) => {
    expect(spokenText(text)).toBe(spoken);
  });

  it.each(['', ' \n', '…', '👍', '***', 'https://example.org'])('has nothing to speak in %j', (text) => {
    expect(spokenText(text)).toBe('');
  });

  it('truncates a long text after a sentence', () => {
    const spoken = spokenText('This is one sentence. '.repeat(1000));
    expect(spoken.length).toBeGreaterThan(SPOKEN_LIMIT - 25);
    expect(spoken.length).toBeLessThanOrEqual(SPOKEN_LIMIT);
    expect(spoken).toMatch(/sentence\.$/);
  });

  it.each([
    ['en-us', 'We asked Dr. Smith and his friends.'],
    ['de', 'Man nimmt z. B. einen Apfel.'],
    ['de', 'Das war am 3. Oktober in Bonn.'],
    ['cmn', '他住在 U.S. It 是国家。'],
  ])('in %s, never truncates %j after its first full stop', (language, sentence) => {
    const start = 'So it is. '.repeat(390);
    for (let length = 80; length < 100; length++) {
      const before = `${start}${'x'.repeat(length - 2)}. `;
      const given = `${before}${sentence} `.padEnd(5000, 'y');
      const end = spokenFrom(given, {}, language).positions.at(-1)! + 1;
      expect([before.trimEnd(), `${before}${sentence}`]).toContain(given.slice(0, end));
    }
  });

  it('truncates a text without sentences after a word, and one without words anywhere', () => {
    expect(spokenText('word '.repeat(3000))).toMatch(/ word$/);
    expect(spokenText('word '.repeat(3000)).length).toBeLessThanOrEqual(SPOKEN_LIMIT);
    expect(spokenText('好'.repeat(9000))).toHaveLength(SPOKEN_LIMIT);
  });

  it('takes time linear in the length of a text, not quadratic', () => {
    const before = process.cpuUsage();
    for (let n = 0; n < 10; n++) spokenText(']('.repeat(2 * SPOKEN_LIMIT));
    for (const part of ['`a ', '<!--', '<script>', 'a<b>']) spokenText(part.repeat(2 * SPOKEN_LIMIT));
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(500_000);
  });

  it('terminates with two million characters', () => {
    for (const text of ['a', '](', 'http://', ' ', '\u200d', '[a]('])
      expect(spokenText(text.repeat(2_000_000 / text.length)).length).toBeLessThanOrEqual(2_000_000);
  });
});

describe('spokenFrom', () => {
  it('reads whole words as it is told, at the positions of the words', () => {
    const given = 'Mira, **Mirabel** and C++ (Mira) v1.0';
    const { text, positions } = spokenFrom(given, { Mira: 'MEE-ra', 'C++': 'see plus plus', 'v1.0': 'version one' });
    expect(text).toBe('MEE-ra, Mirabel and see plus plus (MEE-ra) version one');
    expect(positions).toHaveLength(text.length);
    expect(given.slice(positions[text.indexOf('see')])).toMatch(/^C\+\+/);
    expect(given.slice(positions[text.indexOf('ra)')])).toMatch(/^ra\)/);
    expect(spokenText('a '.repeat(4000), { a: 'x'.repeat(100) }).length).toBeLessThan(3 * SPOKEN_LIMIT);
  });

  it.each(['  See *the* [docs, all](https://a.b/c)\n👍  or **it**: http://x.test/y now', '你好 [[ 好 ]]！'])(
    'maps each character of %j to its source',
    (given) => {
      const { text, positions } = spokenFrom(given);
      expect(positions).toHaveLength(text.length);
      expect(positions.map((at) => given[at]!).join('')).toHaveLength(text.length);
      for (const [index, character] of [...text].entries())
        if (character !== ' ') expect(given[positions[index]!]).toBe(character);
      expect([...positions].sort((a, b) => a - b)).toEqual(positions);
    },
  );
});
