export { IdentityModule } from './identity.module.js';
export { IdentityService } from './identity.service.js';
export { TokenVerifier, type VerifiedIdentity } from './token-verifier.js';
