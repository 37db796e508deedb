type Child = Node | string | undefined | false;
type Properties = Record<string, unknown>;

/**
 * Creates an HTML element. `on…` adds a listener; names with a hyphen, and names that are not properties, set attributes;
 * undefined and false are omitted. Never parses markup, so text cannot be injected as HTML.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener);
    else if (name in element && !name.includes('-') && name !== 'role') Object.assign(element, { [name]: value });
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child): child is Node | string => Boolean(child)));
  return element;
}

/** Whether a key belongs to an input method, which some browsers say by its code alone. */
export function isComposing({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === 229;
}

const ICONS = {
  send: 'M5 12h14M13 6l6 6-6 6',
  stop: 'M7 7h10v10H7z',
  microphone: 'M12 3a3 3 0 0 0-3 3v6a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM5 11v1a7 7 0 0 0 14 0v-1M12 19v3',
  muted: 'M12 3a3 3 0 0 0-3 3v6a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM5 11v1a7 7 0 0 0 14 0v-1M12 19v3M4 3l16 18',
  play: 'M8 5.5v13l10-6.5z',
  back: 'M15 5l-7 7 7 7',
  close: 'M6 6l12 12M18 6L6 18',
  new: 'M12 5v14M5 12h14',
  chat: 'M21 11.5a8.4 8.4 0 0 1-12.2 7.6L3 21l1.9-5.8A8.4 8.4 0 1 1 21 11.5z',
  alert: 'M12 8v5M12 16.5v.5M12 3l9.5 17h-19z',
  retry: 'M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  done: 'M5 12.5l4.5 4.5L19 7.5',
  save: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  share: 'M12 15V4M8 8l4-4 4 4M5 12v8h14v-8',
  up: 'M7 11v9H4v-9zM7 12l4-8c1.7 0 2.6 1 2.2 2.7L12.5 10H18a2 2 0 0 1 2 2.3l-1 6A2 2 0 0 1 17 20H7',
  down: 'M7 13V4H4v9zM7 12l4 8c1.7 0 2.6-1 2.2-2.7L12.5 14H18a2 2 0 0 0 2-2.3l-1-6A2 2 0 0 0 17 4H7',
  loud: 'M4 9.5v5h3.5L12 19V5L7.5 9.5zM15.5 9a4 4 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11',
  silent: 'M4 9.5v5h3.5L12 19V5L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5',
  captions: 'M3 6h18v12H3zM10.5 10.5a2 2 0 1 0 0 3M17.5 10.5a2 2 0 1 0 0 3',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21a8 8 0 0 1 16 0',
  video: 'M3 7h12v10H3zM15 11l6-3.5v9L15 13',
} as const;

export type IconName = keyof typeof ICONS;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', `icon icon-${name}`);
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}

/**
 * Call before an element is hidden or removed: a focus in it would leave the chat, whose keys would do nothing. Moves it to
 * another element, by default the message input, or the messages if no key was used: the input may open a keyboard.
 */
export function releaseFocus(element: Element, next?: HTMLElement | null): void {
  const focused = (element.getRootNode() as ShadowRoot).activeElement;
  if (!focused || !element.contains(focused)) return;
  const selector = focused.matches(':focus-visible') ? 'textarea' : '.messages';
  (next ?? element.closest('.talk')!.querySelector<HTMLElement>(selector)!).focus();
}

/** A radio group. */
export function choices<T extends string>(
  label: string,
  options: readonly { value: T; content: Child[]; name?: string; disabled?: boolean }[],
  chosen: T,
  choose: (value: T) => void,
  className: string,
): HTMLFieldSetElement {
  const group = `${className}-${Math.random().toString(36).slice(2)}`;
  return h(
    'fieldset',
    { class: className },
    h('legend', {}, label),
    ...options.map(({ value, content, name, disabled }) =>
      h(
        'label',
        { 'data-value': value },
        h('input', {
          type: 'radio',
          name: group,
          value,
          checked: value === chosen,
          disabled,
          'aria-label': name,
          onchange: () => choose(value),
        }),
        ...content,
      ),
    ),
  );
}
