import { Sentences } from './sentences.js';

/** The sentences of a text that arrives in chunks of some length. */
function sentencesOf(text: string, length: number, language = 'en'): string[] {
  const sentences = new Sentences(language);
  const found: string[] = [];
  for (let at = 0; at < text.length; at += length) found.push(...sentences.push(text.slice(at, at + length)));
  return [...found, ...sentences.flush()];
}

describe('sentences of a text that is still arriving', () => {
  it.each([1, 3, 7, 1000])('are the same in chunks of %d characters, and lose nothing', (length) => {
    const text = 'Hello there! How far is it? About 3.5 km, I think…\nNew line. End';
    const found = sentencesOf(text, length);
    expect(found.join('')).toBe(text);
    expect(found.map((sentence) => sentence.trim())).toEqual([
      'Hello there!',
      'How far is it?',
      'About 3.5 km, I think…',
      'New line.',
      'End',
    ]);
  });

  it('are returned as soon as the next one starts', () => {
    const sentences = new Sentences('en');
    expect(sentences.push('One. ')).toEqual([]);
    expect(sentences.push('Two')).toEqual(['One. ']);
    expect(sentences.flush()).toEqual(['Two']);
    expect(sentences.flush()).toEqual([]);
  });

  it.each([
    ['ja', 'こんにちは。元気ですか？はい。', ['こんにちは。', '元気ですか？', 'はい。']],
    ['hi', 'नमस्ते। आप कैसे हैं?', ['नमस्ते। ', 'आप कैसे हैं?']],
    ['not a language', 'One. Two.', ['One. ', 'Two.']],
  ])('follow the rules of %s', (language, text, expected) => expect(sentencesOf(text, 2, language)).toEqual(expected));

  it.each<[string, ...string[]]>([
    [
      'en',
      'I saw Dr. Smith and Mrs. Jones on Jan. 5 at 3 p.m. ',
      'They met J. R. R. Tolkien in the U.S. Army. ',
      'He left the U.S. ',
      'It was No. 5, e.g. The Hobbit. ',
      'Plan I. ',
      'Then we met in Jan. ',
      'She agreed.',
    ],
    ['en', 'First:\n', '1. Preheat the oven.\n', '2. Wait. ', 'Done.'],
    [
      'de',
      'Am 3. Oktober kam Dr. Müller, z. B. Das Buch von Hrn. J. S. Bach in Berlin. ',
      'Es waren 12. ',
      'Dann ging er, bzw. Anna, am 2. Weltkriegsdenkmal vorbei. ',
      'Siehe Nr. 5 im Jan. 2020. ',
      'Max. ',
      'Er kam.',
    ],
    [
      'es',
      'El Sr. García y la Dra. Ruiz viven en EE.UU. ',
      'Él nació el 3 de ene. ',
      'Ud. Puede venir, p.ej. El lunes. ',
      'J. L. Borges murió.',
    ],
    [
      'fr',
      'M. Dupont et MM. Le Goff ont vu le Dr. Martin, p.ex. La nuit. ',
      'Voir le no. 5. ',
      'J.-P. Sartre arriva. ',
      'Il partit.',
    ],
    [
      'pt',
      'O Sr. Silva e a Dra. Costa moram na Av. Paulista. ',
      'Ele viu o D. Pedro, p.ex. No museu. ',
      'Veja a pág. 5. ',
      'Sim.',
    ],
    ['ar', 'جاء د. أحمد مع أ.د. محمد إلى ص. 5 هنا. ', 'ثم ذهب. ', 'هل عاد؟ ', 'نعم.'],
    ['hi', 'डॉ. शर्मा और ए. पी. जे. अब्दुल कलाम आए। ', 'प्रो. वर्मा ने रु. 500 दिए। ', 'वह गए।'],
    ['zh', 'Dr. Wang 来了。', '他说：J. R. R. Tolkien 很好！', '第3.5节呢？', '好。'],
    ['cmn', '他住在 U.S. It 是国家。', '好。'],
  ])('of %s do not end at abbreviations, initials and ordinals', (language, ...expected) => {
    for (const length of [1, 2, 5, 1000]) expect(sentencesOf(expected.join(''), length, language)).toEqual(expected);
  });

  it('keep code blocks and displayed formulas whole', () => {
    const expected = [
      'So:\n',
      '```js\nlet x = 1. Y();\n\nz()\n```\n',
      'Next. ',
      'Use `a.b` here.\n',
      '$$\nx = 1. Y\n$$',
      '\n',
      '~~~\nA. B\n',
    ];
    for (const length of [1, 2, 5, 1000]) expect(sentencesOf(expected.join(''), length)).toEqual(expected);
  });

  it('are never longer than 400 characters, and end at a space or a whole character', () => {
    const words = sentencesOf('word '.repeat(300), 50);
    expect(Math.max(...words.map(({ length }) => length))).toBeLessThanOrEqual(400);
    expect(words.every((sentence) => sentence.endsWith(' '))).toBe(true);
    const faces = sentencesOf('x' + '😀'.repeat(1000), 999);
    expect(faces.join('')).toBe('x' + '😀'.repeat(1000));
    expect(faces.every((sentence) => !/[\ud800-\udbff]$/.test(sentence))).toBe(true);
  });
});
