import { Alert, button, field, h } from '../core/ui.js';
import { t } from '../core/translate.js';
import { Catalogue, type Entry } from '../forms/catalogue.js';
import { EntryEditor } from '../forms/entry-editor.js';
import type { PageView, Workplace } from '../workplace.js';
import { AvatarTrial } from './avatar-trial.js';

/** Avatars: their entries in the catalogue, beside a conversation that tries them out. */
export function avatars(work: Workplace): PageView {
  const alert = new Alert();
  const choice = h('select', {});
  const content = h('div', { class: 'columns' });
  let catalogue: Catalogue;
  let trial: AvatarTrial | undefined;

  function list(chosen: unknown): void {
    const options = catalogue
      .entries('avatars')
      .map(({ _id, name }) =>
        h('option', { value: String(_id), selected: _id === chosen }, `${String(name)} (${String(_id)})`),
      );
    choice.replaceChildren(...options);
  }

  function show(entry: Entry, isNew = false): void {
    trial?.dispose();
    const saved = (stored: Entry) => {
      list(stored._id);
      trial?.show(stored);
    };
    const editor = new EntryEditor({ catalogue, list: 'avatars', entry, isNew, saved });
    const languages = catalogue.find('projects', work.project_id)?.languages as readonly string[] | undefined;
    trial = new AvatarTrial(work, editor, languages ?? []);
    trial.show(entry);
    content.replaceChildren(editor.element, trial.element);
  }

  const copy = () => {
    const { _id, ...entry } = catalogue.find('avatars', choice.value) ?? {};
    show(entry, true);
    content.querySelector('input')?.focus();
  };
  choice.addEventListener('change', () => show(catalogue.find('avatars', choice.value)!));
  void alert.run(async () => {
    catalogue = await Catalogue.load(work.api);
    const offered = catalogue.find('projects', work.project_id)?.avatars as string[] | undefined;
    const first = catalogue.find('avatars', offered?.[0]) ?? catalogue.entries('avatars')[0];
    list(first?._id);
    if (first) show(first);
  });
  return {
    title: t('Avatars'),
    element: h(
      'div',
      { class: 'page' },
      h('div', { class: 'row' }, field(t('Avatar'), choice), button(t('New avatar like this'), alert, copy)),
      alert.element,
      content,
    ),
    dispose: () => trial?.dispose(),
  };
}
