import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Prints the visible area of each mouth: its dark and its white pixels. In a child process: the packages are ESM only. */
const PROGRAM = `
  const [root, input] = process.argv.slice(1);
  const load = (name) => import(root + name);
  const { Compositor } = await load('frames/compositor.js');
  const { readPortrait } = await load('portrait/portrait.source.js');
  const { MOUTHS, poseAt } = await load('face/index.js');
  const [LEFT, TOP, WIDTH, HEIGHT, SIZE] = [204, 280, 72, 62, 480];
  const found = {};
  for (const [id, portrait] of Object.entries(JSON.parse(input))) {
    const compositor = await Compositor.of(readPortrait(portrait), SIZE);
    found[id] = {};
    for (const mouth of MOUTHS) {
      const luminance = compositor.draw(poseAt(0), [{ mouth, opacity: 1 }]);
      const rows = Array.from({ length: HEIGHT }, (_, y) => luminance.subarray((TOP + y) * SIZE + LEFT).subarray(0, WIDTH));
      found[id][mouth] = rows.flatMap((row) => [...row]).filter((pixel) => pixel < 65 || pixel > 190).length;
    }
  }
  process.stdout.write(JSON.stringify(found));`;

// Otherwise the lips do not follow the sound.
it('the mouths of shipped portraits are no more open at quiet sounds than at vowels', () => {
  const portraits = readdirSync('assets/avatars').map((id) => [
    id,
    readFileSync(join('assets/avatars', id, 'portrait.svg'), 'utf8'),
  ]);
  const root = pathToFileURL('packages/video/dist/').href;
  const args = ['--input-type=module', '-e', PROGRAM, root, JSON.stringify(Object.fromEntries(portraits))];
  const output = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
  const areas = Object.entries(JSON.parse(output) as Record<string, Record<string, number>>);
  expect(areas).toHaveLength(portraits.length);
  for (const [id, area] of areas) {
    const tooOpen = ['closed', 'pursed', 'lip', 'tongue', 'teeth', 'open-small'].filter(
      (mouth) => area[mouth]! > area['spread']!,
    );
    expect([id, ...tooOpen]).toEqual([id]);
    expect(area['open-wide']).toBeGreaterThan(1.4 * area['spread']!);
  }
});
