import { h } from '../core/ui.js';
import { t } from '../core/translate.js';
import type { Schema } from './schema.js';

/** From this length on, texts have several lines. */
const LONG = 500;
const LINES = 3;

/** The control of a value. */
export interface Control {
  readonly element: HTMLElement;
  readonly hint?: string | undefined;
  /** Undefined: the value is omitted. @throws SyntaxError if the text has no value */
  read(): unknown;
}

/** The control of a simple value, of a list of texts, or of a value as JSON. */
export function controlOf(schema: Schema, value: unknown, isRequired: boolean): Control {
  if (schema.type === 'boolean') return choice([true, false], value, isRequired);
  if (schema.enum) return choice(schema.enum, value, isRequired);
  if (schema.type === 'number' || schema.type === 'integer') return number(schema, value);
  if (schema.type === 'string') return text(schema, value);
  if (schema.type === 'array' && schema.items?.enum) return choices(schema.items.enum, value);
  if (schema.type === 'array' && schema.items?.type === 'string') return lines(value, isRequired || !schema.minItems);
  if (isTextMap(schema)) return pairs(value);
  return json(value);
}

const isTextMap = ({ type, additionalProperties }: Schema) =>
  type === 'object' && typeof additionalProperties === 'object' && additionalProperties.type === 'string';

function choice(values: readonly unknown[], value: unknown, isRequired: boolean): Control {
  const name = (each: unknown) => (each === true ? t('Yes') : each === false ? t('No') : String(each));
  const option = (each: unknown) => h('option', { value: JSON.stringify(each), selected: each === value }, name(each));
  const none = isRequired && value !== undefined ? [] : [h('option', { value: '' }, t('Default'))];
  const element = h('select', {}, ...none, ...values.map(option));
  return { element, read: () => (element.value === '' ? undefined : (JSON.parse(element.value) as unknown)) };
}

function choices(values: readonly unknown[], value: unknown): Control {
  const chosen = Array.isArray(value) ? (value as unknown[]) : [];
  const boxes = values.map((each) =>
    h('input', { type: 'checkbox', value: String(each), checked: chosen.includes(each) }),
  );
  const element = h(
    'span',
    { class: 'actions', role: 'group' },
    ...boxes.map((box) => h('label', {}, box, ` ${box.value}`)),
  );
  return { element, read: () => boxes.filter(({ checked }) => checked).map((box) => box.value) };
}

function number({ minimum, maximum, type }: Schema, value: unknown): Control {
  const range = { min: minimum, max: maximum, step: type === 'integer' ? '1' : 'any' };
  const element = h('input', { type: 'number', ...range, value: value === undefined ? '' : String(value) });
  const read = () => {
    if (element.validity.badInput) throw new SyntaxError(t('This is not a number.'));
    return element.value.trim() === '' ? undefined : Number(element.value);
  };
  return { element, read };
}

function text({ maxLength = 0 }: Schema, value: unknown): Control {
  const given = { value: typeof value === 'string' ? value : '', dir: 'auto' };
  const element = maxLength >= LONG ? h('textarea', { ...given, rows: LINES }) : h('input', given);
  return { element, read: () => element.value.trim() || undefined };
}

function lines(value: unknown, canBeEmpty: boolean): Control {
  const element = h('textarea', { rows: LINES, dir: 'auto', value: Array.isArray(value) ? value.join('\n') : '' });
  const read = () => {
    const found = linesOf(element.value);
    return found.length > 0 || (canBeEmpty && Array.isArray(value)) ? found : undefined;
  };
  return { element, hint: t(canBeEmpty ? 'One per line.' : 'One per line. Empty: all.'), read };
}

function pairs(value: unknown): Control {
  const known = Object.entries((value ?? {}) as Record<string, unknown>).map(
    ([name, each]) => `${name} = ${String(each)}`,
  );
  const element = h('textarea', { rows: LINES, dir: 'auto', value: known.join('\n') });
  const read = () => {
    const found = linesOf(element.value).map((line) => {
      const end = line.indexOf('=');
      if (end < 1) throw new SyntaxError(t('Each line needs the form: name = text'));
      return [line.slice(0, end).trim(), line.slice(end + 1).trim()] as const;
    });
    return found.length > 0 ? Object.fromEntries(found) : undefined;
  };
  return { element, hint: t('One per line, as: name = text'), read };
}

function json(value: unknown): Control {
  const text = value === undefined ? '' : JSON.stringify(value, null, 2);
  const rows = Math.min(12, Math.max(LINES, text.split('\n').length));
  const element = h('textarea', { class: 'code', rows, spellcheck: false, dir: 'ltr', value: text });
  const read = () => {
    try {
      return element.value.trim() === '' ? undefined : (JSON.parse(element.value) as unknown);
    } catch {
      throw new SyntaxError(t('This is not valid JSON.'));
    }
  };
  return { element, hint: 'JSON', read };
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
