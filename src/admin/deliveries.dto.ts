import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { IfGiven, refusalOf } from '../platform/validation/index.js';
import { ProjectName } from './admin.dto.js';

export const ID_RULE = 'id must be a string.';

export class RetriedDeliveries extends ProjectName {
  @IfGiven()
  @IsString(refusalOf('invalid_input', ID_RULE))
  @ApiProperty({ description: 'Of the log. Omitted: all that are dead or have failed.', required: false })
  id?: string;
}

export class Retried {
  /** How many there were. */
  retried!: number;
}

export class WebhookName extends ProjectName {
  @IsString(refusalOf('webhook_not_found'))
  @ApiProperty({ example: 'crm' })
  name!: string;
}

export class Rotated {
  secret!: string;
}
