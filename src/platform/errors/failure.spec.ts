import { type ErrorDefinition, ERRORS, describeFailure, ERROR_CODES, type ErrorName } from 'avatar-chat-errors';
import { failure } from './failure.js';

const all = Object.entries<ErrorDefinition>(ERRORS).map(([name, definition]) => ({ name, code: name, ...definition }));

describe('the registry of errors', () => {
  it('has unique codes that are names of errors', () => {
    expect(all.filter(({ code }) => !Object.hasOwn(ERRORS, code) || !/^[a-z][a-z0-9_]{0,63}$/.test(code))).toEqual([]);
    expect(all.filter(({ name, code }) => 'code' in ERRORS[name as ErrorName] && code === name)).toEqual([]);
    expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length);
  });

  it('distinguishes any two errors by status, code or text', () => {
    const shown = all.map(({ status, code, message }) => `${status} ${code} ${String(message)}`);
    expect(new Set(shown).size).toBe(all.length);
  });

  it('reserves 403 for an expired token', () => {
    expect(all.filter(({ status }) => status === 403).map(({ name }) => name)).toEqual(['token_expired']);
  });

  it('has a challenge with every 401', () => {
    const unauthorized = all.filter(({ status }) => status === 401);
    expect(unauthorized.length).toBeGreaterThan(5);
    for (const { headers } of unauthorized)
      expect(headers).toEqual({ 'WWW-Authenticate': expect.stringMatching(/^Bearer realm="avatar-chat/) });
  });
});

describe('a failure', () => {
  it('has the status, code, text and headers of its entry', () => {
    expect(failure('invalid_token')).toMatchObject({
      status: 401,
      code: 'invalid_token',
      message: 'The bearer token is not valid.',
      headers: { 'WWW-Authenticate': 'Bearer realm="avatar-chat", error="invalid_token"' },
    });
    expect(failure('unknown_project')).toMatchObject({ status: 404, code: 'project_not_found', headers: {} });
  });

  it('requires exactly the values of its text and headers', () => {
    expect(failure('invalid_per_page', 1000).message).toBe('per_page must be a whole number from 1 to 1000.');
    expect(failure('rate_limited', 30).headers).toEqual({ 'Retry-After': '30' });
    expect(failure('range_not_satisfiable', 5).headers).toEqual({ 'Content-Range': 'bytes */5' });
    expect(failure('method_not_allowed', ['GET', 'HEAD']).headers).toEqual({ Allow: 'GET, HEAD' });
    // @ts-expect-error: the text needs the limit.
    expect(describeFailure('file_too_large').message).toContain('undefined');
    // @ts-expect-error: nothing takes a value.
    expect(failure('not_found', 1)).toMatchObject({ status: 404, headers: {} });
  });
});
