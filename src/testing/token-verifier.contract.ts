import assert from 'node:assert/strict';
import type { IdentityEntry } from 'avatar-chat-catalogue';
import type { TokenVerifier } from '../identity/index.js';
import { assertTakesEntry, withTimeout, testRunner } from './contract.js';

/** Samples for the tests of a verifier. */
export interface VerifierSample {
  readonly entry: IdentityEntry;
  /** A valid token of this user that has not expired. */
  readonly token: string;
  readonly user_id: string;
  /** An invalid token that looks valid, such as one with another signature. */
  readonly bad: string;
}

/** Malformed tokens: invalid characters, too many of them, and none. */
const NONSENSE = ['', ' ', '.', '..', 'a.b.c', '\0', '🔑', `${'A'.repeat(4000)}.${'A'.repeat(4000)}.AA`];

/**
 * The tests that every token verifier must pass, for your own spec under Jest or another runner with `describe` and
 * `it`.
 *
 * @param name subject of the tests, for the report
 * @param make creates a verifier
 * @param sample a valid entry and tokens for it
 * @example
 * ```ts
 * tokenVerifierContract('gateway', () => new GatewayVerifier(), () => ({ entry: { kind: 'gateway' }, token, user_id: 'ann', bad }));
 * ```
 */
export function tokenVerifierContract(
  name: string,
  make: () => TokenVerifier | Promise<TokenVerifier>,
  sample: () => VerifierSample | Promise<VerifierSample>,
): void {
  const { describe, it } = testRunner();
  describe(`${name} keeps the contract of a token verifier`, () => {
    it('has the kind that its entry names, and accepts the entry', async () => {
      assertTakesEntry(await make(), (await sample()).entry);
    });

    it('returns the user and the expiry of a valid token, repeatedly', async () => {
      const { entry, token, user_id } = await sample();
      const verifier = await make();
      const all = await withTimeout(Promise.all(Array.from({ length: 4 }, () => verifier.verify(token, entry))));
      for (const identity of all) {
        assert.equal(identity.user_id, user_id);
        assert.ok(Number.isFinite(identity.expires_at), 'expires_at was no number');
      }
    });

    it('rejects all other tokens, before and after a valid one', async () => {
      const { entry, token, bad } = await sample();
      const verifier = await make();
      const refused = async (other: string) => {
        await withTimeout(
          assert.rejects(async () => verifier.verify(other, entry), `it took ${JSON.stringify(other)}`),
        );
      };
      for (const other of [bad, ...NONSENSE]) await refused(other);
      await verifier.verify(token, entry);
      for (const other of [bad, `${token}x`, token.slice(0, -2), ` ${token}`]) await refused(other);
    });

    it('does not modify the entry', async () => {
      const { entry, token } = await sample();
      const before = JSON.stringify(entry);
      await (await make()).verify(token, entry);
      assert.equal(JSON.stringify(entry), before);
    });
  });
}
