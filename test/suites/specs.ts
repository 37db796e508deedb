import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ONCE_VARIABLE } from '../support/servers.js';

const TOP = join(__dirname, '../..');
const alone = JSON.parse(readFileSync(join(__dirname, 'alone.json'), 'utf8')) as string[];

/** How long those take that take long, on two cores; a file that is not listed takes as long as most. */
const seconds = JSON.parse(readFileSync(join(__dirname, 'seconds.json'), 'utf8')) as Record<string, number>;
const SHORT = 1;

const quick = JSON.parse(readFileSync(join(__dirname, 'quick.json'), 'utf8')) as string[];

/** The interface's own endpoints, which always run on all servers. */
const everywhere = ['jwt', 'connection', 'chat', 'errors'].map((name) => `test/e2e/${name}.e2e-spec.ts`);

/** The contract of the endpoints and stories of most features: with the unit tests, what `npm test` runs. */
export const quickSpecs = () => endToEndSpecs().filter((file) => quick.includes(file));

/** The other specs of the HTTP API. */
export const storySpecs = () => endToEndSpecs().filter((file) => !quick.includes(file));

/** All of them, as paths relative to the repository. */
const endToEndSpecs = () => specsIn(['test/e2e', 'packages'], '.e2e-spec.ts');

/** Those next to the code of the service, and of the packages whose specs take long and whose modules it loads anyway. */
export const serviceUnitSpecs = () => unitSpecs().filter(isOfService);

/** Those next to the code of the other packages, most of which load neither Nest nor Mongoose. */
export const packageUnitSpecs = () => unitSpecs().filter((file) => !isOfService(file));

const isOfService = (file: string) => /^(src|packages\/(dialogue|media))\//.test(file);
const unitSpecs = () => specsIn(['src', 'packages'], '.spec.ts');

/** Those of the page and the widget in a browser. */
export const pageSpecs = () => specsIn(['test/page'], '.page-spec.ts', ['test/page/walk.page-spec.ts']);

/** Those that start programs of this project, or wait for real time. */
export const processSpecs = () => specsIn(['test/process', 'packages'], '.process-spec.ts');

/**
 * Declares the tests of one of `of` parts of the specs. Loading the service takes longer than most of them, and many other things
 * are cached, so the specs of one worker share one module registry. Those in alone.json do not: they mock modules, or look at
 * what others would leave in them.
 *
 * @param part from 0
 */
export function declareSpecs(files: readonly string[], part = 0, of = 1): void {
  for (const file of partsOf(files, of)[part]!) {
    // Which of them has the modules loaded already depends on the parts.
    if (/^jest\.mock\(/m.test(readFileSync(join(TOP, file), 'utf8')))
      throw new Error(`${file} mocks modules: it belongs in alone.json`);
    describe(file.replace(/^test\/(e2e|page|process)\/|\.((e2e|page|process)-)?spec\.ts$/g, ''), () => {
      if (process.env.STORIES_ONCE && !everywhere.includes(file)) process.env[ONCE_VARIABLE] = file;
      require(join(TOP, file));
      delete process.env[ONCE_VARIABLE];
    });
  }
}

/** Parts that take about equally long: the longest specs first, each in the part that has taken the least so far. */
function partsOf(files: readonly string[], of: number): string[][] {
  const parts = Array.from({ length: of }, () => ({ files: [] as string[], takes: 0 }));
  const timed = files.map((file) => ({ file, takes: seconds[file] ?? SHORT }));
  for (const { file, takes } of timed.sort((one, other) => other.takes - one.takes)) {
    const part = parts.reduce((least, one) => (one.takes < least.takes ? one : least));
    part.files.push(file);
    part.takes += takes;
  }
  return parts.map((part) => part.files);
}

/** In the order of their names, as the parts of all machines have to be the same. */
function specsIn(folders: readonly string[], ending: string, others: readonly string[] = alone): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(TOP, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => file.endsWith(ending) && !/(^|\/)(node_modules|dist)\//.test(file) && !others.includes(file))
    .sort();
}
