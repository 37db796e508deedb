import { dateText } from '../core/format.js';
import type { Message } from '../core/types.js';
import { h } from '../core/ui.js';
import { t } from '../core/translate.js';

/** A message, as text: nothing in it is markup. */
export function bubble(message: Message, personName: string | undefined): HTMLElement {
  const { _id, direction, request, answer, avatar_name, date, chat_type, fileUrl, rating, sources = [] } = message;
  const isUser = direction === 'outgoing';
  const isPerson = !isUser && personName !== undefined && avatar_name === personName;
  const who = isUser ? t('User') : (avatar_name ?? t('Avatar'));
  return h(
    'article',
    { class: `message ${isUser ? 'user' : isPerson ? 'person' : 'avatar'}`, 'data-id': _id },
    h('header', {}, h('b', {}, who), ' ', h('time', { dateTime: new Date(date).toISOString() }, dateText(date))),
    h('p', { dir: 'auto' }, (isUser ? request : answer) || t('(no text)')),
    fileUrl && recording(fileUrl, chat_type),
    sources.length > 0 &&
      h(
        'details',
        {},
        h('summary', {}, t('Sources')),
        h('ul', {}, ...sources.map(({ title, text }) => h('li', {}, h('b', {}, title), ` ${text}`))),
      ),
    rating && h('small', {}, rating === 'up' ? t('Rated as a good answer') : t('Rated as a bad answer')),
  );
}

/** Recordings of the service play here; others, of imported messages, are links. */
function recording(url: string, chat_type: string): HTMLElement {
  const isOwn = URL.canParse(url) && new URL(url).pathname.includes('/files/');
  if (!isOwn)
    return h(
      'p',
      {},
      /^https?:/.test(url)
        ? h('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, t('Recording'))
        : t('Recording'),
    );
  const properties = { controls: true, preload: 'none', src: url, 'aria-label': t('Recording') };
  return chat_type === 'video' ? h('video', { ...properties, playsInline: true }) : h('audio', properties);
}
