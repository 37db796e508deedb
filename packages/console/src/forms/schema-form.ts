import { field, h, newId } from '../core/ui.js';
import { controlOf } from './controls.js';
import { labelOf } from './labels.js';
import { given, type Schema } from './schema.js';

/** What is wrong at a path of a catalogue file. */
export interface Fault {
  place: string;
  problem: string;
}

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
      const path = `${place.slice(entry.length)}${missing ? `.${missing}` : ''}`.replace(/^\./, '');
      const known = [...this.faults.keys()].filter(
        (each) => path === each || (/^[.[]/.test(path.slice(each.length)) && path.startsWith(each)),
      );
      const nearest = known.sort((one, other) => other.length - one.length)[0];
      if (nearest === undefined) return true;
      this.mark(nearest, path === nearest ? problem : `${path.slice(nearest.length).replace(/^\./, '')}: ${problem}`);
      return false;
    });
    this.element.querySelector<HTMLElement>('[aria-invalid]')?.focus();
    return others;
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
