import { quoteOf } from '../search/quotes.js';
import { countWords, passagesOf, sentencesOf } from './passages.js';

const words = (count: number, word = 'word') => Array.from({ length: count }, () => word).join(' ');
const heading = (text: string, level = 1) => ({ text, level });

it('a section is a passage, with the path of its headings', () => {
  const [first, second] = passagesOf([
    heading('Returns'),
    { text: words(60) },
    heading('Refunds', 2),
    { text: words(40) },
    { text: words(40) },
  ]);
  expect(first).toMatchObject({ heading: 'Returns', text: words(60) });
  expect(second).toMatchObject({ heading: 'Returns › Refunds', text: `${words(40)}\n${words(40)}` });
});

it('the title of the document is kept with each, and is the heading of what has no other', () => {
  const blocks = [{ text: words(60) }, heading('Prices', 2), { text: words(20) }];
  expect(passagesOf(blocks, 'The kennel')).toMatchObject([
    { heading: 'The kennel', title: 'The kennel' },
    { heading: 'Prices', title: 'The kennel' },
  ]);
});

it('short sections are joined with the next, whose headings stay in the text', () => {
  const blocks = [
    heading('Hours'),
    heading('Shop', 2),
    { text: 'Nine to five.' },
    heading('Café', 2),
    { text: words(50) },
  ];
  expect(passagesOf(blocks)).toMatchObject([{ heading: 'Hours', text: `Shop:\nNine to five.\nCafé:\n${words(50)}` }]);
  expect(passagesOf([{ text: 'Only this.' }])).toMatchObject([{ heading: '', text: 'Only this.' }]);
});

it('a short answer under its own heading is a passage', () => {
  const blocks = [
    heading('Questions'),
    heading('Deposit?', 2),
    { text: words(20) },
    heading('Age?', 2),
    { text: words(15) },
  ];
  expect(passagesOf(blocks)).toMatchObject([
    { heading: 'Questions › Deposit?', text: words(20) },
    { heading: 'Questions › Age?', text: words(15) },
  ]);
});

it('long sections are split between paragraphs and sentences, and nothing is lost', () => {
  const sentence = `${words(29)} end.`;
  const long = Array.from({ length: 30 }, () => sentence).join(' ');
  const passages = passagesOf([heading('Long'), { text: long }, { text: words(100) }, { text: words(700) }]);
  expect(passages.length).toBeGreaterThan(6);
  for (const { heading, text } of passages) {
    expect(heading).toBe('Long');
    expect(countWords(text)).toBeLessThanOrEqual(250);
  }
  const all = passages.map(({ text }) => text).join(' ');
  expect(countWords(all)).toBe(countWords(long) + 800);
});

it('text without spaces is split as well', () => {
  for (const text of ['x'.repeat(100_000), '汉字'.repeat(5_000)]) {
    const passages = passagesOf([{ text }]);
    expect(passages.every((one) => countWords(one.text) <= 250)).toBe(true);
    expect(passages.map((one) => one.text).join('')).toBe(text);
  }
});

it.each([
  ['en', 'The warranty is for the blender and it does not cover the seal.'],
  ['de', 'Die Garantie gilt für den Mixer und nicht für die Dichtung.'],
  ['es', 'La garantía es para la batidora y no cubre la junta.'],
  ['fr', 'La garantie est pour le mixeur et ne couvre pas le joint.'],
  ['pt', 'A garantia é para o liquidificador e não cobre a borracha.'],
  ['ar', 'الضمان للخلاط فقط'],
  ['hi', 'वारंटी ब्लेंडर के लिए है'],
  ['zh', '保修只适用于搅拌机'],
  ['xx', '保証はミキサーだけです'],
  ['xx', 'ZX-81 4711'],
])('its language is found: %s', (language, text) => {
  expect(passagesOf([{ text }])[0]).toMatchObject({ language });
});

it.each([
  ['Ask Dr. Smith or Mrs. Jones. ', 'They know. ', 'J. R. R. Tolkien, e.g. in No. 5, wrote it. ', 'Did he? ', 'Yes.'],
  ['Nehmen Sie z. B. Tee, d.h. am 3. Oktober bzw. bei Nr. 4. ', 'Fertig? ', 'Ja.'],
  ['Escriba a la Sra. Gil, pág. 7. ', 'Gracias. ', 'La Dra. Ruiz lee.'],
  ['Voyez M. Petit, p. ex. demain. ', 'Merci.'],
  ['Fale com a Profa. Lima. ', 'Obrigado. ', 'O Exmo. Sr. Reis lê.'],
  ['डॉ. राव से पूछें। ', 'धन्यवाद।'],
  ['اسأل د. سامي. ', 'شكرا.'],
  ['请问 Dr. Wang。', '好。'],
  ['1. Open it. ', 'Wait.\n', '2. Close it.\n', 'Plan B.\n', 'The end.'],
])('sentences do not end at an abbreviation: %s', (...sentences) => {
  expect(sentencesOf(sentences.join(''))).toEqual(sentences);
});

it('a quotation neither begins nor ends at an abbreviation', () => {
  const text = `${words(60)}. The clinic of Dr. Smith opens at nine. ${words(99)} in it.`;
  const quote = quoteOf(
    { passage: { document_id: 'a', heading: '', text, language: 'en' } },
    'When does Smith open the clinic?',
  );
  expect(quote).toContain('The clinic of Dr. Smith opens');
  expect(quote).toMatch(/ (nine|it)\.$/);
});
