import { numberText } from '../core/format.js';
import type { KnowledgeDocument, QualityReport } from '../core/types.js';
import { Alert, button, confirmed, daysField, field, form, h, mayDiscard, table } from '../core/ui.js';
import type { Workplace } from '../workplace.js';
import { t } from '../core/translate.js';

const DAYS = [7, 30, 90, 400];
const MAX_TITLE = 200;

type Question = NonNullable<QualityReport['questions']>[number];

/** The knowledge base that is open. */
export interface OpenBase {
  readonly name: string;
  /** As listed last. */
  readonly documents: readonly KnowledgeDocument[];
  /** Whether an avatar answers from it; undefined if the key does not tell. */
  isUsedBy(avatar_id: string): boolean | undefined;
  /** The documents of any base. */
  read(base: string): Promise<readonly KnowledgeDocument[]>;
  /** Adds a document to any base, or replaces the one of its title. */
  add(file: File, base: string, title: string): Promise<void>;
}

/** An answer that is not saved. */
interface Draft {
  readonly each: Question;
  /** Of the base that was open at first. */
  readonly base: string;
  /** When the document that it replaces was stored. */
  readonly updated: number | undefined;
  readonly question: HTMLInputElement;
  readonly text: HTMLTextAreaElement;
  /** Sizes of what was sent: it may be stored although the response was lost. */
  readonly sent: Set<number>;
}

/**
 * Questions that avatars could not answer. An answer becomes a document of the open base, whose title is the question, as
 * the operator words it, and its language: an erasure of the user does not reach it.
 */
export class Unanswered {
  readonly element = h('section', { class: 'page' });
  private readonly alert = new Alert();
  private readonly news = h('p', { role: 'status', class: 'note' });
  private readonly list = h('div', {});
  private readonly form = h('div', {});
  private draft?: Draft | undefined;
  private questions: readonly Question[] = [];
  /** How this page has worded questions, by their titles. */
  private readonly worded = new Map<string, string>();

  /** @param answered called after an answer was stored */
  constructor(
    private readonly work: Workplace,
    private readonly base: OpenBase,
    private readonly answered: (question: string) => unknown,
  ) {
    const { element, alert, news, list, form } = this;
    const period = daysField(DAYS, 30, alert, (days, signal) => this.load(days, signal));
    element.append(h('h2', {}, t('Questions without an answer')), period, list, alert.element, news, form);
  }

  /** Whether there is an answer that is not saved. */
  get isChanged(): boolean {
    const { question, text } = this.draft ?? {};
    return Boolean(text?.value.trim()) || question?.value !== question?.defaultValue;
  }

  private async load(days: number, signal: AbortSignal): Promise<void> {
    this.questions = [];
    this.list.replaceChildren();
    const path = `projects/${this.work.project_id}/quality`;
    const { questions } = await this.work.api.json<QualityReport>(path, { query: { days }, signal });
    this.questions = questions ?? [];
    const none = questions ? t('Avatars answered everything.') : t('They are listed if the project’s settings say so.');
    if (this.questions.length > 0) this.show();
    else this.list.replaceChildren(h('p', { class: 'note' }, none));
  }

  /** Marks those that a document of the base answers. */
  show(): void {
    if (this.questions.length === 0) return;
    const rows = this.questions.map((each) => {
      const isAnswered = find(this.base.documents, this.titleOf(each)) !== undefined;
      const label = isAnswered ? t('Answer again') : t('Write an answer');
      const write = button(label, this.alert, () => this.write(each), { 'aria-label': `${label}: ${each.question}` });
      const question = h('span', { dir: 'auto', lang: each.language_code }, each.question);
      const state = isAnswered && h('small', {}, `✓ ${t('Answered')}`);
      return [question, h('div', {}, state, ' ', write), numberText(each.times), each.avatar_id, each.language_code];
    });
    const heads = ['Question', 'Answer', 'Times', 'Avatar', 'Language'] as const;
    this.list.replaceChildren(table(t('The most frequent ones'), heads, rows, [2]));
  }

  private titleOf(each: Question): string {
    const title = titleOf(each.question, each);
    return this.worded.get(title) ?? title;
  }

