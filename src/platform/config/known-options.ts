/**
 * Refuses options that do not exist, which are usually misspelt.
 *
 * @param place what they were given to
 * @throws Error that names them
 */
export function demandKnown(place: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`${place} has no option ${unknown.join(', ')}; it has ${known.join(', ')}.`);
}
