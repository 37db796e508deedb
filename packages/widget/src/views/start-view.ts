import type { ConnectionResponse } from 'avatar-chat-client';
import type { Choice } from '../core/choice.js';
import { choices, h } from '../core/dom.js';
import { picture } from '../media/picture.js';
import { directionOf, fill, type Strings } from '../strings/index.js';

/**
 * The view in which a user chooses an avatar, a language and a mode.
 *
 * @param changed called after a choice that changes the texts
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
        h('small', { dir: 'auto' }, greetingText),
      ],
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
    (type) => {
      choice.chat_type = type;
      offer();
    },
    'segments',
  );
  // Video conversations require live mode if the service has it.
  const offer = () => {
    const isLive = choice.chat_type === 'video' && avatars_info.some(({ hasLiveMode }) => hasLiveMode);
    if (isLive && !choice.avatar.hasLiveMode) {
      choice.avatar = avatars_info.find(({ hasLiveMode }) => hasLiveMode)!;
      preview();
    }
    for (const input of avatars.querySelectorAll('input')) {
      input.disabled = isLive && !avatars_info.find(({ _id }) => _id === input.value)?.hasLiveMode;
      input.checked = input.value === choice.avatar._id;
    }
  };
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
