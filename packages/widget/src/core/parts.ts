import { type Parts, sharedState } from '../loader/contract.js';

export function addPart<Name extends keyof Parts>(name: Name, part: Parts[Name]): void {
  (sharedState().parts ??= {} as Parts)[name] = part;
}

/** Loads a part of the widget. @throws Error if it cannot be loaded */
export async function loadPart<Name extends keyof Parts>(
  name: Name,
  load: (name: string) => Promise<void>,
): Promise<Parts[Name]> {
  await load(`widget.${name}.js`);
  const part = sharedState().parts?.[name];
  if (!part) throw new Error(`widget.${name}.js is not a part of the widget`);
  return part;
}
