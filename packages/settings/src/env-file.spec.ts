import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEnvFile } from 'avatar-chat-runtime';
import { configFrom } from './environment.js';

const SECRET = 'a secret of this test with 32 bytes or more';

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'env-file-'))));
afterEach(() => rmSync(directory, { recursive: true }));

function load(content: string | Buffer, environment: Record<string, string> = {}) {
  const file = join(directory, '.env');
  writeFileSync(file, content);
  return { names: loadEnvFile(file, environment), environment };
}
const warnings = (content: string) => {
  const { names, environment } = load(content, { JWT_SECRET: SECRET });
  return configFrom({ DATA_DIR: directory, ...environment }, names).warnings;
};

describe('a .env file', () => {
  it.each<[string, (text: string) => Buffer]>([
    ['without a byte order mark', (text) => Buffer.from(text)],
    ['with one', (text) => Buffer.from(`\uFEFF${text}`)],
    ['in UTF-16', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['with line ends of Windows', (text) => Buffer.from(`\uFEFF${text.replaceAll('\n', '\r\n')}`)],
  ])('%s keeps its first setting', (_, encoded) => {
    const { names, environment } = load(encoded('PORT=4711\n# a comment\nHOST="::1"\n'));
    expect(names.sort()).toEqual(['HOST', 'PORT']);
    expect(environment).toEqual({ PORT: '4711', HOST: '::1' });
  });

  it('does not override variables that are set, even to the empty string', () => {
    expect(load('PORT=1\nHOST=x\nTZ=UTC', { PORT: '2', HOST: '' }).environment).toEqual({
      PORT: '2',
      HOST: '',
      TZ: 'UTC',
    });
  });

  it('is optional', () => {
    expect(loadEnvFile(join(directory, 'none'), {})).toEqual([]);
  });

  it('that cannot be read prevents the start', () => {
    expect(() => loadEnvFile(directory, {})).toThrow(/EISDIR/);
  });
});

describe('names in .env that are not settings', () => {
  it('cause a warning without their values', () => {
    const [warning, ...more] = warnings('RATE_LIMITS=on\nport=1\nPORT=0\nMONGO_URI=mongodb://user:password@host');
    expect(more).toEqual([]);
    expect(warning).toContain(': MONGO_URI, RATE_LIMITS, port.');
    expect(warning).not.toMatch(/password|\bon\b/);
  });

  it('are hidden if they may be part of a value', () => {
    const [warning] = warnings(`JWT_PREVIOUS_SECRETS=\n${'Zm9vYmFy'.repeat(8)}=\n`);
    expect(warning).toContain('(not a name)');
    expect(warning).not.toContain('Zm9v');
  });

  it("do not include settings, keys of providers and Node's own variables", () => {
    expect(warnings('PORT=0\nADMIN_KEY=\nPROVIDER_KEY=k\nOPENAI_API_KEY=k\nNODE_ENV=test\nTZ=UTC')).toEqual([]);
  });
});
