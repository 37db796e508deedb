/**
 * Is package-lock.json complete? It has to have every optional package of other systems (`@swc/core-darwin-arm64` and
 * their like), without which `npm ci` refuses it there; a checksum for every package; and package.json has to say of
 * every package with an install script whether npm may run it.
 *
 *   npm run check:lock
 */
import { readFileSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const { allowScripts = {} } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Whether a package finds another, in its own node_modules or in one above. */
function finds(from, name) {
  for (let at = from; ; at = at.includes('/node_modules/') ? at.slice(0, at.lastIndexOf('/node_modules/')) : '') {
    if (packages[`${at ? `${at}/` : ''}node_modules/${name}`]) return true;
    if (!at) return false;
  }
}

// The root and the workspaces are this repository's own.
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
    .map(([at]) => `${nameOf(at)} has an install script, of which "allowScripts" in package.json says nothing`),
];
for (const fault of faults) console.error(`package-lock.json: ${fault}`);
if (faults.length > 0) {
  console.error(
    'npm leaves out what the registry does not have. Choose a version that it has for every system: in package.json, or ' +
      'for a package further down in its "overrides".',
  );
  process.exit(1);
}
