import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { assertSafe, readRemote, type RemoteFile } from './hub.download.js';
import { ModelError } from './model.error.js';

const MAX_LIST_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 10;
const PUBLIC_HUB = 'https://huggingface.co';
const REPOSITORY = /^hf:([A-Za-z0-9][\w.-]{0,95})\/([A-Za-z0-9][\w.-]{0,95})([:/])(.+)$/;

/**
 * Finds what an operator names: `hf:USER/REPO:QUANT`, `hf:USER/REPO/FILE.gguf`, a URL, or a file.
 *
 * @param hub base URL of the hub @throws ModelError
 */
export async function findSource(source: string, hub = PUBLIC_HUB): Promise<RemoteFile> {
  if (/^https?:\/\//.test(source) && URL.canParse(source)) return from(new URL(source));
  if (!source.startsWith('hf:')) return from(pathToFileURL(resolve(source)));
  const [, user, repo, kind, rest = ''] = REPOSITORY.exec(source) ?? [];
  if (!user || !repo) throw new ModelError(`${source} is none of hf:USER/REPO:QUANT and hf:USER/REPO/FILE.gguf.`);
  const base = hub.replace(/\/$/, '');
  const file = kind === '/' ? rest : await findQuantized(`${base}/api/models/${user}/${repo}`, rest);
  const path = file.split('/').map(encodeURIComponent).join('/');
  return from(new URL(`${base}/${user}/${repo}/resolve/main/${path}`));
}

/** Storage may be anywhere. */
function from(url: URL): RemoteFile {
  if (url.protocol !== 'file:') assertSafe(url);
  const last = url.pathname.split('/').at(-1)!;
  let name = last;
  try {
    name = decodeURIComponent(last);
  } catch {
    // It stays as it is.
  }
  return { name, url: url.href, isStoredAnywhere: true };
}

async function findQuantized(list: string, quantization: string): Promise<string> {
  const text = await readRemote({ name: 'The list of files', url: list }, MAX_LIST_BYTES);
  let files: string[];
  try {
    const { siblings } = JSON.parse(text) as { siblings: { rfilename: unknown }[] };
    files = siblings.map(({ rfilename }) => String(rfilename)).filter((name) => /\.gguf$/i.test(name));
  } catch {
    throw new ModelError(`${new URL(list).host} does not list the files of this repository.`);
  }
  const found = files.filter((name) => name.toLowerCase().includes(quantization.toLowerCase()));
  if (found.length === 1) return found[0]!;
  const named = (found.length > 0 ? found : files).slice(0, MAX_FILES).map((name) => name.replace(/\p{C}/gu, ''));
  throw new ModelError(
    `${found.length === 0 ? 'No' : 'More than one'} file has ${quantization} in its name: ${named.join(', ') || 'there is no .gguf'}.`,
  );
}
