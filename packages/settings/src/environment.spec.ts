import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect, parseEnv } from 'node:util';
import { ConfigError, configFrom } from './environment.js';
import { isProviderKeyName, isSecretName } from './secret-names.js';
import type { Setting } from 'avatar-chat-runtime';
import { SETTINGS } from './settings.js';

const SAMPLE_SECRET = SETTINGS.JWT_SECRET.sample;
const SECRET = 'a secret of this test with 32 bytes or more';
const PRODUCTION = {
  NODE_ENV: 'production',
  MONGODB_URI: 'mongodb://db',
  JWT_SECRET: SECRET,
  PUBLIC_URL: 'https://chat.test',
};

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'config-'))));
afterEach(() => rmSync(directory, { recursive: true }));

const config = (environment: Record<string, string> = {}) =>
  configFrom({ DATA_DIR: directory, JWT_SECRET: SECRET, ...environment });

function faults(environment: Record<string, string>): string[] {
  try {
    configFrom({ DATA_DIR: directory, ...environment });
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ name }) => name);
    throw error;
  }
  return [];
}

describe('an unusable configuration', () => {
  it.each([
    [{ PORT: 'x' }, /^\[ConfigError: The configuration cannot be used: PORT must be [^\n]*\]$/],
    [
      { PORT: 'x', LOG_LEVEL: 'y' },
      /^\[ConfigError: The configuration cannot be used:\n {2}PORT [^\n]*\n {2}LOG_LEVEL [^\n]*\]$/,
    ],
  ])('is printed by a host as one sentence, or a line per setting: %j', (environment, printed) => {
    let error: unknown;
    try {
      config(environment as Record<string, string>);
    } catch (thrown) {
      error = thrown;
    }
    expect(inspect(error)).toMatch(printed);
  });
});