  private async write(each: Question): Promise<void> {
    if (!(await mayDiscard(this.isChanged))) return;
    const { name, documents } = this.base;
    const title = this.titleOf(each);
    const known = find(documents, title);
    const attributes = { required: true, maxLength: MAX_TITLE, dir: 'auto', lang: each.language_code };
    const question = h('input', { ...attributes, defaultValue: title.slice(0, -suffixOf(each).length) });
    const text = h('textarea', { required: true, rows: 5, dir: 'auto' });
    const hint = t(
      'It becomes a document of “{0}”, from which avatars answer. Its title is the question, with its language.',
      name,
    );
    const cancel = () => {
      this.close();
      this.focus(each);
    };
    this.news.textContent = '';
    this.draft = { each, base: name, updated: known?.updated, question, text, sent: new Set() };
    const { draft } = this;
    this.form.replaceChildren(
      h('h3', { dir: 'auto', lang: each.language_code }, each.question),
      form(
        () => this.alert.run(() => this.save(draft)),
        { class: 'fields' },
        this.base.isUsedBy(each.avatar_id) === false
          ? h('p', { class: 'note' }, t('{0} does not answer from “{1}” yet.', each.avatar_id, name))
          : undefined,
        field(
          t('Question of the document'),
          question,
          t('Others see it, and an erasure of the user does not reach it: leave out what names a person.'),
        ),
        field(t('Answer'), text, known ? `${hint} ${t('With this question, it replaces the former answer.')}` : hint),
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

  private async save(draft: Draft): Promise<void> {
    const { each, base, updated, question, text, sent } = draft;
    const answer = text.value.trim();
    const title = titleOf(question.value, each);
    const asked = title.slice(0, -suffixOf(each).length);
    if (!answer || !asked) return;
    // What would be typed meanwhile would be lost.
    this.form.inert = true;
    try {
      const known = find(await this.base.read(base), title);
      if (known && known.updated !== updated && !sent.has(known.bytes)) {
        const told = t('This question has got another answer in the meantime. It would be replaced.');
        if (!(await confirmed(t('Replace it?'), told, t('Replace')))) return;
      }
      const file = documentOf(asked, each.language_code, answer);
      sent.add(file.size);
      await this.base.add(file, base, known?.title ?? title);
      this.worded.set(titleOf(each.question, each), title);
      if (this.draft === draft) this.close();
    } finally {
      this.form.inert = false;
      this.draft?.text.focus();
    }
    this.news.textContent = t('Saved.');
    if (base !== this.base.name) return;
    this.show();
    this.focus(each);
    await this.answered(asked);
  }

  private close(): void {
    this.draft = undefined;
    this.form.replaceChildren();
  }

  /** The button of a question: the list has been made anew. */
  private focus(each: Question): void {
    this.list.querySelectorAll('button')[this.questions.indexOf(each)]?.focus();
  }
}

/** The answer's language: the same words may mean something else in another one. */
const suffixOf = ({ language_code }: Question) => ` (${language_code})`;

/** In one line, as titles are. */
function titleOf(question: string, each: Question): string {
  const line = question
    .normalize()
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim();
  const suffix = suffixOf(each);
  return (
    Array.from(line)
      .slice(0, MAX_TITLE - suffix.length)
      .join('') + suffix
  );
}

/** The document of a title: case, width, and punctuation at the end of the question do not matter. */
function find(documents: readonly KnowledgeDocument[], title: string): KnowledgeDocument | undefined {
  const plain = plainOf(title);
  return documents.find((each) => plainOf(each.title) === plain);
}

function plainOf(title: string): string {
  const line = title.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ');
  const end = line.lastIndexOf(' (');
  let length = end;
  while (length > 0 && ' .?!。؟।'.includes(line[length - 1]!)) length--;
  return line.slice(0, Math.max(length, 0)) + line.slice(Math.max(end, 0));
}

/** A page with the question as a heading: avatars find an answer by it. */
function documentOf(question: string, lang: string, answer: string): File {
  const paragraphs = answer.split('\n').map((line) => h('p', {}, line));
  const page = h('html', { lang }, h('body', {}, h('h2', {}, question), ...paragraphs));
  return new File([page.outerHTML], 'answer.html', { type: 'text/html' });
}
