import { numberText } from '../core/format.js';
import type { KnowledgeDocument, QualityReport } from '../core/types.js';
import { Alert, button, confirmed, daysField, field, form, h, mayDiscard, table } from '../core/ui.js';
import type { Workplace } from '../workplace.js';
import { t } from '../core/translate.js';

const DAYS = [7, 30, 90, 400];
const MAX_TITLE = 200;
/** Of one question: case, accents, punctuation and space do not matter, as in the service's list. */
const SAME = new Intl.Collator('und', { sensitivity: 'base', ignorePunctuation: true });

type Question = NonNullable<QualityReport['questions']>[number];

/** The knowledge base that is open. */
export interface OpenBase {
  readonly name: string;
  /** As listed last. */
  readonly documents: readonly KnowledgeDocument[];
  /** Whether an avatar answers from it; undefined if the key does not tell. */
  isUsedBy(avatar_id: string): boolean | undefined;
  list(): Promise<void>;
  /** Adds a document, or replaces the one of its title. */
  add(file: File, title: string): Promise<void>;
}

/** Questions that avatars could not answer. An answer becomes a document of the open base, whose title is the question. */
export class Unanswered {
  readonly element = h('section', { class: 'page' });
  private readonly alert = new Alert();
  private readonly news = h('p', { role: 'status', class: 'note' });
  private readonly list = h('div', {});
  private readonly draft = h('div', {});
  private text?: HTMLTextAreaElement;
  private questions: readonly Question[] = [];

  /** @param answered called after an answer was stored */
  constructor(
    private readonly work: Workplace,
    private readonly base: OpenBase,
    private readonly answered: (question: string) => unknown,
  ) {
    const load = (days: number) => void this.alert.run(() => this.load(days));
    const { element, alert, news, list, draft } = this;
    element.append(h('h2', {}, t('Questions without an answer')), daysField(DAYS, 30, load), list, alert.element);
    element.append(news, draft);
    load(30);
  }

  /** Whether there is an answer that is not saved. */
  get isChanged(): boolean {
    return Boolean(this.text?.value.trim());
  }

  private async load(days: number): Promise<void> {
    const path = `projects/${this.work.project_id}/quality`;
    const { questions } = await this.work.api.json<QualityReport>(path, { query: { days } });
    this.questions = questions ?? [];
    const none = questions ? t('Avatars answered everything.') : t('They are listed if the project’s settings say so.');
    if (this.questions.length > 0) this.show();
    else this.list.replaceChildren(h('p', { class: 'note' }, none));
  }

  /** Marks those that a document of the base answers. */
  show(): void {
    if (this.questions.length === 0) return;
    const rows = this.questions.map((each) => {
      const isAnswered = this.find(each) !== undefined;
      const label = isAnswered ? t('Answer again') : t('Write an answer');
      const write = button(label, this.alert, () => this.write(each), { 'aria-label': `${label}: ${each.question}` });
      const question = h('span', { dir: 'auto', lang: each.language_code }, each.question);
      const state = isAnswered && h('small', {}, `✓ ${t('Answered')}`);
      return [question, h('div', {}, state, ' ', write), numberText(each.times), each.avatar_id, each.language_code];
    });
    const heads = ['Question', 'Answer', 'Times', 'Avatar', 'Language'] as const;
    this.list.replaceChildren(table(t('The most frequent ones'), heads, rows, [2]));
  }

  private find({ question }: Question): KnowledgeDocument | undefined {
    return this.base.documents.find(({ title }) => SAME.compare(title, titleOf(question)) === 0);
  }

  private async write(each: Question): Promise<void> {
    if (!(await mayDiscard(this.isChanged))) return;
    const known = this.find(each);
    const text = h('textarea', { required: true, rows: 5, dir: 'auto' });
    const hint = t(
      'It becomes a document of “{0}”, from which avatars answer. Its title is the question.',
      this.base.name,
    );
    const cancel = () => {
      this.close();
      this.focus(each);
    };
    this.news.textContent = '';
    this.text = text;
    this.draft.replaceChildren(
      h('h3', { dir: 'auto', lang: each.language_code }, each.question),
      form(
        () => this.alert.run(() => this.save(each, known?.updated)),
        { class: 'fields' },
        this.base.isUsedBy(each.avatar_id) === false
          ? h('p', { class: 'note' }, t('{0} does not answer from “{1}” yet.', each.avatar_id, this.base.name))
          : undefined,
        field(t('Answer'), text, known ? `${hint} ${t('It replaces the former answer.')}` : hint),
        h(
          'div',
          { class: 'actions' },
          h('button', { class: 'primary' }, t('Save')),
          h('button', { type: 'button', onclick: cancel }, t('Cancel')),
        ),
      ),
    );
    text.focus();
  }

  /** @param updated of the document that it replaces */
  private async save(each: Question, updated: number | undefined): Promise<void> {
    const answer = this.text!.value.trim();
    if (!answer) return;
    await this.base.list();
    const known = this.find(each);
    if (known && known.updated !== updated) {
      const question = t('Somebody else has answered this question in the meantime. Their answer would be replaced.');
      if (!(await confirmed(t('Replace it?'), question, t('Replace')))) return;
    }
    // What would be typed meanwhile would be lost.
    this.draft.inert = true;
    try {
      await this.base.add(documentOf(each, answer), known?.title ?? titleOf(each.question));
      this.close();
    } finally {
      this.draft.inert = false;
      this.text?.focus();
    }
    this.news.textContent = t('Saved.');
    this.answered(each.question);
    this.focus(each);
  }

  private close(): void {
    this.text = undefined;
    this.draft.replaceChildren();
  }

  /** The button of a question: the list has been made anew. */
  private focus(each: Question): void {
    this.list.querySelectorAll('button')[this.questions.indexOf(each)]?.focus();
  }
}

/** In one line, as titles are. */
function titleOf(question: string): string {
  const line = question
    .normalize()
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim();
  return Array.from(line).slice(0, MAX_TITLE).join('');
}

/** A page with the question as a heading: avatars find an answer by it. */
function documentOf({ question, language_code }: Question, answer: string): File {
  const paragraphs = answer.split('\n').map((line) => h('p', {}, line));
  const page = h('html', { lang: language_code }, h('body', {}, h('h2', {}, titleOf(question)), ...paragraphs));
  return new File([page.outerHTML], 'answer.html', { type: 'text/html' });
}
