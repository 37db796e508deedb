import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

const SPECS = join(__dirname, '..');

/**
 * Declares the tests of every `of`-th specification beside this directory. Loading the service takes longer than most of
 * them, so those that one worker runs share one module registry; but for those named hostile, which measure processor
 * time and collect garbage, for which a large heap is too slow.
 *
 * @param part from 0
 */
export function declareSpecs(part: number, of: number): void {
  const bySize = readdirSync(SPECS)
    .filter((name) => name.endsWith('.e2e-spec.ts') && !name.startsWith('hostile-'))
    .map((name) => ({ name, bytes: statSync(join(SPECS, name)).size }))
    .sort((one, other) => other.bytes - one.bytes);
  for (const { name } of bySize.filter((_, index) => index % of === part))
    describe(basename(name, '.e2e-spec.ts'), () => {
      require(join(SPECS, name));
    });
}
