import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ONCE_VARIABLE } from '../support/servers.js';

const TOP = join(__dirname, '../..');
const alone = JSON.parse(readFileSync(join(__dirname, 'alone.json'), 'utf8')) as string[];

const quick = JSON.parse(readFileSync(join(__dirname, 'quick.json'), 'utf8')) as string[];

/** The contract of the endpoints and one story of each feature: with the unit tests, what `npm test` runs. */
export const quickSpecs = () => endToEndSpecs().filter((file) => quick.includes(file));

/** The other specs of the HTTP API. */
export const storySpecs = () => endToEndSpecs().filter((file) => !quick.includes(file));

/** All of them, as paths relative to the repository. */
const endToEndSpecs = () => specsIn(['test/e2e', 'packages'], '.e2e-spec.ts');

/** Those next to the code of scripted answers, which they compile once. */
export const engineSpecs = () => specsIn(['src/engines', 'packages/dialogue'], '.spec.ts');

/** Those next to all other code. */
export const unitSpecs = () =>
  specsIn(['src', 'packages'], '.spec.ts').filter((file) => !/^(src\/engines|packages\/dialogue)\//.test(file));

/** Those of the page and the widget in a browser. */
export const pageSpecs = () => specsIn(['test/page'], '.page-spec.ts', ['test/page/walk.page-spec.ts']);

/**
 * Declares the tests of one of `of` parts of the specs. Loading the service takes longer than most of them, and many other things
 * are cached, so the specs of one worker share one module registry. Those in alone.json do not: they mock modules.
 *
 * @param part from 0
 */
export function declareSpecs(files: readonly string[], part = 0, of = 1): void {
  // Back and forth, since the parts would else get specs of decreasing size.
  const partOf = (index: number) => Math.min(index % (2 * of), 2 * of - 1 - (index % (2 * of)));
  for (const file of files.filter((_, index) => partOf(index) === part))
    describe(file.replace(/^test\/(e2e|page)\/|(\.e2e-spec|\.page-spec|\.spec)\.ts$/g, ''), () => {
      if (process.env.STORIES_ONCE && !quick.includes(file)) process.env[ONCE_VARIABLE] = file;
      require(join(TOP, file));
      delete process.env[ONCE_VARIABLE];
    });
}

/** The largest first, so that the parts take about equally long. */
function specsIn(folders: readonly string[], ending: string, others: readonly string[] = alone): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(TOP, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => file.endsWith(ending) && !/(^|\/)(node_modules|dist)\//.test(file) && !others.includes(file))
    .map((file) => ({ file, bytes: statSync(join(TOP, file)).size }))
    .sort((one, other) => other.bytes - one.bytes)
    .map(({ file }) => file);
}
