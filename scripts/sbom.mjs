/**
 * Prints the bill of materials: everything that can run in production, as CycloneDX JSON, from package-lock.json.
 *
 *   node scripts/sbom.mjs > sbom.json
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Packages that state their license where npm does not look: in a legacy field or in the readme. */
const SAID_ELSEWHERE = {
  'busboy@1.6.0': 'MIT',
  'passport-strategy@1.0.0': 'MIT',
  'pause@0.0.1': 'MIT',
  'streamsearch@1.1.0': 'MIT',
};

const isForDevelopment = ({ properties = [] }) =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');

/** The bill of materials as an object. */
export function billOfMaterials() {
  // Not with --omit=dev: npm would also omit packages that are needed for development as well, such as @nestjs/common.
  const options = ['--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const all = JSON.parse(execFileSync('npm', ['sbom', ...options], { encoding: 'utf8', maxBuffer: 64 << 20 }));
  const left = new Set(all.components.filter(isForDevelopment).map((component) => component['bom-ref']));
  for (const component of all.components) {
    const license = SAID_ELSEWHERE[`${component.name}@${component.version}`];
    if (license && !component.licenses) component.licenses = [{ license: { id: license } }];
  }
  // npm uses the directory's name, and direct dependencies of both kinds.
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { name, version, dependencies, peerDependencies, optionalDependencies } = packages[''];
  const direct = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }).flatMap((package_) => {
    const locked = packages[`node_modules/${package_}`];
    // An optional peer is not installed.
    if (!locked) return [];
    return [`${package_}@${locked.link ? packages[locked.resolved].version : locked.version}`];
  });
  return {
    ...all,
    metadata: { ...all.metadata, component: { ...all.metadata.component, name } },
    components: all.components.filter((component) => !left.has(component['bom-ref'])),
    dependencies: all.dependencies
      .filter(({ ref }) => !left.has(ref))
      .map(({ ref, dependsOn }) =>
        ref === `${name}@${version}`
          ? { ref, dependsOn: direct }
          : { ref, dependsOn: dependsOn.filter((other) => !left.has(other)) },
      ),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) console.log(JSON.stringify(billOfMaterials(), null, 2));
