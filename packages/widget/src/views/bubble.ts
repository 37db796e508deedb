import type { Source } from 'avatar-chat-client';
import type { SavedVideos } from '../media/saved-videos.js';
import type { Entry } from '../history/conversation.js';
import { h, icon } from '../core/dom.js';
import { markdown } from '../text/markdown.js';
import { errorText } from '../core/error-text.js';
import type { Rating, Ratings } from '../history/ratings.js';
import { fill, type Strings } from '../strings/index.js';

/** How long a button confirms that it has copied, in milliseconds. */
const COPIED_MS = 2000;

/** The context of a bubble besides its message. */
export interface BubbleOptions {
  strings: Strings;
  /** The name of the current avatar, for error messages. */
  name: string;
  /** Of messages that do not say theirs. */
  language_code: string;
  ratings: Ratings;
  videos: SavedVideos;
  play(entry: Entry): void;
  failed(error: unknown): void;
}

/** The content of a message's list item. */
export function bubble(entry: Entry, options: BubbleOptions): Node[] {
  const { strings } = options;
  const { mine, state, recording, error, retry } = entry;
  const name = mine ? strings.you : (entry.name ?? '');
  const parts: (Node | false)[] = [h('span', { class: 'name' }, name)];
  if (!mine && (state === 'waiting' || state === 'typing')) {
    const label = entry.text || fill(strings.thinking, { name });
    parts.push(h('p', { class: 'dots', 'aria-label': label, role: 'img' }, h('i'), h('i'), h('i')));
    return parts as Node[];
  }
  const text = entry.text || strings.recording;
  // The texts around it are in another language if the widget has none in that of the conversation.
  const attributes = {
    class: 'text',
    dir: 'auto',
    lang: entry.text ? (entry.language_code ?? options.language_code) : undefined,
  };
  parts.push(mine ? h('p', attributes, text) : h('div', attributes, ...markdown(text)));
  if (recording) {
    const play = () => options.play(entry);
    parts.push(h('button', { type: 'button', class: 'play', 'aria-label': strings.play, onclick: play }, icon('play')));
  }
  if (entry.sources?.length && state !== 'speaking') parts.push(sourcesView(entry.sources, strings));
  if (mine && state === 'waiting') parts.push(h('small', {}, strings.waiting));
  if (state === 'interrupted') parts.push(h('small', {}, strings.interrupted));
  if (state !== 'waiting' && state !== 'speaking' && state !== 'failed') parts.push(footer(entry, options));
  if (state === 'failed') {
    parts.push(
      h(
        'div',
        { class: 'problem', role: 'status' },
        icon('alert'),
        h('span', {}, `${strings.notSent} ${errorText(error, strings, options.name)}`),
        h('button', { type: 'button', class: 'quiet', onclick: retry }, icon('retry'), strings.retry),
      ),
    );
  }
  return parts as Node[];
}

/** Collapsed: the passages that an answer is based on. */
function sourcesView(sources: readonly Source[], strings: Strings): HTMLElement {
  const items = sources.map(({ title, url, text }) => {
    const isLink = url !== undefined && /^https?:\/\//i.test(url);
    const name = isLink ? h('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, title) : title;
    return h('li', { dir: 'auto' }, name, h('p', {}, text));
  });
  return h('details', { class: 'sources' }, h('summary', {}, strings.sources), h('ul', {}, ...items));
}

/** The time of the message, and its actions. */
function footer(entry: Entry, options: BubbleOptions): HTMLElement {
  const { mine, id, date, text, recording, isVideo } = entry;
  const { strings } = options;
  const row = h('div', { class: 'about' });
  if (date !== undefined) row.append(time(date, strings.tag));
  if (mine || !text) return row;
  row.append(copyButton(text, strings, options.failed));
  if (isVideo && typeof recording === 'string')
    row.append(...options.videos.controls({ ...entry, recording }, options.failed));
  if (id !== undefined) row.append(...ratingButtons(id, options));
  return row;
}

/** The time for today's messages, otherwise date and time. */
function time(date: number, locale: string): HTMLTimeElement {
  const when = new Date(date);
  const isToday = when.toDateString() === new Date().toDateString();
  const text = when.toLocaleString(
    locale,
    isToday ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' },
  );
  return h('time', { dateTime: when.toISOString() }, text);
}

function copyButton(text: string, strings: Strings, failed: (error: unknown) => void): HTMLButtonElement {
  const button = h(
    'button',
    { type: 'button', class: 'act', 'aria-label': strings.copy, title: strings.copy },
    icon('copy'),
  );
  button.addEventListener('click', () => {
    copy(text).then(() => {
      button.replaceChildren(icon('done'), h('span', { class: 'unseen', role: 'status' }, strings.copied));
      setTimeout(() => button.replaceChildren(icon('copy')), COPIED_MS);
    }, failed);
  });
  return button;
}

/** A frame may be denied the clipboard API; then the legacy command works in a click handler. */
async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h('textarea', { value: text, readOnly: true, class: 'unseen' });
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    if (!copied) throw new Error('The text could not be copied');
  }
}

function ratingButtons(id: string, { strings, ratings, failed }: BubbleOptions): HTMLButtonElement[] {
  const buttons = (['up', 'down'] as const).map((rating) => {
    const label = rating === 'up' ? strings.good : strings.bad;
    const button = h('button', { type: 'button', class: 'act', 'aria-label': label, title: label }, icon(rating));
    button.addEventListener('click', () => {
      const before = ratings.of(id);
      const wanted = before === rating ? null : rating;
      show(wanted);
      ratings.set(id, wanted).catch((error: unknown) => {
        show(before);
        failed(error);
      });
    });
    return { rating, button };
  });
  const show = (chosen: Rating | null) => {
    for (const { rating, button } of buttons) button.setAttribute('aria-pressed', String(rating === chosen));
  };
  show(ratings.of(id));
  return buttons.map(({ button }) => button);
}
