import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CatalogueModule } from '../catalogue/index.js';
import { OutgoingModule } from '../platform/outgoing-http/index.js';
import { IdentityService } from './identity.service.js';
import { OidcVerifier } from './oidc.verifier.js';
import { VerifierRegistry } from './verifier.registry.js';

/** Tokens of identity providers. */
@Module({
  imports: [CatalogueModule, DiscoveryModule, OutgoingModule],
  providers: [IdentityService, OidcVerifier, VerifierRegistry],
  exports: [IdentityService],
})
export class IdentityModule {}
