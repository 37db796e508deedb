import { h, icon, type IconName } from './dom.js';

/** What a drawing may be made of. Scripts, links, styles and foreign content are not among it. */
const ELEMENTS = new Set(
  'svg g defs title path circle ellipse rect line polyline polygon linearGradient radialGradient stop clipPath mask'.split(
    ' ',
  ),
);
const EXTERNAL = /^on|href$|^style$/i;
/**
 * What a value may call. Browsers read attributes such as `fill` and `mask` as CSS, in which escapes spell any name, and
 * not only `url()` loads.
 */
const NAME_OR_CALL = /([\w-]+)(\(\s*(["']?.?))?/g;
const HARMLESS =
  /^(rgba?|hsla?|translate[XY]?|rotate|scale[XY]?|skew[XY]?|matrix|circle|ellipse|inset|polygon|cubic-bezier|steps)$/i;

/**
 * A picture as part of the page: a drawing as itself, any other as a canvas. So it needs no more of the page's
 * Content-Security-Policy than the conversation does, `connect-src`. What cannot be read that way, as a picture on
 * another server that sends no CORS headers, is an `<img>`.
 *
 * @param instead what is shown if it cannot be loaded at all
 */
export function picture(url: string, instead?: IconName): HTMLElement {
  const frame = h('span', { class: 'picture' });
  const content = /\.svg($|\?)/.test(url) ? drawing(url) : bitmap(url);
  const missing = () => frame.replaceChildren(instead ? icon(instead) : '');
  content.catch(() => h('img', { src: url, alt: '', onerror: missing })).then((element) => frame.append(element));
  return frame;
}

/** An SVG file, without anything in it that could act. */
export function drawing(url: string): Promise<SVGSVGElement> {
  return new Promise((resolve, reject) => {
    // Not DOMParser, which pages that enforce Trusted Types refuse.
    const request = new XMLHttpRequest();
    request.open('GET', url);
    // Whatever its server calls it; an error in its place is not read, or Firefox would tell the console of it.
    request.addEventListener('readystatechange', () => {
      if (request.readyState === XMLHttpRequest.HEADERS_RECEIVED && request.status === 200)
        request.overrideMimeType('image/svg+xml');
    });
    request.responseType = 'document';
    request.addEventListener('error', reject);
    request.addEventListener('load', () => {
      const root = request.status === 200 ? request.responseXML?.documentElement : undefined;
      if (root?.localName !== 'svg') return reject(new Error('There is no drawing'));
      resolve(cleaned(root) as SVGSVGElement);
    });
    request.send();
  });
}

function cleaned(source: Element): Element {
  const copy = document.createElementNS('http://www.w3.org/2000/svg', source.localName);
  for (const { name, value } of source.attributes) {
    if (!EXTERNAL.test(name) && loadsNothing(value)) copy.setAttribute(name, value);
  }
  for (const child of source.childNodes) {
    if (child instanceof Element) {
      if (ELEMENTS.has(child.localName) && child.localName !== 'title') copy.append(cleaned(child));
    } else if (child.textContent?.trim()) {
      copy.append(child.textContent);
    }
  }
  return copy;
}

/** Whether the value of an attribute refers to nothing outside of its drawing, however CSS reads it. */
export function loadsNothing(value: string): boolean {
  if (value.includes('\\')) return false;
  return [...value.matchAll(NAME_OR_CALL)].every(
    ([, name = '', call, start = '']) =>
      call === undefined || HARMLESS.test(name) || (/^url$/i.test(name) && /^["']?#$/.test(start)),
  );
}

async function bitmap(url: string): Promise<HTMLCanvasElement> {
  const response = await fetch(url);
  if (!response.ok) throw new Error('There is no picture');
  const image = await createImageBitmap(await response.blob());
  const canvas = h('canvas', { width: image.width, height: image.height });
  canvas.getContext('2d')!.drawImage(image, 0, 0);
  return canvas;
}
