import { Alert, button, field, h, mayDiscard } from '../core/ui.js';
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
  let editor: EntryEditor | undefined;
  /** What is shown, or was when it was copied: then nothing is chosen, so that anything can be chosen next. */
  let origin = '';
  let chosen = '';

  function list(id: unknown): void {
    const options = catalogue
      .entries('avatars')
      .map(({ _id, name }) =>
        h('option', { value: String(_id), selected: _id === id }, `${String(name)} (${String(_id)})`),
      );
    choice.replaceChildren(...options);
    origin = chosen = choice.value;
  }

  function show(entry: Entry, isNew = false): void {
    trial?.dispose();
    const saved = (stored: Entry) => {
      list(stored._id);
      trial?.show(stored);
    };
    editor = new EntryEditor({ catalogue, list: 'avatars', entry, isNew, saved });
    const languages = catalogue.find('projects', work.project_id)?.languages as readonly string[] | undefined;
    trial = new AvatarTrial(work, editor, languages ?? []);
    trial.show(entry);
    content.replaceChildren(editor.element, trial.element);
  }

  const copy = async () => {
    if (!(await mayDiscard(editor?.isChanged))) return;
    const { _id, ...entry } = catalogue.find('avatars', origin) ?? {};
    choice.value = chosen = '';
    show(entry, true);
    content.querySelector('input')?.focus();
  };
  const choose = async () => {
    if (!(await mayDiscard(editor?.isChanged))) return void (choice.value = chosen);
    origin = chosen = choice.value;
    show(catalogue.find('avatars', chosen)!);
  };
  choice.addEventListener('change', () => void choose());
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
    isChanged: () => editor?.isChanged ?? false,
    dispose: () => trial?.dispose(),
  };
}
