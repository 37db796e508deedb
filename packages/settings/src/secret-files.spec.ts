import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, configFrom } from './environment.js';
import { assertUsableSettings, configFromSettings } from './given-settings.js';

const SECRET = 'a-secret-of-the-tests-of-more-than-32-bytes';

let directory: string;
beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'secret-files-'))));
afterAll(() => rmSync(directory, { recursive: true }));

/** @returns the path of a new file */
function file(name: string, content: string | Buffer): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}
const config = (environment: Record<string, string>, names?: string[]) =>
  configFrom({ DATA_DIR: directory, ...environment }, names);

describe('a secret in a file', () => {
  it('is that of each secret setting, without the white space at its end', () => {
    const given = {
      JWT_SECRET_FILE: file('jwt', `${SECRET}\r\n`),
      JWT_PREVIOUS_SECRETS_FILE: file('previous', `${SECRET}1,${SECRET}2 \n\n`),
      MONGODB_URI_FILE: file('uri', 'mongodb://user:pw@db/chat\n'),
      ADMIN_KEY_FILE: file('admin', '\uFEFF' + 'k'.repeat(32) + '\n'),
      ADMIN_KEYS_FILE: file('keys', `desk:agent:shop:${'d'.repeat(32)},\nview:viewer:*:${'v'.repeat(32)}\n`),
      OPENAI_API_KEY_FILE: file('openai', 'sk-1\n'),
      PROVIDER_ONE_FILE: file('provider', 'sk-2\t'),
      CATALOGUE_SECRETS: 'CRM_KEY',
      CRM_KEY_FILE: file('crm', 'sk-3'),
    };
    for (const read of [config(given, Object.keys(given)), configFromSettings({ ...given, DATA_DIR: directory })]) {
      expect(read).toMatchObject({
        jwtSecret: SECRET,
        jwtPreviousSecrets: [`${SECRET}1`, `${SECRET}2`],
        database: { kind: 'mongodb', uri: 'mongodb://user:pw@db/chat' },
        databaseChosen: true,
        adminKey: 'k'.repeat(32),
        adminKeys: [{ name: 'desk' }, { name: 'view' }],
        warnings: [],
      });
      const secrets = ['OPENAI_API_KEY', 'PROVIDER_ONE', 'CRM_KEY'].map((name) => read.secret(name));
      expect(secrets).toEqual(['sk-1', 'sk-2', 'sk-3']);
      expect(read.with({ port: 1 }).secret('PROVIDER_ONE')).toBe('sk-2');
    }
    expect(() => assertUsableSettings({ JWT_SECRET_FILE: given.JWT_SECRET_FILE, NODE_ENV: 'test' })).not.toThrow();
  });

  it('satisfies the rules of production, by a link too', () => {
    symlinkSync(file('target', SECRET), join(directory, 'link'));
    const given = {
      NODE_ENV: 'production',
      MONGODB_URI: 'mongodb://db',
      PUBLIC_URL: 'https://chat.test',
      JWT_SECRET_FILE: join(directory, 'link'),
    };
    expect(config(given).jwtSecret).toBe(SECRET);
    expect(() => config({ ...given, JWT_SECRET_FILE: file('short', 'short') })).toThrow(/JWT_SECRET must have/);
  });

  it('is not read without need: an empty name is unset, other names are none of the service', () => {
    expect(
      config({ JWT_SECRET: SECRET, JWT_SECRET_FILE: ' ', LOG_FILE: '/nowhere', PORT_FILE: '/nowhere' }),
    ).toMatchObject({
      jwtSecret: SECRET,
      port: 3000,
    });
    expect(() => configFromSettings({ JWT_SECRETT: SECRET, PORT_FILE: 'x' })).toThrow(
      /JWT_SECRETT is no.*\n.*PORT_FILE is no/,
    );
    expect(config({}, ['JWT_SECRET_FILE', 'PORT_FILE']).warnings).toEqual([expect.stringMatching(/: PORT_FILE\./)]);
  });

  it('is a fault that names the setting alone, and never what was given', () => {
    mkdirSync(join(directory, 'hunter2-directory'));
    execFileSync('mkfifo', [join(directory, 'hunter2-pipe')]);
    const unusable = {
      'that can be read': join(directory, 'hunter2-missing'),
      'that is not empty': file('hunter2-empty', ' \n'),
      'of UTF-8 text': file('hunter2-binary', Buffer.from([0xff, 0xfe, 0xfa])),
      'of at most 64 KiB': file('hunter2-large', 'x'.repeat(64 * 1024 + 1)),
      'and not a directory or device': join(directory, 'hunter2-directory'),
    };
    const cases = [...Object.entries(unusable), ['and not a directory or device', join(directory, 'hunter2-pipe')]];
    for (const [reason, path] of cases)
      for (const name of ['JWT_SECRET', 'MONGODB_URI', 'ADMIN_KEY', 'PROVIDER_ONE']) {
        const given = {
          NODE_ENV: 'production',
          MONGODB_URI: 'mongodb://db',
          PUBLIC_URL: 'https://chat.test',
          JWT_SECRET: SECRET,
          [name]: '',
        };
        let error: unknown;
        try {
          config({ ...given, [`${name}_FILE`]: path! });
        } catch (thrown) {
          error = thrown;
        }
        expect(error).toBeInstanceOf(ConfigError);
        expect((error as ConfigError).faults).toEqual([{ name: `${name}_FILE`, rule: `must name a file ${reason}` }]);
        expect(String((error as Error).stack)).not.toContain('hunter2');
      }
  });

  it('is refused beside the setting itself', () => {
    const given = { JWT_SECRET: SECRET, JWT_SECRET_FILE: file('both', SECRET) };
    expect(() => config(given)).toThrow(/JWT_SECRET_FILE and JWT_SECRET are both set/);
  });
});
