import assert from 'node:assert/strict';
import type { IdentityEntry } from '../catalogue/index.js';
import type { TokenVerifier } from '../identity/index.js';
import { assertTakesEntry, inTime, testRunner } from './contract.js';

/** What a verifier is tried with. */
export interface VerifierSample {
  readonly entry: IdentityEntry;
  /** A good token that has not expired, of this user. */
  readonly token: string;
  readonly user_id: string;
  /** A token that looks like a good one and is none, such as one with another signature. */
  readonly bad: string;
}

/** Of a token: characters that no token has, too many of them, and nothing. */
const NONSENSE = ['', ' ', '.', '..', 'a.b.c', '\0', '🔑', `${'A'.repeat(4000)}.${'A'.repeat(4000)}.AA`];

/**
 * The tests that every token verifier must pass, for a spec of yours under Jest or another runner with `describe` and `it`.
 *
 * @param name what is tested, for the report
 * @param make makes a verifier
 * @param sample a good entry and tokens for it
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
    it('has the kind that its entry names, and finds no fault in the entry', async () => {
      assertTakesEntry(await make(), (await sample()).entry);
    });

    it('says whose a good token is, and when it expires, as often as it is asked', async () => {
      const { entry, token, user_id } = await sample();
      const verifier = await make();
      const all = await inTime(Promise.all(Array.from({ length: 4 }, () => verifier.verify(token, entry))));
      for (const identity of all) {
        assert.equal(identity.user_id, user_id);
        assert.ok(Number.isFinite(identity.expires_at), 'expires_at was no number');
      }
    });

    it('takes no other token, before and after a good one', async () => {
      const { entry, token, bad } = await sample();
      const verifier = await make();
      const refused = async (other: string) => {
        await inTime(assert.rejects(async () => verifier.verify(other, entry), `it took ${JSON.stringify(other)}`));
      };
      for (const other of [bad, ...NONSENSE]) await refused(other);
      await verifier.verify(token, entry);
      for (const other of [bad, `${token}x`, token.slice(0, -2), ` ${token}`]) await refused(other);
    });

    it('leaves the entry as it was', async () => {
      const { entry, token } = await sample();
      const before = JSON.stringify(entry);
      await (await make()).verify(token, entry);
      assert.equal(JSON.stringify(entry), before);
    });
  });
}
