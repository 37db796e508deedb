import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CatalogueService } from '../../src/index.js';
import { PUPPET, PuppetModule } from '../support/engines.js';
import { anyServer, aProject, aUser, createTestApp } from '../support/index.js';

const execute = promisify(execFile);

it('the client can be packed, and is imported without anything else', async () => {
  const test = await createTestApp({ server: anyServer(), modules: [PuppetModule] });
  const service = `http://127.0.0.1:${await test.listen()}`;
  const project_id = aProject();
  const project = { project_id, avatars: ['puppet'], languages: ['en'] };
  await test.app.get(CatalogueService).apply(JSON.stringify({ avatars: [PUPPET], projects: [project] }));
  const directory = mkdtempSync(join(tmpdir(), 'client-'));
  try {
    await execute('npm', ['pack', './packages/client', '--silent', '--pack-destination', directory]);
    const options = ['--prefix', directory, '--offline', '--no-audit', '--silent'];
    await execute('npm', ['install', join(directory, 'avatar-chat-client-0.1.0.tgz'), ...options]);
    const script = `
      import { AvatarChat } from ${JSON.stringify(pathToFileURL(join(directory, 'node_modules/avatar-chat-client/dist/index.js')))};
      const chat = new AvatarChat({ url: '${service}', user_id: '${aUser()}', project_id: '${project_id}' });
      console.log((await chat.turn({ avatar_id: 'puppet', request: 'Hello' })).incoming.answer);`;
    const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', script]);
    expect(stdout).toBe('You said: Hello\n');
  } finally {
    rmSync(directory, { recursive: true });
    await test.close();
  }
});
