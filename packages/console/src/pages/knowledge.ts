import { bytesText, dateText, numberText } from '../core/format.js';
import type { KnowledgeDocument, KnowledgePassage } from '../core/types.js';
import { Alert, button, confirmed, field, form, h, newId, table } from '../core/ui.js';
import type { PageView, Workplace } from '../workplace.js';
import { t } from '../core/translate.js';
import { type OpenBase, Unanswered } from './unanswered.js';

const UPLOAD_TIMEOUT_MS = 120_000;
const BASE = '[a-z0-9\\-]{1,64}';

/** Documents that avatars answer from: list, add, remove, try a search, and answer what avatars could not. */
export function knowledge(work: Workplace): PageView {
  const { api, project_id } = work;
  const alert = new Alert();
  const suggestions = h('datalist', { id: newId() });
  const base = h('input', { required: true, pattern: BASE, autocomplete: 'off', spellcheck: false });
  base.setAttribute('list', suggestions.id);
  const documents = h('div', { 'aria-live': 'polite' });
  const passages = h('div', { 'aria-live': 'polite' });
  const file = h('input', { type: 'file', multiple: true, accept: '.pdf,.docx,.html,.htm,.md,.txt' });
  const question = h('input', { required: true, dir: 'auto' });
  const content = h('div', { hidden: true });
  /** The base that is open, the one that was to be opened last, documents of the former, and the bases by avatar. */
  let name = '';
  let wanted = '';
  let found: readonly KnowledgeDocument[] = [];
  let bases: ReadonlyMap<string, readonly string[]> = new Map();
  let lists = 0;
  let searching = new AbortController();

  async function read(base: string): Promise<readonly KnowledgeDocument[]> {
    const path = `knowledge/${base}/documents`;
    return (await api.json<{ documents: KnowledgeDocument[] }>(path, { query: { project_id } })).documents;
  }

  /** Lists the documents of a base, unless another list is wanted in the meantime. */
  async function list(opened: string): Promise<void> {
    const count = ++lists;
    wanted = opened;
    try {
      const documents = await read(opened);
      if (count !== lists) return;
      found = documents;
      if (name !== opened) clearPassages();
      name = opened;
      content.hidden = false;
    } finally {
      if (count === lists) {
        wanted = name;
        show();
      }
    }
  }

  function show(): void {
    const rows = found.map((each) => [
      each.url && /^https?:/.test(each.url)
        ? h('a', { href: each.url, target: '_blank', rel: 'noopener noreferrer' }, each.title)
        : each.title,
      numberText(each.passages),
      bytesText(each.bytes),
      dateText(each.updated),
      button(t('Delete'), alert, () => remove(each), { class: 'danger', 'aria-label': t('Delete {0}', each.title) }),
    ]);
    documents.replaceChildren(
      found.length > 0
        ? table(t('Documents'), ['Title', 'Passages', 'Size', 'Updated', 'Actions'], rows, [1, 2])
        : h('p', { class: 'note' }, t('This knowledge base has no documents.')),
    );
    unanswered.show();
  }

  async function add(files: Iterable<File>, base = name, title?: string): Promise<void> {
    for (const each of files) {
      const body = new FormData();
      body.append('file', each, each.name);
      if (title !== undefined) body.append('title', title);
      if (base === name) documents.replaceChildren(h('p', { class: 'note' }, t('Adding {0} …', title ?? each.name)));
      try {
        await api.json(`knowledge/${base}/documents`, {
          method: 'POST',
          query: { project_id },
          body,
          timeout: UPLOAD_TIMEOUT_MS,
        });
      } finally {
        if (base === wanted) await list(base);
      }
    }
    file.value = '';
  }

  async function remove({ document_id, title }: KnowledgeDocument): Promise<void> {
    const from = name;
    if (!(await confirmed(t('Delete this document?'), t('Avatars no longer answer from “{0}”.', title), t('Delete'))))
      return;
    await api.json(`knowledge/${from}/documents/${document_id}`, { method: 'DELETE', query: { project_id } });
    if (from === wanted) await list(from);
    base.focus();
  }

  /** @returns for a search that comes next */
  function clearPassages(): AbortSignal {
    searching.abort();
    searching = new AbortController();
    passages.replaceChildren();
    return searching.signal;
  }

  async function search(): Promise<void> {
    const signal = clearPassages();
    const query = { project_id, q: question.value.trim(), limit: 5 };
    const path = `knowledge/${name}/search`;
    const { passages: found } = await api.json<{ passages: KnowledgePassage[] }>(path, { query, signal });
    const items = found.map(({ title, text, score }) =>
      h(
        'li',
        {},
        h('b', {}, title),
        h('small', {}, ` ${t('score {0}', score.toFixed(2))}`),
        h('p', { dir: 'auto' }, text),
      ),
    );
    passages.replaceChildren(
      found.length > 0 ? h('ol', { class: 'passages' }, ...items) : h('p', { class: 'note' }, t('Nothing was found.')),
    );
  }

  const opened: OpenBase = {
    get name() {
      return name;
    },
    get documents() {
      return found;
    },
    isUsedBy: (avatar_id) => bases.get(avatar_id)?.includes(name),
    read,
    add: (each, base, title) => add([each], base, title),
  };
  const unanswered = new Unanswered(work, opened, (asked) => {
    question.value = asked;
    return search();
  });
  content.append(
    documents,
    dropArea(
      (files) => void alert.run(() => add(files)),
      [
        form(
          () => alert.run(() => add(file.files ?? [])),
          { class: 'row' },
          field(
            t('Add documents'),
            file,
            t('PDF, DOCX, HTML, Markdown or text, up to 20 MiB each. You can also drop them here.'),
          ),
          h('button', { class: 'primary' }, t('Upload')),
        ),
      ],
    ),
    h('h2', {}, t('Try a search')),
    form(() => alert.run(search), { class: 'row' }, field(t('Question'), question), h('button', {}, t('Search'))),
    passages,
    unanswered.element,
  );
  const openBase = () => alert.run(() => list(base.value.trim()));
  void basesOf(work).then((found) => {
    bases = found;
    const names = [...new Set([...bases.values()].flat())].sort();
    suggestions.replaceChildren(...names.map((value) => h('option', { value })));
    if (names.length === 0 || base.value) return;
    base.value = names[0]!;
    void openBase();
  });
  const open = form(
    openBase,
    { class: 'row' },
    field(t('Knowledge base'), base, t('Lower-case letters, digits and hyphens.')),
    h('button', {}, t('Open')),
  );
  return {
    title: t('Knowledge'),
    element: h('div', { class: 'page' }, open, suggestions, alert.element, content),
    isChanged: () => unanswered.isChanged,
  };
}

function dropArea(drop: (files: FileList) => void, children: HTMLElement[]): HTMLElement {
  const element = h('div', { class: 'drop' }, ...children);
  element.addEventListener('dragover', (event) => {
    event.preventDefault();
    element.classList.add('over');
  });
  element.addEventListener('dragleave', () => element.classList.remove('over'));
  element.addEventListener('drop', (event) => {
    event.preventDefault();
    element.classList.remove('over');
    if (event.dataTransfer) drop(event.dataTransfer.files);
  });
  return element;
}

/** The bases of the project's avatars, if the key may read the catalogue. */
async function basesOf({ api, project_id }: Workplace): Promise<Map<string, readonly string[]>> {
  interface Catalogue {
    avatars?: { _id: string; knowledge?: string[] }[];
    projects?: { project_id: string; avatars?: string[] }[];
  }
  const { avatars = [], projects = [] } = await api.json<Catalogue>('catalogue').catch((): Catalogue => ({}));
  const offered = projects.find((project) => project.project_id === project_id)?.avatars ?? [];
  return new Map(avatars.filter(({ _id }) => offered.includes(_id)).map(({ _id, knowledge = [] }) => [_id, knowledge]));
}
