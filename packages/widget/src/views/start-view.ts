import type { ConnectionResponse } from 'avatar-chat-client';
import { type Choice, closestMode, modesOf } from '../core/choice.js';
import type { ChatType } from '../history/history.js';
import { choices, h } from '../core/dom.js';
import { picture } from '../media/picture.js';
import { directionOf, fill, type Strings } from '../strings/index.js';

/**
 * The view in which a user chooses an avatar, a language and a mode.
 *
 * @param changed called after a choice that changes the texts
 */
export function startView(
  connection: ConnectionResponse,
  strings: Strings,
  choice: Choice,
  changed: () => void,
  start: () => void,
): HTMLElement {
  const { avatars_info, languages, chat_types } = connection;
  const startIcon = h('span', { class: 'start-icon' });
  const startText = h('span');
  const preview = () => {
    startIcon.replaceChildren(picture(choice.avatar.startButtonIcon, 'person'));
    startText.textContent = fill(strings.start, { name: choice.avatar.name });
  };
  preview();

  const avatars = choices(
    strings.choose,
    avatars_info.map(({ _id, name, previewIcons, greetingText }) => ({
      value: _id,
      name,
      content: [
        picture(previewIcons.large, 'person'),
        h('strong', {}, name),
        // Its language is known when the chosen one's has come.
        h('small', { dir: 'auto', lang: '' }, greetingText),
      ],
    })),
    choice.avatar._id,
    (id) => {
      choice.avatar = avatars_info.find(({ _id }) => _id === id)!;
      preview();
      offer();
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
        content: [picture(icon_url), h('span', { lang: language_code, dir: directionOf(language_code) }, name)],
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
  /** Only the modes that the avatar has. */
  const offer = () => {
    const modes = modesOf(connection, choice.avatar);
    choice.chat_type = closestMode(modes, choice.chat_type);
    for (const input of ways.querySelectorAll('input')) {
      input.checked = input.value === choice.chat_type;
      input.disabled = !modes.includes(input.value as ChatType);
      input.parentElement!.hidden = input.disabled;
    }
  };
  offer();
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
