import { sharedState } from '../loader/contract.js';

/** Called by the script of a part. */
export function addPart(name: string, part: object): void {
  (sharedState().parts ??= {})[name] = part;
}

/** Loads a part of the widget. @throws Error if it cannot be loaded */
export async function loadPart<Part>(name: string, load: (name: string) => Promise<void>): Promise<Part> {
  await load(`widget.${name}.js`);
  const part = sharedState().parts?.[name];
  if (!part) throw new Error(`widget.${name}.js is not a part of the widget`);
  return part as Part;
}
