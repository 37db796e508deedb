import { zipSync } from 'fflate';
import { parseDocument } from './document.js';
import { readDocument } from './document.reader.js';

const bytes = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding);
const textsOf = async (content: Uint8Array, name: string) =>
  (await parseDocument(content, name)).passages.map(({ heading, text }) => (heading ? `${heading}: ${text}` : text));

/** Pages of these lines, from top to bottom. */
function aPdf(...pages: string[][]): Buffer {
  const contents = pages.map((lines) =>
    lines.map((line, n) => `BT /F1 12 Tf 50 ${700 - 200 * n} Td (${line}) Tj ET`).join('\n'),
  );
  const pageOf = (n: number) =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${5 + 2 * n} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, n) => `${4 + 2 * n} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...contents.flatMap((content, n) => [pageOf(n), `<< /Length ${content.length} >>\nstream\n${content}\nendstream`]),
  ];
  const numbered = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`);
  return bytes(`%PDF-1.4\n${numbered.join('')}trailer << /Size ${objects.length + 1} /Root 1 0 R >>\n%%EOF`);
}

describe('a document', () => {
  it('in HTML has no scripts, styles, navigation and hidden parts', async () => {
    const page = `<!doctype html><title>My  page</title><style>p{}</style><nav>Home</nav><h1>Shop</h1>
      <script>alert('<p>no</p>')</script><p>We sell <b>bread</b> and <a href="javascript:x()">rolls</a>.<br>Daily.</p>
      <p hidden>secret<img src=x></p><table><tr><th>Monday</th><td>9–17</td></tr></table><noscript>no</noscript>`;
    expect(await parseDocument(bytes(page), 'x')).toMatchObject({ title: 'My page' });
    expect(await textsOf(bytes(page), 'x')).toEqual(['Shop: We sell bread and rolls.\nDaily.\nMonday | 9–17']);
  });

  it('in Markdown has a title if it has one main heading', async () => {
    const text =
      '---\ndraft: true\n---\n# Title\n\n## *Part*\n\nSome `code` and\na [link](http://a.example).\n\n- one\n- two\n';
    expect(await parseDocument(bytes(text), 'a.md')).toMatchObject({ title: 'Title' });
    expect(await textsOf(bytes(text), 'a.md')).toEqual(['Part: Some code and a link.\none\ntwo']);
    expect((await parseDocument(bytes('# A\n\nx\n\n# B\n\ny'), 'a.md')).title).toBeUndefined();
  });

  it('in plain text has headings that stand alone, and may have several encodings', async () => {
    expect(await textsOf(bytes('Opening hours\n\nNine to\nfive.\n'), 'a.txt')).toEqual([
      'Opening hours: Nine to five.',
    ]);
    expect(await textsOf(bytes('Größe', 'latin1'), 'a.txt')).toEqual(['Größe']);
    expect(await textsOf(bytes('\ufeffGröße', 'utf16le'), 'a.txt')).toEqual(['Größe']);
    expect(await textsOf(bytes('\ufeffGröße'), 'a.txt')).toEqual(['Größe']);
  });

  it('may speak of the header of a PDF, which only in one comes after other bytes', async () => {
    expect(await textsOf(bytes('Such files begin with %PDF-1.7.'), 'a.md')).toEqual([
      'Such files begin with %PDF-1.7.',
    ]);
    await expect(parseDocument(bytes('junk\n%PDF-1.4\nnothing'), 'a.PDF')).rejects.toThrow('is damaged');
  });

  it.each([
    ['an RTF', '{\\rtf1 text}', 'a.rtf'],
    ['a file of another type by its name', 'text', 'a.xlsx'],
    ['a file with control characters', 'a\u0001b', 'a.txt'],
    ['a ZIP without a text', Buffer.from(zipSync({ 'a.xml': new Uint8Array(1) })).toString('latin1'), 'a.docx'],
  ])('is refused: %s', async (_, content, name) => {
    await expect(parseDocument(bytes(content, 'latin1'), name)).rejects.toThrow('is not a PDF, DOCX');
  });
});

describe('in a process of its own', () => {
  it('a document is read', async () => {
    const { passages } = await readDocument(bytes('# A\n\nSome text.'), 'a.md');
    expect(passages).toMatchObject([{ text: 'Some text.', language: 'en' }]);
  });

  const textsOfPdf = async (...pages: string[][]) =>
    (await readDocument(aPdf(...pages), 'a.pdf')).passages.map(({ text }) => text);

  it('a PDF is read without running titles and page numbers', async () => {
    const page = (n: number) => ['Handbook', `Rule ${n} is ${'very '.repeat(n)}good.`, `Page ${n} of 5`];
    const [text = ''] = await textsOfPdf(...[1, 2, 3, 4, 5].map(page));
    expect(text.split('\n')).toEqual([1, 2, 3, 4, 5].map((n) => page(n)[1]));
    expect((await textsOfPdf(page(1), page(2))).join()).toContain('Page 1 of 5');
  });

  it('a PDF printed by a browser is read without the title that comes after the text, and an address with the page', async () => {
    const page = (n: number) => [
      `Rule ${n} is ${'very '.repeat(n)}good.`,
      '11/30/26, 10:35 PM Handbook',
      `file:///srv/books/v2/handbook.html ${n}/5`,
    ];
    const [text = ''] = await textsOfPdf(...[1, 2, 3, 4, 5].map(page));
    expect(text.split('\n')).toEqual([1, 2, 3, 4, 5].map((n) => page(n)[0]));
  });

  it('a PDF keeps figures and headings at the edges of its pages', async () => {
    const page = (n: number) => [`Fee of ${n * n} euros`, `Rule ${n} is good.`, `Section ${10 - n}`];
    const texts = (await textsOfPdf(...[1, 2, 3, 4, 5].map(page))).join('\n');
    for (const line of [1, 2, 3, 4, 5].flatMap(page)) expect(texts).toContain(line);
  });

  it('one that takes too long or is damaged is refused', async () => {
    await expect(readDocument(bytes('*a '.repeat(2_000_000)), 'a.md', 1_000)).rejects.toThrow('takes too long');
    await expect(readDocument(bytes('%PDF-1.4\nnothing'), 'a.pdf')).rejects.toThrow('is damaged');
  });
});
