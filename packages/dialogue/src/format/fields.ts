export const MOST_TEXTS = 200;
const MOST_CHARACTERS = 2_000;

/** Whether a value is an object with no other keys than these; tells of both. */
export function hasKeys(
  value: unknown,
  place: string,
  keys: readonly string[],
  faults: string[],
): value is Record<string, unknown> {
  if (!isObject(value)) {
    faults.push(`${place}: must be an object`);
    return false;
  }
  for (const key of Object.keys(value)) if (!keys.includes(key)) faults.push(`${place}.${key}: is not known here`);
  return true;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function texts(value: unknown, place: string, faults: string[], [least, most] = [1, MOST_TEXTS]): void {
  const good = (text: unknown) => typeof text === 'string' && text.trim() !== '' && text.length <= MOST_CHARACTERS;
  if (!Array.isArray(value) || value.length < least! || value.length > most! || !value.every(good)) {
    faults.push(`${place}: must be an array of ${least} to ${most} texts of up to ${MOST_CHARACTERS} characters`);
  }
}

export function list(
  value: unknown,
  place: string,
  most: number,
  faults: string[],
  check: (entry: unknown, place: string) => void,
): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || value.length > most) faults.push(`${place}: must be an array of 1 to ${most} ${place}`);
  else value.forEach((entry: unknown, index) => check(entry, `${place}[${index}]`));
}
