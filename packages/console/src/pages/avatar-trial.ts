import { Alert, button, field, form, h } from '../core/ui.js';
import { t } from '../core/translate.js';
import { type Entry, FaultsError } from '../forms/catalogue.js';
import type { EntryEditor } from '../forms/entry-editor.js';
import { ApiError } from '../core/api.js';
import type { Workplace } from '../workplace.js';

/** Longer than the longest time limit of an answer. */
const TIMEOUT_MS = 610_000;
const MAX_HISTORY = 10;

/** A conversation with an avatar as it stands in a form. Nothing of it is stored. */
export class AvatarTrial {
  readonly element: HTMLElement;
  private readonly alert = new Alert();
  private readonly portrait = h('img', { class: 'portrait', alt: '' });
  private readonly language: HTMLSelectElement;
  private readonly log = h('div', { class: 'log', role: 'log', tabIndex: 0, 'aria-label': t('Conversation') });
  private readonly request = h('input', { required: true, dir: 'auto', autocomplete: 'off', maxLength: 8000 });
  private readonly leaving = new AbortController();
  private readonly history: { request: string; answer: string }[] = [];
  private audio?: AudioContext;

  constructor(
    private readonly work: Workplace,
    private readonly editor: EntryEditor,
    languages: readonly string[],
  ) {
    this.language = h('select', {}, ...languages.map((code) => h('option', {}, code)));
    this.element = h(
      'section',
      { class: 'trial', 'aria-label': t('Try it out') },
      this.portrait,
      h('h2', {}, t('Try it out')),
      h('p', { class: 'note' }, t('With what stands in the form. Nothing is stored.')),
      h(
        'div',
        { class: 'row' },
        field(t('Language'), this.language),
        button(t('Listen to the greeting'), this.alert, () => this.listen()),
      ),
      this.log,
      this.alert.element,
      form(
        () => this.alert.run(() => this.ask()),
        { class: 'row' },
        field(t('Message'), this.request),
        h('button', {}, t('Send')),
      ),
    );
  }

  /** Shows the portrait of an entry. */
  show({ previewIcons, name }: Entry): void {
    const { medium = '' } = (previewIcons ?? {}) as { medium?: string };
    // Relative, since a proxy may strip a part of the path.
    Object.assign(this.portrait, { src: medium.replace(/^\/(?!\/)/, ''), alt: String(name ?? '') });
  }

  dispose(): void {
    this.leaving.abort();
    void this.audio?.close();
  }

  private async ask(): Promise<void> {
    const request = this.request.value.trim();
    if (!request) return;
    const { history } = this;
    await this.editor.run(async (avatar) => {
      this.add('user', t('You'), request);
      const answer = this.add('avatar', String(avatar.name), '…');
      try {
        const found = await this.post('avatars/try', { avatar, request, history: history.slice(-MAX_HISTORY) });
        const text = ((await found.json()) as { answer: string }).answer;
        answer.textContent = text;
        history.push({ request, answer: text });
        this.request.value = '';
      } catch (error) {
        answer.textContent = '–';
        throw error;
      }
      this.log.scrollTop = this.log.scrollHeight;
    });
  }

  private async listen(): Promise<void> {
    this.audio ??= new AudioContext();
    const { audio } = this;
    await this.editor.run(async (avatar) => {
      const texts = (avatar.greetings ?? {}) as Record<string, string>;
      const request = texts[this.language.value] ?? String(avatar.greetingText ?? '');
      const response = await this.post('avatars/speak', { avatar, request });
      if (response.status === 204)
        return this.alert.showText(
          t('Nothing was spoken: there is no voice for this language, or it failed, as the log says.'),
        );
      const source = audio.createBufferSource();
      source.buffer = await audio.decodeAudioData(await response.arrayBuffer());
      source.connect(audio.destination);
      source.start();
    });
  }

  /** @throws FaultsError, ApiError */
  private async post(path: string, body: { avatar: Entry; request: string; history?: object[] }): Promise<Response> {
    const { api, project_id } = this.work;
    const sent = { project_id, language_code: this.language.value || undefined, ...body };
    try {
      const { signal } = this.leaving;
      return await api.open(path, { method: 'POST', body: sent, signal, timeout: TIMEOUT_MS });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'invalid_catalogue')
        throw new FaultsError(await this.editor.check(body.avatar));
      throw error;
    }
  }

  private add(who: 'user' | 'avatar', name: string, text: string): HTMLElement {
    const shown = h('p', { dir: 'auto' }, text);
    this.log.append(h('article', { class: `message ${who}` }, h('b', {}, name), shown));
    this.log.scrollTop = this.log.scrollHeight;
    return shown;
  }
}
