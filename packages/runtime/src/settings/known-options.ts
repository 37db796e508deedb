/**
 * Rejects unknown options, which are usually misspelt.
 *
 * @param place what they were passed to
 * @throws Error that names them
 */
export function assertKnownOptions(place: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new Error(`${place}: expected an object that may have ${known.join(', ')}.`);
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`${place} has no option ${unknown.join(', ')}; it has ${known.join(', ')}.`);
}

/**
 * Rejects anything but a list of modules, such as a single module.
 *
 * @param place what it was passed to
 * @throws Error that names the invalid item
 */
export function assertModules(place: string, modules: unknown): void {
  if (!Array.isArray(modules)) throw new Error(`${place} takes an array of modules, such as [RatingsModule].`);
  const missing = modules.findIndex((module) => module === undefined || module === null);
  if (missing >= 0)
    throw new Error(
      `${place}: module ${missing + 1} is ${modules[missing]}; its file may import this one in a circle.`,
    );
}
