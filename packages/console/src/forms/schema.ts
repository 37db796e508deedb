/** What this page knows of JSON Schema. */
export interface Schema {
  type?: string;
  enum?: readonly unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
}

/** A value without regard to the order of fields. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}

export const isSame = (one: unknown, other: unknown): boolean => canonical(one ?? null) === canonical(other ?? null);

/** The entries that are given; undefined if there are none. */
export function given(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> | undefined {
  const known = entries.filter(([, value]) => value !== undefined);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}
