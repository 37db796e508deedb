import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const TOP = join(__dirname, '../..');
const alone = JSON.parse(readFileSync(join(__dirname, 'alone.json'), 'utf8')) as Record<'e2e' | 'unit', string[]>;

/** The specifications of the HTTP API that share a module registry, as paths below the top level. */
export const endToEndSpecs = () => specsIn(['test/e2e'], '.e2e-spec.ts', alone.e2e);

/** Those beside the code that share one. */
export const unitSpecs = () => specsIn(['src', 'packages'], '.spec.ts', alone.unit);

/** Those of the page and the widget in a browser. */
export const pageSpecs = () => specsIn(['test/page'], '.page-spec.ts', ['test/page/walk.page-spec.ts']);

/**
 * Declares the tests of every `of`-th specification. Loading the service takes longer than most of them, so those that one
 * worker runs share one module registry. Those of alone.json do not: they take as long as a suite, replace modules by mocks,
 * or measure processor time and collect garbage, for which its heap is too large.
 *
 * @param part from 0
 */
export function declareSpecs(files: readonly string[], part: number, of: number): void {
  for (const file of files.filter((_, index) => index % of === part))
    describe(file.replace(/^test\/(e2e|page)\/|(\.e2e-spec|\.page-spec|\.spec)\.ts$/g, ''), () => {
      require(join(TOP, file));
    });
}

/** The largest first, so that the parts take about as long as each other. */
function specsIn(folders: readonly string[], ending: string, others: readonly string[]): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(TOP, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => file.endsWith(ending) && !/(^|\/)(node_modules|dist)\//.test(file) && !others.includes(file))
    .map((file) => ({ file, bytes: statSync(join(TOP, file)).size }))
    .sort((one, other) => other.bytes - one.bytes)
    .map(({ file }) => file);
}
