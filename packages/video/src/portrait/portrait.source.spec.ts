import { readFileSync } from 'node:fs';
import { piecesOf, stillOf } from './portrait.pieces.js';
import { LAYERS, readPortrait } from './portrait.source.js';

const template = readFileSync('examples/portrait/portrait.svg', 'utf8');
const inside = (svg: string) => template.replace('</svg>', `${svg}</svg>`);

describe('readPortrait', () => {
  it.each(['ada', 'bruno', 'mira'])('accepts the shipped portrait of %s', (name) => {
    const source = readPortrait(readFileSync(`assets/avatars/${name}/portrait.svg`, 'utf8'));
    expect(source.viewBox).toEqual({ x: 40, y: 28, size: 432 });
  });

  it.each(LAYERS)('reports the missing layer %s', (layer) => {
    expect(() => readPortrait(template.replace(`id="${layer}"`, 'id="other"'))).toThrow(`lacks the layers ${layer}.`);
  });

  it.each<[string, string, RegExp]>([
    ['no XML', 'hello', /not well-formed/],
    ['a truncated file', template.slice(0, 2000), /not well-formed/],
    ['another document', '<html xmlns="http://www.w3.org/1999/xhtml"/>', /not an SVG/],
    ['no namespace', '<svg/>', /not an SVG/],
    ['a script', inside('<script>alert(1)</script>'), /<script>/],
    ['a script in a description', inside('<metadata><script/></metadata>'), /<script>/],
    ['an event handler', inside('<g onclick="x()"/>'), /event handler, onclick/],
    ['entities', `<!DOCTYPE svg [<!ENTITY a "b">]>${template}`, /DOCTYPE/],
    ['a style sheet', `<?xml-stylesheet href="a.css"?>${template}`, /processing instruction/],
    ['a picture', inside('<image href="https://example.org/a.png"/>'), /external reference, in a <image>/],
    ['an embedded picture', inside('<image href="#a"/>'), /<image>/],
    ['a paint server elsewhere', inside('<path fill="url(https://example.org/#a)"/>'), /external reference/],
    ['an obfuscated paint', inside('<path fill="u\\72l(https://example.org/#a)"/>'), /external reference/],
    ['an import', inside('<path fill="image-set(x)"/>'), /external reference/],
    ['styles', inside('<path style="fill:red"/>'), /style attributes/],
    ['a style element', inside('<style>path{fill:red}</style>'), /<style>/],
    ['text', inside('<text>Hello</text>'), /<text>.*turn it into paths/],
    ['a page', inside('<foreignObject/>'), /<foreignObject>/],
    ['no view box', template.replace(/viewBox="[^"]*"/, ''), /no viewBox/],
    ['a view box that is not square', template.replace(/viewBox="[^"]*"/, 'viewBox="0 0 200 100"'), /not square/],
    ['a view box that is not numeric', template.replace(/viewBox="[^"]*"/, 'viewBox="a b c d"'), /no viewBox/],
    ['nesting that is too deep', inside('<g>'.repeat(200) + '</g>'.repeat(200)), /too deep/],
    ['too many elements', inside('<g/>'.repeat(60_000)), /more than 50000/],
    ['more than 10 MB', template + ' '.repeat(10 * 1024 * 1024), /larger than 10 MB/],
  ])('refuses %s', (_name, text, fault) => {
    expect(() => readPortrait(text)).toThrow(fault);
    expect(() => readPortrait(text)).toThrow(expect.objectContaining({ name: 'PortraitError' }));
  });

  it("ignores editors' metadata", () => {
    const noted = template.replace('<svg ', '<svg xmlns:ink="https://example.org/editor" ink:version="1" ');
    const text = noted.replace('</svg>', '<ink:view zoom="2"><ink:page/></ink:view><metadata>x</metadata></svg>');
    expect(stillOf(readPortrait(text), '0 0 1 1')).not.toMatch(/ink|metadata/);
  });
});

describe('piecesOf', () => {
  const pieces = piecesOf(readPortrait(template));

  it('splits a portrait by movement and visibility, in painting order', () => {
    expect(pieces.map(({ layers, eyes, mouth }) => [layers.join(' '), eyes ?? mouth ?? '']).slice(0, 7)).toEqual([
      ['', ''],
      ['hair-back', ''],
      ['body', ''],
      ['head', ''],
      ['head features', ''],
      ['head features', 'open'],
      ['head features irises', 'open'],
    ]);
    expect(pieces.at(-1)).toMatchObject({ layers: ['head'] });
    expect(pieces.filter(({ mouth }) => mouth).map(({ mouth }) => mouth)).toHaveLength(10);
  });

  it('draws each piece with its references, and makes hidden ones visible', () => {
    const closed = pieces.find(({ mouth }) => mouth === 'closed')!.svg('1 2 3 3');
    expect(closed).toMatch(/viewBox="1 2 3 3"/);
    expect(closed).toMatch(/<linearGradient id="backdrop"/);
    expect(closed.match(/<path/g)).toHaveLength(1);
    expect(closed).not.toMatch(/display="none"/);
  });
});
