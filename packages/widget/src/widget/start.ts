import type { AvatarInfo, ConnectionResponse } from 'avatar-chat-client';
import type { ChatType } from './conversation.js';
import { choices, h } from './dom.js';
import { picture } from './picture.js';
import { directionOf, fill, type Strings } from './strings/index.js';

export interface Choice {
  avatar: AvatarInfo;
  language_code: string;
  chat_type: ChatType;
}

/**
 * Where a user chooses whom to talk with, in which language and how.
 *
 * @param changed told of a choice that changes the texts
 */
export function startView(
  { avatars_info, languages, chat_types }: ConnectionResponse,
  strings: Strings,
  choice: Choice,
  changed: () => void,
  start: () => void,
): HTMLElement {
  const startIcon = h('span', { class: 'start-icon' });
  const startText = h('span');
  const preview = () => {
    startIcon.replaceChildren(picture(choice.avatar.startButtonIcon, ''));
    startText.textContent = fill(strings.start, { name: choice.avatar.name });
  };
  preview();

  const avatars = choices(
    strings.choose,
    avatars_info.map(({ _id, name, previewIcons, greetingText }) => ({
      value: _id,
      name,
      content: [picture(previewIcons.large, ''), h('strong', {}, name), h('small', { dir: 'auto' }, greetingText)],
    })),
    choice.avatar._id,
    (id) => {
      choice.avatar = avatars_info.find(({ _id }) => _id === id)!;
      preview();
    },
    'avatars',
  );
  const language = h(
    'div',
    { class: 'languages-box' },
    choices(
      strings.language,
      languages.map(({ name, language_code, icon_url }) => ({
        value: language_code,
        content: [picture(icon_url, ''), h('span', { lang: language_code, dir: directionOf(language_code) }, name)],
      })),
      choice.language_code,
      (code) => {
        choice.language_code = code;
        changed();
      },
      'languages',
    ),
  );
  const ways = choices(
    strings.way,
    chat_types.map((type) => ({ value: type, content: [h('span', {}, strings[type])] })),
    choice.chat_type,
    (type) => (choice.chat_type = type),
    'segments',
  );
  return h(
    'form',
    {
      class: 'start',
      onsubmit: (event: Event) => {
        event.preventDefault();
        start();
      },
    },
    avatars,
    h('div', { class: 'options' }, language, chat_types.length > 1 && ways),
    h('div', { class: 'start-row' }, h('button', { class: 'start-button', type: 'submit' }, startIcon, startText)),
  );
}
