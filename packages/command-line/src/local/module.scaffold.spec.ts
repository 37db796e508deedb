import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { UsageError } from '../cli.errors.js';
import { Terminal } from '../cli.terminal.js';
import { writeModule } from './module.scaffold.js';

const ROOT = join(__dirname, '../../../..');

// `npm run verify -- package` writes a module, and builds, tests and starts it.
describe('module new', () => {
  const directory = mkdtempSync(join(tmpdir(), 'scaffold-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  async function write(name: string, output: string) {
    const stderr = new PassThrough();
    const terminal = new Terminal({ stdin: new PassThrough(), stdout: new PassThrough(), stderr });
    const code = await writeModule(name, output, terminal, { root: ROOT, modules: join(ROOT, 'src') });
    return { code, said: String(stderr.read() ?? '') };
  }

  it.each(['../x', 'Notes', 'my_notes', '-notes', 'notes-', '7up', 'a--b', 'a'.repeat(33), ''])(
    'refuses the name %j',
    async (name) => {
      const output = join(directory, 'bad');
      await expect(write(name, output)).rejects.toBeInstanceOf(UsageError);
      expect(existsSync(output)).toBe(false);
    },
  );

  it.each(['chat', 'jwt', 'webhooks', 'v1', 'memories'])('refuses %s, which the service has', async (name) => {
    const output = join(directory, 'used');
    const { code, said } = await write(name, output);
    expect([code, said]).toEqual([1, `The service has a module or a route '${name}'.\n`]);
    expect(existsSync(output)).toBe(false);
  });

  it('leaves a directory that is not empty as it is', async () => {
    writeFileSync(join(directory, 'mine.txt'), 'mine');
    const { code, said } = await write('appointments', directory);
    expect([code, said]).toEqual([1, `${directory} is not empty.\n`]);
    expect(existsSync(join(directory, 'package.json'))).toBe(false);
  });

  it('says what cannot be a directory', async () => {
    const output = join(directory, 'mine.txt', 'below');
    const { code, said } = await write('appointments', output);
    expect([code, said]).toEqual([1, `${output} cannot be read (ENOTDIR).\n`]);
  });
});
