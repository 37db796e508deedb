type Fields = Record<string, unknown>;

/** Merges two objects deeply. The second one takes precedence. */
export function merge<T extends object>(one: T, other: T): T {
  const merged = { ...one } as Fields;
  for (const [name, value] of Object.entries(other) as [string, unknown][]) {
    const before = merged[name];
    merged[name] = isObject(before) && isObject(value) ? merge(before, value) : value;
  }
  return merged as T;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
