export { AdminGuard } from './admin.guard.js';
export { jsonLines } from './admin.lines.js';
export { AdminHttpModule, AdminModule } from './admin.module.js';
export { AdminQuality } from './admin.quality.js';
export { AdminService } from './admin.service.js';
export { AdminUsers } from './admin.users.js';
