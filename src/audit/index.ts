export { type AuditEntry, AuditLog } from './audit.log.js';
export { AuditModule } from './audit.module.js';
