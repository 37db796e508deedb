import { t } from '../core/translate.js';
import { field, h, newId } from '../core/ui.js';
import { controlOf } from './controls.js';
import { labelOf } from './labels.js';
import { given, type Schema } from './schema.js';

/** What is wrong at a path of a catalogue file. */
export interface Fault {
  place: string;
  problem: string;
}

type Entry = Record<string, unknown>;

/** A part of a form. */
interface Part {
  readonly element: HTMLElement;
  read(): unknown;
}

/** A form of the fields of an entry, from the rules by which the service checks it. */
export class SchemaForm {
  readonly element: HTMLElement;
  private readonly root: Part;
  private readonly faults = new Map<string, HTMLElement>();
  /** The parts of lists, by a number that stays while others are removed: `replies{2}`. */
  private readonly lists = new Map<string, Map<number, Part>>();

  /** @param languages for which texts by language have a field @param fixed the field that cannot be changed */
  constructor(
    schema: Schema,
    value: Record<string, unknown>,
    private readonly languages: readonly string[],
    private readonly fixed?: string,
  ) {
    this.root = this.record('', schema, value);
    this.element = h('div', { class: 'fields' }, this.root.element);
  }

  /** @throws Fault[] what has no value */
  read(): Record<string, unknown> {
    this.clear();
    return (this.root.read() ?? {}) as Record<string, unknown>;
  }

  /** Shows faults beside their fields. @param entry the path of the entry @returns the others */
  show(faults: readonly Fault[], entry: string): Fault[] {
    this.clear();
    const others = faults.filter(({ place, problem }) => {
      const missing = /required property '([^']+)'/.exec(problem)?.[1];
      const path = this.pathOf(`${place.slice(entry.length)}${missing ? `.${missing}` : ''}`.replace(/^\./, ''));
      const known = [...this.faults.keys()].filter(
        (each) => path === each || (/^[.[{]/.test(path.slice(each.length)) && path.startsWith(each)),
      );
      const nearest = known.sort((one, other) => other.length - one.length)[0];
      if (nearest === undefined) return true;
      this.mark(nearest, path === nearest ? problem : `${path.slice(nearest.length).replace(/^\./, '')}: ${problem}`);
      return false;
    });
    this.element.querySelector<HTMLElement>('[aria-invalid]')?.focus();
    return others;
  }

  /** The path in this form of a path in the entry. */
  private pathOf(path: string): string {
    for (const [list, parts] of this.lists) {
      const [, index, rest] = path.startsWith(`${list}[`)
        ? (/^\[(\d+)\](.*)$/.exec(path.slice(list.length)) ?? [])
        : [];
      if (index !== undefined) return `${list}{${[...parts.keys()][Number(index)]}}${rest}`;
    }
    return path;
  }

  private clear(): void {
    for (const each of this.faults.values()) each.textContent = '';
    for (const each of this.element.querySelectorAll('[aria-invalid]')) each.removeAttribute('aria-invalid');
  }

  private mark(path: string, problem: string): void {
    const place = this.faults.get(path)!;
    place.textContent = [place.textContent, problem].filter(Boolean).join('; ');
    const control = place.parentElement?.querySelector('input, select, textarea');
    control?.setAttribute('aria-invalid', 'true');
    for (let each = place.closest('details'); each; each = each.parentElement?.closest('details') ?? null)
      each.open = true;
  }

  private part(path: string, name: string, schema: Schema, value: unknown, isRequired: boolean): Part {
    if (schema.properties && schema.additionalProperties === false)
      return this.group(name, this.record(path, schema, value as Record<string, unknown> | undefined), Boolean(value));
    if (schema.propertyNames?.pattern && typeof schema.additionalProperties === 'object' && isOfLanguages(schema))
      return this.byLanguage(path, name, schema.additionalProperties, (value ?? {}) as Record<string, unknown>);
    if (schema.items?.properties && schema.items.additionalProperties === false)
      return this.group(name, this.list(path, name, schema.items, value as readonly Entry[] | undefined), false);
    const { element: control, hint, read } = controlOf(schema, value, isRequired);
    const fault = h('small', { class: 'fault', id: newId() });
    const element = field(labelOf(name), control, hint);
    element.append(fault);
    control.setAttribute(
      'aria-describedby',
      [control.getAttribute('aria-describedby'), fault.id].filter(Boolean).join(' '),
    );
    if (control.getAttribute('role') === 'group') control.setAttribute('aria-label', labelOf(name));
    if (path === this.fixed && 'readOnly' in control) control.readOnly = true;
    this.faults.set(path, fault);
    const readOrTell = () => {
      try {
        return read();
      } catch (error) {
        throw [{ place: path, problem: (error as Error).message }] satisfies Fault[];
      }
    };
    return { element, read: readOrTell };
  }

  private record(path: string, { properties = {}, required = [] }: Schema, value: Record<string, unknown> = {}): Part {
    const parts = Object.entries(properties).map(([name, schema]) => {
      const at = path ? `${path}.${name}` : name;
      return [name, this.part(at, name, schema, value[name], required.includes(name))] as const;
    });
    return {
      element: h('div', { class: 'fields' }, ...parts.map(([, { element }]) => element)),
      read: () => given(parts.map(([name, { read }]) => [name, read()])),
    };
  }

  private list(path: string, name: string, schema: Schema, value?: readonly Entry[]): Part {
    const parts = new Map<number, Part>();
    const items = h('div', { class: 'fields' });
    const fault = h('small', { class: 'fault' });
    const change = () => items.dispatchEvent(new Event('input', { bubbles: true }));
    let count = 0;
    const add = (entry: Entry = {}) => {
      const key = count++;
      const part = this.record(`${path}{${key}}`, schema, entry);
      const remove = () => {
        parts.delete(key);
        item.remove();
        change();
        more.focus();
      };
      const label = typeof entry.name === 'string' ? t('Remove {0}', entry.name) : undefined;
      const button = h('button', { type: 'button', onclick: remove, 'aria-label': label }, t('Remove'));
      const item = h('div', { class: 'item', role: 'group', 'aria-label': labelOf(name) }, part.element, button);
      parts.set(key, part);
      items.append(item);
    };
    const addNew = () => {
      add();
      change();
      items.lastElementChild!.querySelector<HTMLElement>('input, textarea, select')?.focus();
    };
    const more = h(
      'button',
      { type: 'button', onclick: addNew, 'aria-label': `${t('Add')}: ${labelOf(name)}` },
      t('Add'),
    );
    this.lists.set(path, parts);
    this.faults.set(path, fault);
    value?.forEach((each) => add(each));
    return {
      element: h('div', { class: 'fields' }, items, h('div', {}, fault), h('div', { class: 'actions' }, more)),
      read: () => (parts.size > 0 || value ? [...parts.values()].map((part) => part.read() ?? {}) : undefined),
    };
  }

  private group(name: string, { element, read }: Part, isOpen: boolean): Part {
    return { element: h('details', { open: isOpen }, h('summary', {}, labelOf(name)), element), read };
  }

  private byLanguage(path: string, name: string, schema: Schema, value: Record<string, unknown>): Part {
    const codes = [...new Set([...this.languages, ...Object.keys(value)])];
    const properties = Object.fromEntries(codes.map((code) => [code, schema]));
    return this.group(name, this.record(path, { properties }, value), false);
  }
}

/** Whether the names of an object's fields are codes of languages. */
function isOfLanguages({ propertyNames }: Schema): boolean {
  const pattern = new RegExp(propertyNames!.pattern!);
  return pattern.test('pt-BR') && !pattern.test('a b');
}
