import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { PROJECT_ID } from 'avatar-chat-catalogue';
import { IfGiven, refusalOf } from '../platform/validation/index.js';
import { DEFAULT_DAYS } from './admin.dto.js';

/** As long as entries are kept. */
export const MAX_AUDIT_DAYS = 400;

export class AuditQuery {
  @IfGiven()
  @Matches(PROJECT_ID, refusalOf('invalid_project_id'))
  @ApiProperty({
    description: 'Omitted: all projects, for keys of all projects.',
    pattern: PROJECT_ID.source,
    required: false,
  })
  project_id?: string;

  @IfGiven()
  @Matches(/^([1-9][0-9]?|[1-3][0-9]{2}|400)$/, refusalOf('invalid_days', MAX_AUDIT_DAYS))
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_AUDIT_DAYS, default: DEFAULT_DAYS, required: false })
  days?: string;

  /** @internal */
  get number(): number {
    return Number(this.days ?? DEFAULT_DAYS);
  }
}

/** A change by an operator's key. */
export class AuditEntryDetails {
  /** Unix time in milliseconds. */
  date!: number;
  /** The name of the key; `admin` is `ADMIN_KEY`. */
  key!: string;
  /** @example "user.erase" */
  action!: string;
  /** Omitted if the change is not to one project. */
  project_id?: string;
  /** After an erasure, the first 16 hexadecimal digits of its SHA-256. */
  user_id?: string;
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  details?: object;
}

export class AuditList {
  /** Newest first, at most 1,000. */
  entries!: AuditEntryDetails[];
}
