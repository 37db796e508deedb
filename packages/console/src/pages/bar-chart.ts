import { numberText } from '../core/format.js';
import { h, newId } from '../core/ui.js';
import { t } from '../core/translate.js';

const NAMESPACE = 'http://www.w3.org/2000/svg';
const HEIGHT = 100;

function svg(tag: string, attributes: Record<string, string | number>, ...children: Element[]): SVGElement {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** A bar for each entry, with a text for those who do not see it. */
export function barChart(title: string, entries: readonly (readonly [name: string, value: number])[]): HTMLElement {
  const most = Math.max(1, ...entries.map(([, value]) => value));
  const sum = entries.reduce((all, [, value]) => all + value, 0);
  const peak = entries.find(([, value]) => value === most);
  const id = newId();
  const bars = entries.map(([name, value], index) => {
    const height = (value / most) * HEIGHT;
    const hint = svg('title', {});
    hint.textContent = `${name}: ${numberText(value)}`;
    const size = { x: index + 0.1, width: 0.8, y: HEIGHT - height, height };
    return svg('rect', { ...size, class: 'bar' }, hint);
  });
  const box = `0 0 ${entries.length} ${HEIGHT}`;
  const label = peak
    ? t('{0} in total, most on {1}: {2}', numberText(sum), peak[0], numberText(most))
    : t('{0} in total', numberText(sum));
  const chart = svg(
    'svg',
    { viewBox: box, preserveAspectRatio: 'none', class: 'chart', role: 'img', 'aria-labelledby': id },
    ...bars,
  );
  const [first, last] = [entries[0]?.[0] ?? '', entries.at(-1)?.[0] ?? ''];
  return h(
    'figure',
    {},
    h('figcaption', { id }, h('b', {}, title), ` ${label}`),
    chart as unknown as HTMLElement,
    h('div', { class: 'axis', 'aria-hidden': 'true' }, h('span', {}, first), h('span', {}, last === first ? '' : last)),
  );
}
