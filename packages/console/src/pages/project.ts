import { Alert, button, confirmed, field, form, h, mayDiscard } from '../core/ui.js';
import { t } from '../core/translate.js';
import { store } from '../core/stored.js';
import { Catalogue } from '../forms/catalogue.js';
import { EntryEditor } from '../forms/entry-editor.js';
import type { PageView, Workplace } from '../workplace.js';

/** The settings of the project; other projects are added and removed. */
export function project({ api, project_id }: Workplace): PageView {
  const alert = new Alert();
  const content = h('div');
  const name = h('input', { required: true, pattern: '[A-Za-z0-9\\-]{1,64}', autocomplete: 'off', spellcheck: false });

  let editor: EntryEditor | undefined;
  /** The operator has been asked before. */
  function reload(): void {
    if (editor) editor.isChanged = false;
    location.reload();
  }

  async function add(): Promise<void> {
    if (!(await mayDiscard(editor?.isChanged))) return;
    const added = name.value.trim();
    await api.json('projects', { method: 'POST', body: { project_id: added } });
    store('project', added);
    reload();
  }

  async function remove(): Promise<void> {
    if (!(await mayDiscard(editor?.isChanged))) return;
    const text = t('Its avatars no longer answer, and its tokens are no longer valid. Its messages stay.');
    if (!(await confirmed(t('Remove this project?'), text, t('Remove'), project_id))) return;
    await api.json(`projects/${project_id}`, { method: 'DELETE' });
    reload();
  }

  void alert.run(async () => {
    const catalogue = await Catalogue.load(api);
    const entry = catalogue.find('projects', project_id);
    if (!entry) return;
    const saved = () => undefined;
    editor = new EntryEditor({ catalogue, list: 'projects', entry, isNew: false, saved });
    content.replaceChildren(editor.element);
  });
  return {
    title: t('Project {0}', project_id),
    isChanged: () => editor?.isChanged ?? false,
    element: h(
      'div',
      { class: 'page' },
      alert.element,
      content,
      h('h2', {}, t('Other projects')),
      form(
        () => alert.run(add),
        { class: 'row' },
        field(t('Name of a new project'), name, t('With the avatars and languages of the project “default”.')),
        h('button', {}, t('Add')),
      ),
      h('div', { class: 'actions' }, button(t('Remove {0}', project_id), alert, remove, { class: 'danger' })),
    ),
  };
}
