/**
 * Checks that package-lock.json is complete: it needs every optional package of other systems (such as
 * `@swc/core-darwin-arm64`), without which `npm ci` fails there, and a checksum for every package. For every package with
 * an install script, package.json has to state whether npm may run it.
 *
 *   npm run check -- lock
 */
import { readFileSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const { allowScripts = {} } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Whether a package can resolve another one, in its own node_modules or in one above. */
function finds(from, name) {
  for (let at = from; ; at = at.includes('/node_modules/') ? at.slice(0, at.lastIndexOf('/node_modules/')) : '') {
    if (packages[`${at ? `${at}/` : ''}node_modules/${name}`]) return true;
    if (!at) return false;
  }
}

// The root and the workspaces belong to this repository.
const installed = Object.entries(packages).filter(([at]) => at.includes('node_modules/'));
const nameOf = (at) => at.slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length);
const faults = [
  ...installed.flatMap(([at, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !finds(at, name))
      .map((name) => `${name}, an optional package of ${nameOf(at)}, is missing`),
  ),
  ...installed
    .filter(([, { integrity, link }]) => !integrity && !link)
    .map(([at]) => `${nameOf(at)} has no checksum ("integrity")`),
  ...installed
    .filter(([at, { hasInstallScript }]) => hasInstallScript && !(nameOf(at) in allowScripts))
    .map(([at]) => `${nameOf(at)} has an install script that "allowScripts" in package.json does not mention`),
];
for (const fault of faults) console.error(`package-lock.json: ${fault}`);
if (faults.length > 0) {
  console.error(
    'npm omits packages that the registry lacks. Choose a version that it has for every system: in package.json, or ' +
      'for a package further down in its "overrides".',
  );
  process.exit(1);
}
