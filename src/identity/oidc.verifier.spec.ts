import { Logger } from '@nestjs/common';
import type { OutgoingHttp } from 'avatar-chat-runtime';
import { configFrom } from 'avatar-chat-settings';
import { Config, SystemClock } from '../platform/config/index.js';
import { OidcVerifier } from './oidc.verifier.js';

// Failures are logged as errors.
beforeAll(() => Logger.overrideLogger(false));
// The specs after this one have the real file.
afterAll(() => jest.dontMock('./provider.keys.js'));

it('does not blame the token if its own files cannot be loaded, as during an installation', async () => {
  jest.doMock('./provider.keys.js', () => {
    throw Object.assign(new Error('gone'), { code: 'ERR_MODULE_NOT_FOUND' });
  });
  const config = configFrom({ JWT_SECRET: 's'.repeat(32), LOG_LEVEL: 'silent' });
  const verifier = new OidcVerifier(config as Config, new SystemClock(), {} as OutgoingHttp);
  const entry = { kind: 'oidc', issuer: 'https://id.example.org', audience: 'chat' };
  await expect(verifier.verify('a.b.c', entry)).rejects.toMatchObject({ code: 'service_unavailable' });
});
