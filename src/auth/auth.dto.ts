import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { IfGiven, refusalOf } from '../platform/validation/index.js';
import { DEFAULT_PROJECT, PROJECT_ID } from 'avatar-chat-catalogue';
import { USER_ID } from './owner.js';

export class TokenRequest {
  @Matches(USER_ID, refusalOf('invalid_user_id'))
  @ApiProperty({
    description: 'The user that the token is for.',
    pattern: USER_ID.source,
    example: '7b0e7c1e-5f4b-4a53-9d0c-0f6f8a2f7c11',
  })
  user_id!: string;

  @IfGiven()
  @Matches(PROJECT_ID, refusalOf('invalid_project_id'))
  @ApiProperty({
    description: 'The project.',
    pattern: PROJECT_ID.source,
    default: DEFAULT_PROJECT,
    example: DEFAULT_PROJECT,
    required: false,
  })
  project_id?: string;

  @IsOptional()
  @ApiProperty({
    description:
      "Hex HMAC-SHA256 of user_id under the project's key; required if the project's token_policy is `verified`.",
    anyOf: [{ type: 'string', pattern: '^[0-9a-fA-F]{64}$' }, {}],
    required: false,
  })
  user_hash?: unknown;
}

export class TokenResponse {
  /** Always `success`; a failure has the error body. */
  result!: 'success';

  /**
   * The token, for the header `Authorization: Bearer …`, valid for 24 hours.
   * @example "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6Ii4uLiJ9.eyJzdWIiOiIuLi4ifQ.c2lnbmF0dXJl"
   */
  jwt!: string;
}