describe('the configuration', () => {
  it('has the documented defaults', () => {
    expect(config()).toEqual({
      production: false,
      host: '127.0.0.1',
      port: 3000,
      workers: 1,
      shutdownMs: 4000,
      publicUrl: undefined,
      database: { kind: 'embedded', path: join(directory, 'database') },
      databaseChosen: false,
      jwtSecret: SECRET,
      jwtPreviousSecrets: [],
      jwtTtlSeconds: 86_400,
      knowledgeMemoryMb: 256,
      localModel: undefined,
      localModelQueue: 8,
      localModelSlots: 2,
      liveSessions: 4,
      eventStreams: 2000,
      liveIdleSeconds: 300,
      livePingSeconds: 20,
      liveWebrtcPorts: { min: 50_000, max: 50_199 },
      corsOrigins: [],
      corsMethods: [],
      corsHeaders: [],
      trustProxy: false,
      rateLimits: { enabled: false, jwt: 300, turns: 60, uploads: 256, openTurns: 1200, reads: 600, video: 600 },
      demo: true,
      privateHosts: ['*'],
      catalogueSecrets: [],
      webhookTimeoutSeconds: 15,
      webhookBacklog: 100_000,
      openAiModel: undefined,
      openAiBaseUrl: 'https://api.openai.com/v1',
      adminKey: undefined,
      adminKeys: [],
      logLevel: 'info',
      otlpEndpoint: undefined,
      otelServiceName: 'avatar-chat-service',
      dataDir: directory,
      modelsDir: join(directory, 'models'),
      speechModels: 'auto',
      catalogueFile: undefined,
      videoQueue: 16,
      warnings: [],
    });
  });

  it.each(Object.entries<Setting>(SETTINGS).filter(([, { default: given = '' }]) => /^\d+$/.test(given)))(
    'has what %s says',
    (name, { default: given, kind }) => {
      const changed = [Number(given) + 1, Number(given) - 1].find((value) => kind.parse(String(value)) !== undefined)!;
      expect(JSON.stringify(config({ [name]: String(changed) }))).not.toBe(JSON.stringify(config()));
    },
  );

  it.each<[string, string, string, unknown]>([
    ['PORT', '0', 'port', 0],
    ['PORT', '65535', 'port', 65_535],
    ['WORKERS', '64', 'workers', 64],
    ['PUBLIC_URL', 'https://chat.example.org/base/', 'publicUrl', 'https://chat.example.org/base'],
    ['MONGODB_URI', 'mongodb://a,b/x?y=z', 'database', { kind: 'mongodb', uri: 'mongodb://a,b/x?y=z' }],
    ['MONGODB_URI', 'mongodb+srv://host', 'database', { kind: 'mongodb', uri: 'mongodb+srv://host' }],
    ['MONGODB_URI', 'embedded:./here', 'database', { kind: 'embedded', path: './here' }],
    ['MONGODB_URI', 'embedded::memory:', 'database', { kind: 'embedded', path: ':memory:' }],
    ['JWT_PREVIOUS_SECRETS', ` ${SECRET}1 , ${SECRET}2,`, 'jwtPreviousSecrets', [`${SECRET}1`, `${SECRET}2`]],
    ['JWT_TTL_SECONDS', '1', 'jwtTtlSeconds', 1],
    ['PRIVATE_HOSTS', 'CRM.internal, 10.0.0.1,::1', 'privateHosts', ['crm.internal', '10.0.0.1', '::1']],
    ['CATALOGUE_SECRETS', 'MISTRAL_KEY, my_key', 'catalogueSecrets', ['MISTRAL_KEY', 'my_key']],
    ['OPENAI_MODEL', 'llama3.2', 'openAiModel', 'llama3.2'],
    ['OPENAI_BASE_URL', 'http://127.0.0.1:11434/v1/', 'openAiBaseUrl', 'http://127.0.0.1:11434/v1'],
    ['WEBHOOK_TIMEOUT_SECONDS', '30', 'webhookTimeoutSeconds', 30],
    ['LIVE_WEBRTC_ADDRESS', '2001:db8::7', 'liveWebrtcAddress', '2001:db8::7'],
    ['LIVE_WEBRTC_PORTS', '1024-65535', 'liveWebrtcPorts', { min: 1024, max: 65_535 }],
    ['ADMIN_KEY', 'x'.repeat(32), 'adminKey', 'x'.repeat(32)],
    ['CORS_ORIGINS', '*', 'corsOrigins', ['*']],
    ['CORS_ORIGINS', 'https://a.org, http://b.org:8080', 'corsOrigins', ['https://a.org', 'http://b.org:8080']],
    [
      'CORS_ORIGINS',
      'capacitor://localhost,ionic://localhost/,tauri://localhost,app://-,chrome-extension://abcd,moz-extension://7f2a-33',
      'corsOrigins',
      [
        'capacitor://localhost',
        'ionic://localhost',
        'tauri://localhost',
        'app://-',
        'chrome-extension://abcd',
        'moz-extension://7f2a-33',
      ],
    ],
    ['TRUST_PROXY', 'true', 'trustProxy', true],
    ['TRUST_PROXY', '2', 'trustProxy', 2],
    ['TRUST_PROXY', 'loopback, 10.0.0.0/8,::1', 'trustProxy', 'loopback,10.0.0.0/8,::1'],
    ['RATE_LIMIT', 'on', 'rateLimits', { enabled: true, jwt: 300, turns: 60, openTurns: 1200, reads: 600 }],
    ['RATE_LIMIT_TURNS', '5', 'rateLimits', { enabled: false, jwt: 300, turns: 5, openTurns: 1200, reads: 600 }],
    ['LOG_LEVEL', 'silent', 'logLevel', 'silent'],
    ['HOST', '', 'host', '127.0.0.1'],
  ])('reads %s=%s', (name, value, field, expected) => {
    expect(config({ [name]: value })).toMatchObject({ [field]: expected });
  });

  it.each([
    ['w=0', ['w=0', 'W=0', 'retryWrites=true&w=00', 'w=majority&w=0', '%77=%30']],
    ['journal=false', ['journal=false', 'Journal=false', 'J=FALSE']],
    [
      'readPreference other than primary and primaryPreferred',
      ['readPreference=secondary', 'readpreference=nearest', 'READPREFERENCE=secondaryPreferred', 'readPreference='],
    ],
    ['readConcernLevel=available', ['readConcernLevel=available', 'readconcernlevel=Available']],
  ])('refuses the option %s of a connection string, without its password', (option, texts) => {
    for (const text of texts)
      for (const start of ['mongodb://user:hunter2@a,b/x', 'mongodb+srv://user:hunter2@host/']) {
        const attempt = () => config({ MONGODB_URI: `${start}?tls=true&${text}` });
        expect(attempt).toThrow(`MONGODB_URI must not have the option ${option}`);
        expect(attempt).not.toThrow(/hunter2/);
      }
  });

  it('takes other options of a connection string', () => {
    const options = 'w=majority&journal=true&readPreference=primaryPreferred&readConcernLevel=majority&appName=w=0';
    const uri = `mongodb://w=0:journal=false@a/b?${options}`;
    expect(config({ MONGODB_URI: uri }).database).toEqual({ kind: 'mongodb', uri });
    for (const rest of ['w=1', 'w=tag', 'readPreference=primary', 'w='])
      expect(config({ MONGODB_URI: `mongodb://a/?${rest}` }).database).toMatchObject({ kind: 'mongodb' });
  });

  it.each([
    ['WORKERS', ['0', '65', 'two']],
    ['PORT', ['65536', '-1', '80a', '1.5', '99999999999']],
    ['PUBLIC_URL', ['chat.example.org', 'ftp://x', 'https://x/?q', 'https://x/#f', 'https://user:pw@x']],
    ['MONGODB_URI', ['postgres://x', 'mongodb://', 'embedded:', 'data', 'http://x']],
    ['JWT_TTL_SECONDS', ['0', '-5', 'day', '31536001']],
    [
      'CORS_ORIGINS',
      [
        'example.org',
        'https://a.org,nonsense',
        'https://*.example.org',
        'chrome-extension://*',
        'file:///home',
        'file://',
        'null',
        'data:text/html,x',
        'app://x/path',
        'app://user@x',
      ],
    ],
    ['TRUST_PROXY', ['yes', '0', '11', '10.0.0.0/33', '10.0.0', 'loopback,x']],
    ['RATE_LIMIT', ['yes', '1']],
    ['RATE_LIMIT_JWT', ['0', 'x']],
    ['RATE_LIMIT_TURNS', ['0', '-1']],
    ['RATE_LIMIT_READS', ['0', '1e3']],
    ['RATE_LIMIT_UPLOADS', ['9', '1e3']],
    ['PRIVATE_HOSTS', ['http://crm', 'crm:8080', 'a,,b', '10.0.0.0/8']],
    ['CATALOGUE_SECRETS', ['a b', 'A,,B', 'JWT_SECRET', 'KEY, MONGODB_URI', '*']],
    ['WEBHOOK_TIMEOUT_SECONDS', ['0', '31', 'x']],
    ['ADMIN_KEY', ['x'.repeat(31), `${'x'.repeat(32)} y`, 'é'.repeat(32), 'x'.repeat(513)]],
    ['LIVE_WEBRTC_ADDRESS', ['chat.example.org', '10.0.0', '10.0.0.1:3000']],
    ['LIVE_WEBRTC_PORTS', ['50000', '50010-50000', '80-90', '50000-65536', '1-2-3', '50000–50100']],
    ['LOG_LEVEL', ['loud', 'INFO']],
  ])('rejects a bad %s', (name, values) => {
    for (const value of values) expect(faults({ JWT_SECRET: SECRET, [name]: value })).toEqual([name]);
  });

  it('names every bad setting at once, and no value', () => {
    const attempt = () =>
      configFrom({ PORT: 'hunter2', LOG_LEVEL: 'hunter2', MONGODB_URI: 'hunter2', DATA_DIR: directory });
    expect(attempt).toThrow(/PORT .*\n.*MONGODB_URI .*\n.*LOG_LEVEL /);
    expect(attempt).not.toThrow(/hunter2/);
  });

  it('rejects several workers with a store that each would have for itself', () => {
    expect(faults({ WORKERS: '2', MONGODB_URI: 'embedded::memory:' })).toEqual(['WORKERS']);
    expect(faults({ WORKERS: '2', MONGODB_URI: 'embedded:data' })).toEqual([]);
  });

  it('names DATA_DIR if no secret can be stored in it', () => {
    writeFileSync(join(directory, 'file'), '');
    expect(faults({ DATA_DIR: join(directory, 'file') })).toEqual(['DATA_DIR']);
  });
});

