/** A catalogue entry for a replaceable part: `kind` selects the part, the other fields are its own. */
export type KindEntry = Readonly<Record<string, unknown>> & { readonly kind: string };

/** Validates a field and describes the rule; the description may depend on the value, but must not quote it. */
export type FieldRule = readonly [isGood: (value: unknown) => boolean, rule: string | ((value: unknown) => string)];

/** A text that is not blank, with a maximum number of characters. */
export function textRule(most: number): FieldRule {
  return [
    (value) => typeof value === 'string' && value.trim() !== '' && value.length <= most,
    `must be a text of 1 to ${most.toLocaleString('en')} characters`,
  ];
}

/** The faults of an entry, each starting with the name of its field. A field that is not `optional` is required. */
export function entryFaults(
  entry: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, FieldRule>>,
  optional: readonly string[] = [],
): string[] {
  const unknown = Object.keys(entry).filter((field) => field !== 'kind' && !Object.hasOwn(rules, field));
  const bad = Object.entries(rules).filter(
    ([field, [isGood]]) => !(optional.includes(field) && entry[field] === undefined) && !isGood(entry[field]),
  );
  return [
    ...unknown.map((field) => `${field}: is not known here`),
    ...bad.map(([field, [, rule]]) => `${field}: ${typeof rule === 'string' ? rule : rule(entry[field])}`),
  ];
}
