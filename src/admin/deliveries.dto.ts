import { ApiProperty } from '@nestjs/swagger';
import { IsString, Matches } from 'class-validator';
import { IfGiven, refusalOf } from '../platform/validation/index.js';
import { ProjectName } from './admin.dto.js';

export const ID_RULE = 'id must be the id of a delivery, as the log has it.';
const ID = /^[\w.-]{1,200}$/;

export class RetriedDeliveries extends ProjectName {
  @IfGiven()
  @Matches(ID, refusalOf('invalid_input', ID_RULE))
  @ApiProperty({
    pattern: ID.source,
    description: 'Of the log. Omitted: all that are dead or have failed.',
    required: false,
  })
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
