import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AuditLog } from '../audit/index.js';
import { failure } from '../platform/errors/index.js';
import { ApiErrors } from '../platform/openapi/index.js';
import { type AuditList, AuditQuery, MAX_AUDIT_DAYS } from './audit.dto.js';
import { AdminService } from './admin.service.js';
import { ForOperators } from './for-operators.js';
import { AllowOperators, CurrentOperator, type Operator } from './operator.access.js';

@ApiTags('Administration')
@Controller('admin/audit')
@ForOperators()
export class AuditController {
  constructor(
    private readonly log: AuditLog,
    private readonly admin: AdminService,
  ) {}

  /** List what operators changed. A key of all projects sees changes of the catalogue too. */
  @ApiErrors('invalid_project_id', ['invalid_days', MAX_AUDIT_DAYS], 'unknown_project')
  @Get()
  @AllowOperators({ project: 'listed' })
  async listChanges(@Query() query: AuditQuery, @CurrentOperator() { onlyProject }: Operator): Promise<AuditList> {
    const { project_id = onlyProject, number } = query;
    if (onlyProject !== undefined && project_id !== onlyProject) throw failure('forbidden_to_key');
    const entries = await this.log.list(number, project_id, onlyProject === undefined);
    if (project_id !== undefined && !entries.some((entry) => entry.project_id))
      await this.admin.assertProjectExists(project_id);
    return { entries };
  }
}
