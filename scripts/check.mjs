/**
 * What has to be true of the sources: format, lint, types, architecture, budgets, and that nothing generated has drifted.
 *
 *   npm run check [-- NAME…]
 */
import { execSync } from 'node:child_process';

// The compiler's collector of garbage, which took a quarter of its processor time, waits for five times the memory in use.
process.env.GOGC ??= '400';

const tsc = 'node node_modules/typescript-native/bin/tsc';
const CHECKS = {
  format: 'oxfmt --check',
  lint: 'oxlint --deny-warnings',
  build: 'node scripts/ensure-built.mjs',
  types: `${tsc} --noEmit && ${tsc} --project config/tsconfig.scripts.json && ${tsc} --project packages/widget && ${tsc} --project packages/console`,
  architecture: 'depcruise src packages/*/src --config config/dependency-cruiser.cjs',
  budget: 'node scripts/budget.mjs',
  regexes: 'node scripts/check-regexes.mjs',
  scripts: 'node scripts/check-scripts.mjs',
  assets: 'node scripts/assets/check.mjs',
  lock: 'node scripts/lock-platforms.mjs',
  openapi: 'node scripts/openapi.mjs --check',
  client: `node scripts/client-types.mjs --check && ${tsc} --project packages/client --noEmit && node scripts/sizes.mjs`,
  generated: 'node scripts/generated-docs.mjs --check',
  docs: 'jest --selectProjects lint',
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(CHECKS, name));
if (unknown.length > 0) {
  console.error(`There is no check ${unknown.join(', ')}. Checks: ${Object.keys(CHECKS).join(', ')}`);
  process.exit(2);
}
for (const [name, command] of Object.entries(CHECKS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  try {
    execSync(command, { stdio: 'inherit' });
  } catch {
    console.error(`The check failed: npm run check -- ${name}`);
    process.exit(1);
  }
}
