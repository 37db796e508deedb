import type { IdentityEntry } from '../catalogue/index.js';

/** Whose a verified token is. */
export interface VerifiedIdentity {
  /** The user as the provider names them. What is no `user_id` is replaced by a hash of it. */
  readonly user_id: string;
  /** When the token expires, as its `exp`: Unix time in seconds. One that is past is an expired token. */
  readonly expires_at: number;
}

/**
 * Verifies the tokens of an identity provider. Extend it and make it a provider of any module; it is found at start, and a
 * project's `identity` names it by its kind. A token goes to the project that has its `iss` and `aud` as the `issuer` and
 * the `audience` of its entry; a token that no project has so, to those whose entries have neither.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class GatewayVerifier extends TokenVerifier {
 *   readonly kind = 'gateway';
 *   validate = () => [];
 *   async verify(token: string) {
 *     const { sub, exp } = await askTheGateway(token);
 *     return { user_id: sub, expires_at: exp };
 *   }
 * }
 * ```
 */
export abstract class TokenVerifier {
  /** The value of `identity.kind` in the catalogue that selects this verifier. */
  abstract readonly kind: string;

  /**
   * Checks an identity entry of the catalogue when it is applied, without going to the network.
   *
   * @returns the faults, each starting with the name of its field; `[]` if there are none
   */
  abstract validate(entry: IdentityEntry): string[];

  /**
   * Says whose a token is, within three seconds. It has at most 8 KiB and is otherwise anything that a client sends.
   * A token that is right in all but its time is not refused: its `expires_at` says so.
   *
   * @throws ServiceError `service_unavailable` if that cannot be told now; anything else is a token that is not valid
   */
  abstract verify(token: string, entry: IdentityEntry): Promise<VerifiedIdentity>;
}