describe('in production', () => {
  it('accepts a database and a secret, limits rates, and warns of nothing', () => {
    expect(configFrom({ ...PRODUCTION, DATA_DIR: directory })).toMatchObject({
      production: true,
      rateLimits: { enabled: true },
      privateHosts: [],
      videoQueue: 16,
      warnings: [],
    });
  });

  it.each<[Record<string, string>, string[]]>([
    [{ MONGODB_URI: '' }, ['MONGODB_URI']],
    [{ PUBLIC_URL: '' }, ['PUBLIC_URL']],
    [{ JWT_SECRET: '' }, ['JWT_SECRET']],
    [{ JWT_SECRET: SAMPLE_SECRET }, ['JWT_SECRET']],
    [{ JWT_SECRET: 'x'.repeat(31) }, ['JWT_SECRET']],
    [{ JWT_SECRET: 'é'.repeat(16) }, []],
    [{ JWT_PREVIOUS_SECRETS: `${SECRET},short` }, ['JWT_PREVIOUS_SECRETS']],
    [{ JWT_PREVIOUS_SECRETS: SAMPLE_SECRET }, ['JWT_PREVIOUS_SECRETS']],
  ])('with %j refuses %j', (changes, expected) => {
    expect(faults({ ...PRODUCTION, ...changes })).toEqual(expected);
  });

  it('warns of the embedded store; outside production, of a weak secret', () => {
    expect(configFrom({ ...PRODUCTION, DATA_DIR: directory, MONGODB_URI: 'embedded:./x' }).warnings).toEqual([
      expect.stringMatching(/^MONGODB_URI/),
    ]);
    expect(config({ JWT_SECRET: SAMPLE_SECRET }).warnings).toEqual([expect.stringMatching(/^JWT_SECRET/)]);
    expect(config({ OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' }).warnings).toEqual([
      'OPENAI_BASE_URL is set but OPENAI_MODEL is not: scripts answer',
    ]);
  });
});

describe('a generated secret', () => {
  it('is generated once, readable by this user only, and found again', () => {
    const first = configFrom({ DATA_DIR: join(directory, 'new') }).jwtSecret;
    const file = join(directory, 'new', 'jwt-secret');
    expect(Buffer.byteLength(first)).toBeGreaterThanOrEqual(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe(first);
    expect(configFrom({ DATA_DIR: join(directory, 'new') }).jwtSecret).toBe(first);
    expect(configFrom({ DATA_DIR: join(directory, 'other') }).jwtSecret).not.toBe(first);
  });

  it.each([
    ['nothing', ''],
    ['one byte', 'x'],
    ['31 bytes and white space', `${'x'.repeat(31)} \n`],
    ['only white space', '\n'.repeat(40)],
  ])('prevents the start if its file holds %s, and names the file', (_, text) => {
    const file = fileWith(text);
    expect(() => configFrom({ DATA_DIR: dirname(file) })).toThrow(`${file} must hold at least 32 bytes, or be removed`);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('may come from an operator, with surrounding white space', () => {
    const file = fileWith(` ${'é'.repeat(16)}\n`);
    expect(configFrom({ DATA_DIR: dirname(file) })).toMatchObject({ jwtSecret: 'é'.repeat(16), warnings: [] });
  });

  it.each([0o640, 0o604])('causes a warning if others can read it, as with mode %p', (mode) => {
    const file = fileWith('x'.repeat(32));
    chmodSync(file, mode);
    expect(configFrom({ DATA_DIR: dirname(file) }).warnings).toEqual([expect.stringContaining(file)]);
    expect(config({ DATA_DIR: dirname(file) }).warnings).toEqual([]);
  });

  function fileWith(text: string): string {
    const file = join(mkdtempSync(join(directory, 'secret-')), 'jwt-secret');
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }
});

describe('a variable that the catalogue names', () => {
  it.each(['CRM_SECRET', 'key', '_X1'])('may be %s', (name) => expect(isSecretName(name)).toBe(true));
  it.each(['JWT_SECRET', 'MONGODB_URI', 'ADMIN_KEY', 'sk-123', '1X', '', 'A'.repeat(129), undefined, 7])(
    'may not be %s',
    (name) => expect(isSecretName(name)).toBe(false),
  );
});

describe('the key of a provider', () => {
  it.each(['OPENAI_API_KEY', 'PROVIDER_KEY', 'MISTRAL_KEY'])('may be in %s', (name) =>
    expect(isProviderKeyName(name, ['MISTRAL_KEY', 'JWT_SECRET'])).toBe(true),
  );
  it.each(['AWS_SECRET_ACCESS_KEY', 'OPENAI_ADMIN_KEY', 'provider_KEY', 'XPROVIDER_KEY', 'JWT_SECRET', 'PATH', '', 7])(
    'may not be in %s',
    (name) => expect(isProviderKeyName(name, ['MISTRAL_KEY', 'JWT_SECRET'])).toBe(false),
  );
});

describe('the table of settings', () => {
  it.each(Object.entries<Setting>(SETTINGS))('%s has valid defaults, or describes what happens', (_, setting) => {
    const { kind, default: ofUnset, productionDefault, defaultText } = setting;
    for (const text of [ofUnset, productionDefault]) if (text) expect(kind.parse(text)).toBeDefined();
    expect([ofUnset, defaultText].filter((known) => known !== undefined)).toHaveLength(1);
  });

  it('generates a .env.example that is a valid configuration, equal to the defaults', () => {
    const { JWT_SECRET, ...rest } = parseEnv(readFileSync('.env.example', 'utf8'));
    expect(configFrom({ ...rest, DATA_DIR: directory, JWT_SECRET: SECRET })).toEqual(config());
    expect(JWT_SECRET).toBe(SAMPLE_SECRET);
  });
});
