import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

const SPECS = join(__dirname, '..');
const ALONE: string[] = JSON.parse(readFileSync(join(__dirname, 'alone.json'), 'utf8'));

/**
 * Declares the tests of every `of`-th specification beside this directory. Loading the service takes longer than most of
 * them, so those that one worker runs share one module registry. Those of alone.json do not: they take as long as a suite,
 * or measure processor time and collect garbage, for which its heap is too large.
 *
 * @param part from 0
 */
export function declareSpecs(part: number, of: number): void {
  const bySize = readdirSync(SPECS)
    .map((file) => ({ file, name: basename(file, '.e2e-spec.ts') }))
    .filter(({ file, name }) => name !== file && !ALONE.includes(name))
    .map(({ file, name }) => ({ name, bytes: statSync(join(SPECS, file)).size }))
    .sort((one, other) => other.bytes - one.bytes);
  for (const { name } of bySize.filter((_, index) => index % of === part))
    describe(name, () => {
      require(join(SPECS, `${name}.e2e-spec.ts`));
    });
}
