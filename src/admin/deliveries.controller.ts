import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../platform/openapi/index.js';
import { ID_RULE, Rotated, Retried, RetriedDeliveries, WebhookName } from './deliveries.dto.js';
import { AdminService } from './admin.service.js';
import { ForOperators } from './for-operators.js';
import { AllowOperators } from './operator.access.js';

@ApiTags('Administration')
@Controller('admin')
@ForOperators()
export class DeliveriesController {
  constructor(private readonly admin: AdminService) {}

  /** Try a delivery to a project's webhook again, or all that are dead or have failed. */
  @ApiErrors(
    'invalid_project_id',
    ['invalid_input', ID_RULE],
    'invalid_json',
    'unknown_project',
    'delivery_not_found',
    'payload_too_large',
    'unsupported_media_type',
  )
  @Post('deliveries/retry')
  @AllowOperators({ project: 'body', action: 'delivery.retry', details: ['id'] })
  @HttpCode(200)
  async retry(@Body() { project_id, id }: RetriedDeliveries): Promise<Retried> {
    return { retried: await this.admin.retryDeliveries(project_id, id) };
  }

  /** Give a webhook a new secret. The former one also signs for a day. */
  @ApiErrors('invalid_project_id', 'unknown_project', 'webhook_not_found', 'secret_in_variable')
  @Post('projects/:project_id/webhooks/:name/secret')
  @AllowOperators({ project: 'params', action: 'webhook.rotate-secret', details: ['name'] })
  @HttpCode(200)
  rotate(@Param() { project_id, name }: WebhookName): Promise<Rotated> {
    return this.admin.rotateWebhookSecret(project_id, name);
  }
}
