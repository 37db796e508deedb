import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configFromSettings, assertUsableSettings } from './given-settings.js';

const PRODUCTION = { MONGODB_URI: 'mongodb://db.test/chat', JWT_SECRET: 's'.repeat(48) };

describe('settings from a program', () => {
  it('default to production, whatever the environment says', () => {
    expect(process.env.NODE_ENV).toBe('test');
    expect(configFromSettings(PRODUCTION)).toMatchObject({ production: true, rateLimits: { enabled: true } });
    expect(configFromSettings({ ...PRODUCTION, NODE_ENV: 'development' }).production).toBe(false);
  });

  it.each(['JWT_SECRET', 'MONGODB_URI'])('require %s, and say why', (name) => {
    const settings = { ...PRODUCTION, [name]: undefined };
    const refusal = new RegExp(`${name} must be set in production\n  NODE_ENV is not among the settings`);
    for (const use of [assertUsableSettings, configFromSettings]) expect(() => use(settings)).toThrow(refusal);
    expect(() => assertUsableSettings({ ...settings, NODE_ENV: 'production' })).toThrow(/in production$/);
  });

  it('store no generated secret until they are used', () => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'settings-'));
    const settings = { NODE_ENV: 'development', DATA_DIR };
    assertUsableSettings(settings);
    expect(existsSync(join(DATA_DIR, 'jwt-secret'))).toBe(false);
    expect(configFromSettings(settings).jwtSecret).toHaveLength(64);
    expect(existsSync(join(DATA_DIR, 'jwt-secret'))).toBe(true);
    rmSync(DATA_DIR, { recursive: true });
  });
});
