import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory that is served under `/assets/`. */
export const ASSETS = fileURLToPath(new URL('../../../assets/', import.meta.url));

const PREFIX = '/assets/';

/** The file behind a URL of this service; undefined for any other URL. */
export function assetFile(url: string): string | undefined {
  if (!url.startsWith(PREFIX)) return undefined;
  // Resolves dots as browsers do, so that the file is one of the directory.
  const { pathname } = new URL(url, 'http://service');
  return join(ASSETS, pathname.slice(PREFIX.length));
}
