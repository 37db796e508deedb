export { jsonLines } from './admin.lines.js';
export { AdminHttpModule, AdminModule } from './admin.module.js';
export { AdminService } from './admin.service.js';
