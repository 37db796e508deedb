import { Alert, button, form, h } from '../core/ui.js';
import { t } from '../core/translate.js';
import { type Catalogue, changesOf, ConflictError, type Entry, FaultsError, preferred } from './catalogue.js';
import { labelOf } from './labels.js';
import { type Fault, SchemaForm } from './schema-form.js';

interface EditorOptions {
  readonly catalogue: Catalogue;
  readonly list: 'avatars' | 'projects';
  /** As it is shown at first. */
  readonly entry: Entry;
  /** Whether there is none of its name yet. */
  readonly isNew: boolean;
  saved(entry: Entry): void;
}

/** Edits an entry of the catalogue, in a form made from its rules. */
export class EntryEditor {
  readonly element = h('div');
  private readonly alert = new Alert();
  private readonly news = h('p', { role: 'status', class: 'note' });
  private readonly conflict = h('div', { class: 'actions' });
  /** The entry as it was read, and as the form had it at first: what nobody has touched is no change. */
  private before: Entry | undefined;
  private shown: Entry = {};
  private fields!: SchemaForm;
  /** Whether somebody has changed what is not saved. */
  isChanged = false;

  constructor(private readonly options: EditorOptions) {
    this.element.addEventListener('input', () => (this.isChanged = true));
    this.before = options.isNew ? undefined : options.entry;
    this.fill(options.entry);
  }

  /** The entry as it stands in the form. @throws FaultsError */
  read(): Entry {
    try {
      return this.fields.read();
    } catch (faults) {
      if (!Array.isArray(faults)) throw faults;
      const { list } = this.options;
      throw new FaultsError(
        (faults as Fault[]).map(({ place, problem }) => ({ place: `${list}[0].${place}`, problem })),
      );
    }
  }

  /** The faults of an entry. */
  check(entry: Entry): Promise<readonly Fault[]> {
    return this.options.catalogue.check(this.options.list, entry);
  }

  /** Runs an action with the entry in the form, and shows its faults beside their fields. */
  async run(action: (entry: Entry) => unknown): Promise<void> {
    this.conflict.replaceChildren();
    this.news.textContent = '';
    this.alert.clear();
    try {
      await action(this.read());
    } catch (error) {
      if (error instanceof ConflictError) this.showConflict(error);
      else if (error instanceof FaultsError) this.showFaults(error);
      else this.alert.show(error);
    }
  }

  private fill(entry: Entry): void {
    this.isChanged = false;
    const { catalogue, list } = this.options;
    const fixed = this.before && (list === 'avatars' ? '_id' : 'project_id');
    this.fields = new SchemaForm(catalogue.rulesOf(list), entry, catalogue.languages, fixed);
    this.shown = this.before ? this.readShown(entry) : {};
    const save = () => this.run((read) => this.save(this.before, changesOf(this.shown, read)));
    this.element.replaceChildren(
      form(
        save,
        { noValidate: true, class: 'entry' },
        this.fields.element,
        h(
          'div',
          { class: 'bar' },
          this.alert.element,
          this.news,
          h('div', { class: 'actions' }, h('button', { class: 'primary' }, t('Save')), this.conflict),
        ),
      ),
    );
  }

  /** @param own the changes of an entry */
  private async save(before: Entry | undefined, own: Entry): Promise<void> {
    // What would be typed meanwhile would be lost.
    this.element.inert = true;
    try {
      const saved = await this.options.catalogue.save(this.options.list, before, own);
      this.before = saved;
      this.fill(saved);
      this.news.textContent = t('Saved.');
      this.options.saved(saved);
    } finally {
      this.element.inert = false;
    }
  }

  private readShown(entry: Entry): Entry {
    try {
      return this.fields.read();
    } catch {
      // The form cannot have all of what is stored.
      return entry;
    }
  }

  private showFaults({ faults, message }: FaultsError): void {
    const others = this.fields.show(faults, `${this.options.list}[0]`);
    this.alert.showText([message, ...others.map(({ place, problem }) => `${place}: ${problem}`)].join(' '));
  }

  /** Another window has changed the same: nothing is lost. */
  private showConflict({ theirs, fields, message }: ConflictError): void {
    this.alert.showText(`${message} ${fields.map(labelOf).join(', ')}`);
    const choose = (label: string, action: () => unknown) => button(label, this.alert, action);
    this.conflict.replaceChildren(
      choose(t('Save mine'), () =>
        this.run((entry) => this.save(theirs, preferred(this.shown, theirs, changesOf(this.shown, entry)))),
      ),
      choose(t('Show theirs'), () => {
        this.before = theirs;
        this.alert.clear();
        this.conflict.replaceChildren();
        this.fill(theirs);
      }),
    );
  }
}
