import { isSelfContained } from './picture.js';

it.each([
  '#fff',
  'rgb(1 2 3 / 50%)',
  'translate(2 3) rotate(4 256 345)',
  'matrix(1,0,0,1,0,0)',
  'url(#gradient)',
  `url( "#gradient" )`,
  "url('#gradient') none",
  'M 0 0 L (1)',
  'none',
])('the attribute value %s of a drawing is kept', (value) => expect(isSelfContained(value)).toBe(true));

it.each([
  'url(https://other.test/a)',
  'URL( "https://other.test/a")',
  String.raw`u\72l(https://other.test/a)`,
  String.raw`\75\72\6c(https://other.test/a)`,
  String.raw`url(\68ttps://other.test/a)`,
  `url('' https://other.test/a)`,
  'url(//other.test/a)',
  'url(#a), url(https://other.test/a)',
  'image-set("https://other.test/a" 1x)',
  '-webkit-image-set("https://other.test/a" 1x)',
  'cross-fade(red, "https://other.test/a")',
  'src("https://other.test/a")',
  'image("https://other.test/a")',
  'var(--a, url(https://other.test/a))',
  'element(#a)',
])('the attribute value %s of a drawing is removed', (value) => expect(isSelfContained(value)).toBe(false));
