import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { KindRegistry } from '../platform/extension-points/index.js';
import { OidcVerifier } from './oidc.verifier.js';
import { TokenVerifier } from './token-verifier.js';

/** Every {@link TokenVerifier} by its kind. */
@Injectable()
export class VerifierRegistry extends KindRegistry<TokenVerifier> {
  constructor(discovery: DiscoveryService, oidc: OidcVerifier) {
    super(discovery, 'token verifier', TokenVerifier, [oidc]);
  }
}
