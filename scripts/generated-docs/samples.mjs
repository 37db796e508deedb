import { readFile } from 'node:fs/promises';

const PAGE = 'docs/samples.md';

/** Adds the answers of docs/samples.md, which are the service's own, to an OpenAPI document, as examples of its responses. */
export async function addSamples(document) {
  const [, ...sections] = (await readFile(PAGE, 'utf8')).split(/^## /m);
  for (const section of sections) {
    const blocks = [...section.matchAll(/^```(\w*)\n([^]*?)\n```$/gm)].map(([, kind, text = '']) => ({ kind, text }));
    const [, curl = '', status = ''] = /^([^]*) # (\d+)$/.exec(blocks[0]?.text ?? '') ?? [];
    const answer = blocks.find(({ kind }) => kind === 'json' || kind === '');
    const [, url] = /"(http[^"]+)"/.exec(curl) ?? [];
    if (!answer || !url) continue;
    const method = (/ -X (\w+)/.exec(curl)?.[1] ?? (/ (-d|-F) /.test(curl) ? 'POST' : 'GET')).toLowerCase();
    const path = pathOf(document, new URL(url).pathname, method, curl.includes('text/event-stream'));
    const content = document.paths[path]?.[method].responses[status]?.content ?? {};
    const isJson = answer.kind === 'json';
    const type = Object.keys(content).find((name) => (name === 'application/json') === isJson);
    if (type) content[type].example ??= isJson ? JSON.parse(answer.text) : answer.text;
  }
}

/** The path with the fewest parameters that a request is for. */
function pathOf({ paths }, requested, method, isStream) {
  if (isStream && paths[`${requested}#stream`]) return `${requested}#stream`;
  const parameters = (path) => path.split('{').length;
  const [nearest = requested] = Object.keys(paths)
    .filter((path) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(requested) && paths[path][method])
    .sort((one, other) => parameters(one) - parameters(other));
  return nearest;
}
