import { applyDecorators, UseInterceptors } from '@nestjs/common';
import { IsGuardedBy } from '../auth/index.js';
import { ADMIN_SCHEME } from '../platform/openapi/index.js';
import { AdminGuard } from './admin.guard.js';
import { AuditInterceptor } from './audit.interceptor.js';

/**
 * Marks a controller whose routes are for operators' keys. Each route declares by {@link AllowOperators} whose.
 *
 * Its module imports {@link AdminHttpModule}.
 */
export const ForOperators = () =>
  applyDecorators(IsGuardedBy(AdminGuard, ADMIN_SCHEME), UseInterceptors(AuditInterceptor));
