export { ProjectName, UserName } from './admin.dto.js';
export { AdminGuard } from './admin.guard.js';
export { ForOperators } from './for-operators.js';
export { AllowOperators, CurrentOperator, Operator, OPERATOR_ACCESS } from './operator.access.js';
export { AdminHttpModule, AdminModule } from './admin.module.js';
export { AdminQuality } from './admin.quality.js';
export { AdminService } from './admin.service.js';
export { AdminUsers } from './admin.users.js';
