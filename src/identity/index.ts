export { IdentityModule } from './identity.module.js';
export { IdentityService, type ProjectIdentity } from './identity.service.js';
export { TokenVerifier, type VerifiedIdentity } from './token-verifier.js';
