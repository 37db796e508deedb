import { h, icon, type IconName } from '../core/dom.js';

/** The allowed elements of a drawing. Scripts, links, styles and foreign content are not among them. */
const ELEMENTS = new Set(
  'svg g defs title path circle ellipse rect line polyline polygon linearGradient radialGradient stop clipPath mask'.split(
    ' ',
  ),
);
const MAX_DEPTH = 40;
const EXTERNAL = /^on|href$|^style$/i;
/**
 * Names and function calls in a value. Browsers parse attributes such as `fill` and `mask` as CSS, in which escapes can
 * spell any name, and `url()` is not the only function that loads something.
 */
const NAME_OR_CALL = /([\w-]+)(\(\s*(["']?.?))?/g;
const HARMLESS =
  /^(rgba?|hsla?|translate[XY]?|rotate|scale[XY]?|skew[XY]?|matrix|circle|ellipse|inset|polygon|cubic-bezier|steps)$/i;

/**
 * A picture as part of the page: SVG inline, other formats on a canvas. This way it needs only `connect-src` of the page's
 * Content-Security-Policy, like the conversation. A picture that cannot be read that way, for example from
 * another server without CORS headers, becomes an `<img>`.
 *
 * @param instead the icon to show if it cannot be loaded at all
 */
export function picture(url: string, instead?: IconName): HTMLElement {
  const frame = h('span', { class: 'picture' });
  const content = /\.svg($|\?)/.test(url) ? drawing(url) : bitmap(url);
  const missing = () => frame.replaceChildren(instead ? icon(instead) : '');
  content.catch(() => h('img', { src: url, alt: '', onerror: missing })).then((element) => frame.append(element));
  return frame;
}

/** An SVG file, without anything that could run. */
export function drawing(url: string): Promise<SVGSVGElement> {
  return new Promise((resolve, reject) => {
    // Not DOMParser, which pages that enforce Trusted Types block.
    const request = new XMLHttpRequest();
    request.open('GET', url);
    // Ignores the server's content type. An error response is not parsed: Firefox would log that to the console.
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

function cleaned(source: Element, depth = 0): Element {
  const copy = document.createElementNS('http://www.w3.org/2000/svg', source.localName);
  for (const { name, value } of source.attributes) {
    if (!EXTERNAL.test(name) && isSelfContained(value)) copy.setAttribute(name, value);
  }
  for (const child of source.childNodes) {
    if (child instanceof Element) {
      if (depth < MAX_DEPTH && ELEMENTS.has(child.localName) && child.localName !== 'title')
        copy.append(cleaned(child, depth + 1));
    } else if (child.textContent?.trim()) {
      copy.append(child.textContent);
    }
  }
  return copy;
}

/** Whether an attribute's value refers to nothing outside its drawing, however CSS parses it. */
export function isSelfContained(value: string): boolean {
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
