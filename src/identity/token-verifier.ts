import type { IdentityEntry } from 'avatar-chat-catalogue';

/** The user of a verified token. */
export interface VerifiedIdentity {
  /** The provider's name of the user. If it is not a valid `user_id`, a hash of it is used. */
  readonly user_id: string;
  /** The token's `exp`: Unix time in seconds. If it is in the past, the token counts as expired. */
  readonly expires_at: number;
}

/**
 * Verifies the tokens of an identity provider. Extend it and provide it in any module; it is discovered at startup, and
 * a project's `identity` selects it by its kind. A token is matched to the project whose entry has its `iss` and `aud`
 * as `issuer` and `audience`; if there is none, to the projects whose entries have neither.
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
   * Validates an identity entry of the catalogue when it is applied, without network access.
   *
   * @returns the faults, each starting with the name of its field; `[]` if there are none
   */
  abstract validate(entry: IdentityEntry): string[];

  /**
   * Verifies a token within three seconds. The token has at most 8 KiB and is otherwise untrusted. An otherwise valid
   * but expired token is not rejected here: return its `expires_at`.
   *
   * @throws ServiceError `service_unavailable` if the provider is unavailable; any other error means that the token is
   *   invalid
   */
  abstract verify(token: string, entry: IdentityEntry): Promise<VerifiedIdentity>;
}
