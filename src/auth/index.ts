export { CurrentUser, type GuardDescription, GuardedBy, IsGuardedBy, Public } from './auth.decorators.js';
export { AuthModule } from './auth.module.js';
export { AuthService } from './auth.service.js';
export { AcceptsClientSecrets, clientSecretPayload, ClientSecrets } from './client.secrets.js';
export { JwtGuard } from './jwt.guard.js';
export { Owner, ownerKey, USER_ID } from './owner.js';
export { bearerToken } from './token.format.js';
export { isWithdrawn, requestValidity, type TokenBasis, type TokenValidity } from './token.validity.js';
